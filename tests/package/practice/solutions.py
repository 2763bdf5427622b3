"""The twelve steps as learners write them: the bodies of their functions, by name."""

import re
import textwrap

from attention.practice.sheet import written

# As a learner might write them.
BODIES = {
    "weighted_average": "return weights @ values",
    "softmax": """
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)""",
    "attention_scores": "return query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])",
    "attend": """
        scores = attention_scores(query, key)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        return softmax(scores) @ value""",
    "causal_mask": "return np.tril(np.ones((n, n), bool))",
    "self_attention": "return attend(x @ w_q, x @ w_k, x @ w_v, mask)",
    "positions": """
        angles = np.arange(n)[:, None] / base ** (np.arange(0, d, 2) / d)
        table = np.zeros((n, d))
        table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
        return table""",
    "split_heads": """
        *more, n, d = x.shape
        return x.reshape(*more, n, n_heads, -1).swapaxes(-2, -3)""",
    "merge_heads": """
        beside = heads.swapaxes(-2, -3)
        return beside.reshape(*beside.shape[:-2], -1)""",
    "multi_head_attention": """
        query, key, value = (split_heads(x @ w, n_heads) for w in (w_q, w_k, w_v))
        return merge_heads(attend(query, key, value, mask)) @ w_o""",
    "layer_norm": """
        centred = x - x.mean(axis=-1, keepdims=True)
        return centred / np.sqrt(x.var(axis=-1, keepdims=True) + eps) * gain""",
    "transformer_block": """
        w = weights
        heads = [w[name] for name in ("w_q", "w_k", "w_v", "w_o")]
        x = x + multi_head_attention(layer_norm(x, w["norm_1"]), *heads, n_heads, mask)
        hidden = np.maximum(layer_norm(x, w["norm_2"]) @ w["w_in"], 0)
        return x + hidden @ w["w_out"]""",
    "generate": """
        found, table = list(ids), weights["embedding"]
        for _ in range(n_new):
            n, d = len(found), table.shape[1]
            x = table[found] * np.sqrt(d) + positions(n, d, base=100.0)
            for i in "01":
                layer = {name[2:]: w for name, w in weights.items() if name[0] == i}
                x = transformer_block(x, layer, 4, causal_mask(n))
            found.append(int((table @ layer_norm(x, weights["norm"])[-1]).argmax()))
        return found""",
}
# Other right ways: loops, einsum, lists, other shapes of the same thing.
LOOPS = {
    "weighted_average": "return [sum(w * v[j] for w, v in zip(weights, values)) for j in range(len(values[0]))]",
    "softmax": """
        if np.ndim(scores) > 1:
            return np.array([softmax(row) for row in scores])
        largest = max(scores)
        powers = [np.exp(s - largest) for s in scores]
        return [p / sum(powers) for p in powers]""",
    "attention_scores": """
        return [[sum(a * b for a, b in zip(q, k)) / len(q) ** 0.5 for k in key] for q in query]""",
    "attend": """
        scores = np.einsum("qd,kd->qk", query, key) / query.shape[1] ** 0.5
        scores = scores if mask is None else scores + np.where(mask, 0, -1e9)
        return np.einsum("qk,kd->qd", softmax(scores), value)""",
    "causal_mask": "return [[1 if j <= i else 0 for j in range(n)] for i in range(n)]",
    "self_attention": """
        rows = []
        for i in range(len(x)):
            may = None if mask is None else mask[i:i + 1]
            rows.append(attend((x @ w_q)[i:i + 1], x @ w_k, x @ w_v, may)[0])
        return rows""",
    "positions": """
        return [[(np.cos if j % 2 else np.sin)(p / base ** ((j - j % 2) / d)) for j in range(d)] for p in range(n)]""",
    "split_heads": """
        d = x.shape[1] // n_heads
        return [x[:, h * d:(h + 1) * d] for h in range(n_heads)]""",
    "merge_heads": "return np.concatenate(list(heads), axis=1)",
    "multi_head_attention": """
        d = w_q.shape[1] // n_heads
        parts = [slice(h * d, (h + 1) * d) for h in range(n_heads)]
        return sum(self_attention(x, w_q[:, p], w_k[:, p], w_v[:, p], mask) @ w_o[p] for p in parts)""",
    "layer_norm": """
        rows = x.reshape(-1, x.shape[-1])
        out = [(r - r.mean()) / (((r - r.mean()) ** 2).mean() + eps) ** 0.5 * gain for r in rows]
        return np.reshape(out, x.shape)""",
    "transformer_block": BODIES["transformer_block"].replace("x = x +", "x = x + 0.0; x +="),
    "generate": BODIES["generate"].replace("list(ids)", "[*map(np.int64, ids)]"),
}
# In styles that are rarer still: masked arrays, complex numbers, recursion, outer products, tuples.
UNUSUAL = {
    "weighted_average": "return tuple((np.array(values).T * weights).sum(1))",
    "softmax": """
        s = np.swapaxes(np.atleast_2d(scores), 0, -1)
        e = np.exp(s - s.max(axis=0))
        e /= e.sum(axis=0)
        return np.swapaxes(e, 0, -1).reshape(np.shape(scores))""",
    "attention_scores": "return np.tensordot(query, key, axes=([-1], [-1])) * query.shape[-1] ** -0.5",
    "attend": """
        scores = np.ma.array(attention_scores(query, key), mask=False if mask is None else ~np.asarray(mask, bool))
        e = np.ma.exp(scores - scores.max(axis=-1, keepdims=True))
        return (e / e.sum(axis=-1, keepdims=True)).filled(0) @ value""",
    "causal_mask": "return np.greater_equal.outer(range(n), range(n)).tolist()",
    "self_attention": """
        s = x @ (w_q @ w_k.T) @ x.T / np.sqrt(w_q.shape[1])
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        return softmax(s) @ x @ w_v""",
    "positions": """
        z = np.exp(1j * np.outer(np.arange(n), base ** (-np.arange(0, d, 2) / d)))
        return np.stack([z.imag, z.real], -1).reshape(n, d)""",
    "split_heads": "return list(np.hsplit(x, n_heads))",
    "merge_heads": "return [np.concatenate([h[i] for h in heads]) for i in range(len(heads[0]))]",
    "multi_head_attention": """
        wq, wk, wv = (w.reshape(x.shape[1], n_heads, -1) for w in (w_q, w_k, w_v))
        q, k, v = (np.einsum('nd,dhe->hne', x, w) for w in (wq, wk, wv))
        s = np.einsum('hne,hme->hnm', q, k) / np.sqrt(q.shape[-1])
        if mask is not None:
            s = np.where(np.asarray(mask, bool)[None], s, -np.inf)
        o = np.einsum('hnm,hme->nhe', softmax(s), v)
        return np.einsum('nhe,hed->nd', o, w_o.reshape(n_heads, -1, w_o.shape[1]))""",
    "layer_norm": """
        n = x.shape[-1]
        c = x @ (np.eye(n) - 1 / n)
        return c * (np.einsum('...d,...d->...', c, c)[..., None] / n + eps) ** -0.5 * gain""",
    "transformer_block": """
        w = dict(weights)
        g1, g2, w_in, w_out = (w.pop(k) for k in ("norm_1", "norm_2", "w_in", "w_out"))
        y = x.copy()
        y += multi_head_attention(layer_norm(x, g1), n_heads=n_heads, mask=mask, **w)
        h = layer_norm(y, g2) @ w_in
        h[h < 0] = 0
        y += h @ w_out
        return y""",
    "generate": """
        if n_new == 0:
            return list(ids)
        E = weights["embedding"]
        n, d = len(ids), E.shape[1]
        x = np.eye(len(E))[list(ids)] @ E * d ** 0.5 + positions(n, d, 100.0)
        for i in range(2):
            part = {k.split(".")[1]: v for k, v in weights.items() if k.startswith(f"{i}.")}
            x = transformer_block(x, part, 4, causal_mask(n))
        p = softmax(layer_norm(x[-1:], weights["norm"]) @ E.T)[0]
        return generate(list(ids) + [np.argmax(p)], weights, n_new - 1)""",
}


def filled(bodies, seed=0):
    """Write the file of empty functions with these bodies in it."""
    text = written("mine.py", seed)
    for name, body in bodies.items():
        body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
        text, n = re.subn(
            rf'(def {name}\(.*?\n    """.*?"""\n)    \.\.\.', lambda found, b=body: found[1] + b, text, count=1,
            flags=re.DOTALL,
        )  # fmt: skip
        assert n == 1, name
    return text
