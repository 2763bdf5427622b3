"""The package and the pages' functions against what libraries computed, each result within the tolerance of a record.

A function below has the stem of a recorder in examples/recording. It yields what is computed here, and what that is
compared with: the recorded output where nothing else is said.
"""

from functools import partial
from importlib import import_module
from itertools import pairwise
from types import SimpleNamespace

import numpy as np

import attention
from docs_ext.reading.consoles import session
from docs_ext.reading.page import load
from tests.package.parity.sources import cases

STEMS = (
    *("beyond_softmax", "formats", "gradients", "latent", "layers", "llama"),
    *("positions", "rope", "softmax", "stored", "window"),
)
RECORDERS = {stem: import_module(f"examples.recording.{stem}") for stem in STEMS}
TOLERANCES = {"softmax": {"rtol": 1e-14}, "rope": {"rtol": 1e-12}}  # the others: 1e-12 of the largest number
ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "gelu": attention.gelu,
    "gelu_tanh": partial(attention.gelu, approximate=True),
}


STATE = ("in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias")


def page(name):
    """Return what the consoles of a page define."""
    return SimpleNamespace(**session(load(f"{name}.md")).names)


def arrays(inputs):
    return {name: np.array(entry) if isinstance(entry, list) else entry for name, entry in inputs.items()}


def assert_close(stem, result, expected):
    assert np.shape(result) == np.shape(expected)
    within = TOLERANCES.get(stem, {"rtol": 0, "atol": 1e-12 * np.abs(expected).max(initial=0)})
    np.testing.assert_allclose(result, expected, **within)


# --- layers of PyTorch -------------------------------------------------------------------------------------------


def heads_from_torch(state, n_heads, d_key=None, d_value=None):
    """Turn torch's matrices around: there a feature of the result is a row, and Q, K, V may be stacked.

    Keys and values of their own become one memory with the features of both, and zeros where a matrix does not look.
    """
    if "in_proj_weight" in state:
        w_q, w_k, w_v = np.split(state["in_proj_weight"].T, 3, axis=1)
    else:
        w_q, w_k, w_v = (state[f"{letter}_proj_weight"].T for letter in "qkv")
    if d_value:
        w_k = np.vstack([w_k, np.zeros((d_value, w_k.shape[1]))])
        w_v = np.vstack([np.zeros((d_key, w_v.shape[1])), w_v])
    biases = np.split(state["in_proj_bias"], 3) if "in_proj_bias" in state else [None] * 3
    return attention.MultiHeadWeights(
        w_q, w_k, w_v, state["out_proj.weight"].T, *biases, state.get("out_proj.bias"), n_heads=n_heads
    )


def masks_from_torch(mask, padding, n_heads):
    """Turn torch's masks into options: in these modules True means "forbidden", here it means "may attend"."""
    options = {}
    if mask is not None and mask.dtype != bool:
        options["bias"] = mask
    elif mask is not None:
        options["mask"] = ~mask if mask.ndim == 2 else ~mask.reshape(-1, n_heads, *mask.shape[1:])
    if padding is not None:
        options["mask"] = options.get("mask", True) & ~padding[:, None, None, :]
    return options


def multi_head(inputs):
    n_heads, query, memory = inputs["n_heads"], inputs["query"], inputs.get("key")
    widths = {}
    if memory is not None and not np.array_equal(memory, inputs["value"]):
        widths = {"d_key": memory.shape[-1], "d_value": inputs["value"].shape[-1]}
        memory = np.concatenate([memory, inputs["value"]], axis=-1)
    options = masks_from_torch(inputs.get("attn_mask"), inputs.get("key_padding_mask"), n_heads)
    if "add_zero_attn" in inputs:  # a key and value of zero: a score of zero that hands over nothing
        options["sink"] = 0.0
    return attention.multi_head_attention(query, heads_from_torch(inputs, n_heads, **widths), memory=memory, **options)


def encoder_layer(inputs):
    own = {name.removeprefix("self_attn."): entry for name, entry in inputs.items() if name.startswith("self_attn.")}
    weights = attention.BlockWeights(
        heads_from_torch(own, 2),
        inputs["linear1.weight"].T,
        inputs["linear2.weight"].T,
        *(inputs.get(name) for name in ("linear1.bias", "linear2.bias")),
        *(inputs.get(name) for name in ("norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias")),
        activation=ACTIVATIONS[inputs["activation"]],
        eps=inputs["eps"],
    )
    options = masks_from_torch(inputs.get("src_mask"), inputs.get("src_key_padding_mask"), 2)
    return attention.transformer_block(inputs["src"], weights, norm_first=inputs["norm_first"], **options)


def layers(name, inputs, output):
    inputs = arrays(inputs)
    match name:
        case "MultiheadAttention":
            yield multi_head(inputs), output
            if inputs.keys() == {"n_heads", "query", *STATE}:  # which the page loads
                weights = page("how-to/load-weights").from_torch(inputs, n_heads=inputs["n_heads"])
                yield attention.multi_head_attention(inputs["query"], weights), output
        case "TransformerEncoderLayer":
            yield encoder_layer(inputs), output
        case "scaled_dot_product_attention":
            yield attention.scaled_dot_product_attention(**inputs, enable_gqa=True), output
        case _:
            yield getattr(attention, name)(**inputs), output


def gradients(name, inputs, output):
    given, expected = arrays(inputs), arrays(output.item())
    given["window"] = inputs.get("window")
    asked = {f"return_{name}": True for name in ("bias", "sink") if name in given}
    yield from zip(attention.attention_vjp(**given, **asked), expected.values(), strict=True)


def formats(name, inputs, output):
    yield attention.round_to_format(inputs["x"], inputs["format"]), output


def softmax(name, inputs, output):
    axis = inputs["axis"]
    yield getattr(attention, name)(inputs["x"], axis=tuple(axis) if isinstance(axis, list) else axis), output


# --- models of Hugging Face --------------------------------------------------------------------------------------


def stored(name, inputs, output):
    sizes = RECORDERS["stored"]
    weights = getattr(page("how-to/load-weights"), f"from_{name}")(arrays(inputs["state"]), sizes.LAYER, sizes.N_HEADS)
    half = attention.Rotary(*attention.rotary_tables(np.arange(sizes.N_TOKENS), 4, base=sizes.BASE), "half")
    options = {"bert": {}, "gpt2": {"is_causal": True}, "llama": {"is_causal": True, "rotary": half}}[name]
    yield attention.multi_head_attention(np.array(inputs["x"]), weights, **options), output


def llama(name, inputs, output):
    """Run our block over the tokens, in one call, and cut into several through a cache."""
    sizes, n = RECORDERS["llama"].SIZES, RECORDERS["llama"].N_TOKENS
    heads = sizes["num_attention_heads"], sizes["num_key_value_heads"]
    weights = page("how-to/load-weights").block_from_llama(arrays(inputs["state"]), 0, *heads, RECORDERS["llama"].EPS)
    x, window = np.array(inputs["x"]), inputs["window"]
    there = np.arange(n) >= np.array(inputs["padding"])[:, None]
    positions = (there.cumsum(axis=1) - 1).clip(0)
    tables = attention.rotary_tables(positions, sizes["head_dim"], inv_freq=inputs["inv_freq"])
    options = {"rotary": attention.Rotary(*(table[:, None] for table in tables), "half"), "is_causal": True}
    options["window"] = None if window is None else (window - 1, 0)
    for cuts in ((), (5, 6, 7, 8), range(1, 9), (2, 6)):
        cache, results = attention.KVCache(window=window) if cuts else None, []
        for start, stop in pairwise([0, *cuts, n]):
            first = 0 if window is None else max(0, start - window + 1)
            options["mask"] = there[:, None, None, first:stop]
            results.append(attention.transformer_block(x[:, start:stop], weights, cache=cache, **options))
        yield np.concatenate(results, axis=1)[there], output[there]  # without the rows of padding


def loaded(inputs, **changes):
    """Load a latent layer; `changes` load it wrongly."""
    options = {"layout": "interleaved" if inputs["neighbours"] else "half", "eps": RECORDERS["latent"].EPS}
    options["mscale"] = 0.1 * np.log(inputs["factor"]) + 1
    state = arrays(inputs["state"]) | changes.pop("state", {})
    n_heads = RECORDERS["latent"].SIZES["num_attention_heads"]
    return attention.LatentWeights.from_state(state, n_heads, **options | changes)


def run_latent(inputs, w, absorb, cuts=()):
    """Run a latent layer over all tokens, in one call or cut into several through a cache."""
    cache, rows = attention.KVCache(), []
    for first, stop in pairwise([0, *cuts, RECORDERS["latent"].N_TOKENS]):
        tables = attention.rotary_tables(range(first, stop), w.w_kr.shape[-1], inv_freq=inputs["inv_freq"])
        x = np.array(inputs["x"])[first:stop]
        parts = *w.queries(x, *tables), *cache.append(*w.latents(x, *tables)), w.w_uk, w.w_uv
        z = attention.latent_attention(*parts, absorb=absorb, scale=w.scale, is_causal=True, offset=first)
        rows.extend(attention.merge_heads(z) @ w.w_o)
    return np.array(rows)


def latent(name, inputs, output):
    w = loaded(inputs)
    yield w.scale, inputs["scale"]
    for absorb in (False, True):
        for cuts in ((), (1, 4), range(1, RECORDERS["latent"].N_TOKENS)):
            yield run_latent(inputs, w, absorb, cuts), output


def beyond_softmax(name, inputs, output):
    given = arrays(inputs | inputs["state"] if isinstance(inputs.get("state"), dict) else inputs)
    if name.startswith("layer"):
        yield from delta_layer(given, output)
        return
    if name == "sparse":
        result, kept = sparse(given)
        yield result, output
        yield kept[2:], given["kept"][2:]  # before, some of the future fills the row
        return
    given |= {} if "state" in given else {part: given[part][:, None] for part in ("q", "k", "v", "fades", "beta")}
    q, k, v, fades, beta = (given[part].swapaxes(0, 1) for part in ("q", "k", "v", "fades", "beta"))  # heads first
    q, k = (x / np.sqrt((x**2).sum(axis=-1, keepdims=True) + 1e-6) for x in (q, k))
    decay = np.exp(-fades if fades.ndim == 3 else -fades[..., None])
    z, state = attention.delta_rule(q / 2, k, v, decay=decay, beta=beta[..., None], state=given.get("state"))
    yield z.swapaxes(0, 1).reshape(output.shape), output  # q is divided by 2, the root of d_k
    if "last" in given:
        yield state, given["last"]


def delta_layer(given, output):
    """Run the layer of the page as a whole; heads that share queries and keys get copies of them."""
    w, columns = {"gate": lambda y: 1 / (1 + np.exp(-y))}, np.arange(48)
    if "in_proj_ba.weight" in given:  # Qwen3-Next stacks what belongs to each of its 2 heads of keys
        w["gate"], shared = attention.silu, np.r_[0:4, 0:4, 4:8, 4:8]
        columns = np.r_[shared, 8 + shared, 16:36]
        stacked = np.split(given["in_proj_qkvz.weight"].reshape(2, 28, 10), (4, 8, 18), axis=1)
        stacked += np.split(given["in_proj_ba.weight"].reshape(2, 4, 10), 2, axis=1)
        *qkv, w["w_gate"], w["w_beta"], w["w_a"] = (part.reshape(-1, 10).T for part in stacked)
    else:
        qkv = [given[f"{letter}_proj.weight"].T for letter in "qkv"]
        w["w_a"], w["w_beta"], w["w_gate"] = (
            (given[f"{second}.weight"] @ (given[f"{first}.weight"] if first else np.eye(10))).T
            for first, second in (
                ("forget_gate.f_a_proj", "forget_gate.f_b_proj"),
                ("", "b_proj"),
                ("g_a_proj", "g_b_proj"),
            )
        )
    w["w_qkv"], w["conv"] = np.hstack(qkv)[:, columns], given["conv1d.weight"][columns, 0].T
    w["parts"] = [slice(0, 16), slice(16, 32), slice(32, None)]
    last = {name.removeprefix("forget_gate.").removeprefix("o_"): array for name, array in given.items()}
    w |= {"A": np.exp(last["A_log"]).reshape(4, 1, 1), "b": last["dt_bias"], "norm": last["norm.weight"]}
    w["w_o"] = given["out_proj.weight" if "out_proj.weight" in given else "o_proj.weight"].T
    run, features = page("learn/beyond-softmax").layer, given["last"].shape
    z, inputs, state = run(given["x"], w, np.zeros((3, len(columns))), np.zeros(features))
    yield z, output
    yield inputs[:, np.unique(columns, return_index=True)[1]], given["inputs"]
    yield state, given["last"]
    half = {name: part.astype(np.float32) if isinstance(part, np.ndarray) else part for name, part in w.items()}
    empty = np.zeros((3, len(columns)), np.float32), np.zeros(features, np.float32)
    single = run(given["x"].astype(np.float32), half, *empty)[0]
    yield single.dtype == np.float32, True
    yield np.abs(single - given["single"]).max() < 1e-5 * np.abs(output).max(), True


def sparse(given, top=3):
    """Return the output of DeepSeek's layer, and the tokens that its indexer keeps."""
    x, n = given["x"], RECORDERS["beyond_softmax"].N_TOKENS
    w = attention.LatentWeights.from_state(given, 2)
    tables = attention.rotary_tables(np.arange(n), 4, base=RECORDERS["beyond_softmax"].BASE)
    (q, turned), (latent, key) = w.queries(x, *tables), w.latents(x, *tables)
    q = np.concatenate([q, turned], axis=-1)
    k = np.concatenate([latent @ w.w_uk, np.broadcast_to(key, (2, n, 4))], axis=-1)

    short_q = attention.rms_norm(x @ w.w_dq, w.q_norm, eps=w.eps)
    index_k = x @ given["indexer.wk.weight"].T
    index_k = attention.layer_norm(index_k, *(given[f"indexer.k_norm.{part}"] for part in ("weight", "bias")), eps=1e-6)
    index_q = attention.split_heads(short_q @ given["indexer.wq_b.weight"].T, 3)
    turned = [attention.apply_rotary(part[..., :4], *tables, layout="half") for part in (index_q, index_k)]
    index = [np.concatenate(both, axis=-1) for both in zip(turned, (index_q[..., 4:], index_k[..., 4:]), strict=True)]
    each = x @ given["indexer.weights_proj.weight"].T / np.sqrt(3 * 6)
    scores = np.where(np.tri(n, dtype=bool), attention.index_scores(*index, each), -np.inf)
    kept = attention.top_k_indices(scores, top)
    z = attention.sparse_attention(q, k, latent @ w.w_uv, kept)
    return attention.merge_heads(z) @ w.w_o, np.sort(kept)


def rope(name, inputs, output):
    """Compute with the rule; the dynamic one of Transformers is NTK-aware, with a factor that follows the text."""
    rule, factor, trained, expected = inputs["rule"], inputs["factor"], inputs["trained"], output.item()
    options = {"base": inputs["base"], "n_trained": trained, "truncate": inputs["truncate"], "rule": rule}
    options["factor"] = factor
    if rule == "dynamic":
        options |= {"rule": "ntk", "factor": factor * inputs["length"] / trained - (factor - 1)}
    yield attention.rotary_frequencies(inputs["rotary_dim"], **options), expected["inv_freq"]
    yield 0.1 * np.log(factor) + 1 if rule == "yarn" else 1.0, expected["scaling"]  # the tables: yarn alone


def window(name, inputs, output):
    """Compare appends; of a window of one transformers keeps everything."""
    cache, seen = attention.KVCache(window=inputs["window"]), 0
    for new, append in zip(inputs["sizes"], output, strict=True):
        keys, _ = cache.append(np.arange(seen, seen + new)[:, None], np.zeros((new, 1)))
        seen += new
        everything = cache.window == 1 and seen > 1
        yield keys[:, 0], append["keys"][-new if everything else 0 :]
        yield append["kept"], seen if cache.window == 1 else min(seen, cache.window - 1)


# --- positions ---------------------------------------------------------------------------------------------------


def positions(name, inputs, output):
    given = dict(inputs)
    match name:
        case "bloom":  # up to a number for each query: what the query's own position got there, 0 here
            bias = attention.alibi_bias(given["n_heads"], given["n_keys"])
            for query in range(given["n_keys"]):
                seen = slice(query + 1)
                yield bias[:, query, seen], output[:, seen] - output[:, query, None]
            yield attention.alibi_slopes(given["n_heads"]), output[:, 1]
        case "mpt":
            yield attention.alibi_bias(given["n_heads"], 1, given["n_keys"], offset=given["n_keys"] - 1)[:, 0], output
        case "llama tables":  # angles in float32 are off by hundredths at position a million
            near, far = np.abs(output - attention.rotary_tables(given["positions"], given["rotary_dim"])[0]).max(
                axis=-1
            )
            assert near < 1e-7
            assert 0.01 < far < 0.1
        case _:
            yield from rotations(given, output)


def rotations(inputs, output):
    """Turn as recorded, one head alone, and by the other layout, with features in its order."""
    x, layout = np.array(inputs["x"]), inputs["layout"]
    rule = {"base": inputs["base"], "rule": "linear", "factor": inputs["interpolation"]}
    frequencies = attention.rotary_frequencies(inputs["rotary_dim"], **rule)
    tables = attention.rotary_tables(inputs["positions"], inputs["rotary_dim"], inv_freq=frequencies)
    cos, sin = (table[:, None] for table in tables)
    yield attention.apply_rotary(x, cos, sin, layout=layout), output
    yield attention.apply_rotary(x[:, :1], cos, sin, layout=layout), output[:, :1]
    other = "half" if layout == "interleaved" else "interleaved"
    order = np.arange(output.shape[-1])
    order[: inputs["rotary_dim"]] = np.arange(inputs["rotary_dim"]).reshape(-1, 2).T.ravel()
    order = np.argsort(order) if other == "interleaved" else order
    yield attention.apply_rotary(x[..., order], cos, sin, layout=other), output[..., order]


# --- the tests ---------------------------------------------------------------------------------------------------


@cases(*(module.RECORDER for module in RECORDERS.values()))
def test_what_is_computed_here_is_what_the_library_computed(stem, name, inputs, output):
    for result, expected in globals()[stem](name, inputs, output):
        assert_close(stem, result, expected)


@cases(RECORDERS["latent"].RECORDER)
def test_a_wrong_load_fails_by_what_the_page_says(stem, name, inputs, output):
    n_heads, rows = RECORDERS["latent"].SIZES["num_attention_heads"], np.array(inputs["state"]["kv_b_proj.weight"])
    d_h = loaded(inputs).w_uk.shape[-1] * n_heads  # the rows of all keys, if they came first
    mixed = np.hstack([part.reshape(n_heads, -1, rows.shape[1]) for part in (rows[:d_h], rows[d_h:])])
    wrong = {
        "keys first": {"state": {"kv_b_proj.weight": mixed.reshape(rows.shape)}},
        "layout": {"layout": "half" if inputs["neighbours"] else "interleaved"},
        "norm": {"state": {"kv_a_layernorm.weight": np.ones(rows.shape[1])}},
    }
    if inputs["factor"] > 1:
        wrong["scale"] = {"mscale": 1.0}
    for mistake, changes in wrong.items():
        w = loaded(inputs, **changes)
        z = run_latent(inputs, w, absorb=True)
        assert_close(stem, run_latent(inputs, w, absorb=False), z)  # both ways agree, on what is wrong
        assert np.linalg.norm(z - output) > 0.1 * np.linalg.norm(output)
        assert np.allclose(z[0], output[0]) == (mistake in {"layout", "scale"})  # one token does not show it
