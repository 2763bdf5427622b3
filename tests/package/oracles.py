"""Attention as loops over indices, straight from the formulas: slow, obvious, and sharing no line with the package."""

import math
import re
import tracemalloc

import numpy as np
import pytest
from hypothesis import settings

from tests.tables import beside

REFUSALS = beside(__file__, "refusals.toml")
properties = settings(max_examples=60, deadline=None, derandomize=True)


def matrix(array, at, group=1):
    """Pick the (n, d) matrix at a leading index: axes align at the right, size 1 repeats, `group` heads share one."""
    axes = array.shape[:-2]
    at = at[len(at) - len(axes) :]
    index = [0 if size == 1 else i for size, i in zip(axes, at, strict=True)]
    if group > 1:
        index[-1] = at[-1] // group
    return array[tuple(index)]


def heads_per_kv_head(query, key, enable_gqa):
    return query.shape[-3] // key.shape[-3] if enable_gqa else 1


def leading_axes(query, other, enable_gqa):
    if enable_gqa:
        return (*np.broadcast_shapes(query.shape[:-3], other.shape[:-3]), query.shape[-3])
    return np.broadcast_shapes(query.shape[:-2], other.shape[:-2])


def loop_scores(query, key, *, scale=None, softcap=None, enable_gqa=False, dtype=np.float64):
    """Sum the products over d_k, times scale, capped."""
    query, key = np.asarray(query).astype(dtype), np.asarray(key).astype(dtype)
    d_k = query.shape[-1]
    factor = 1 / np.sqrt(dtype(d_k)) if scale is None else dtype(scale)
    group = heads_per_kv_head(query, key, enable_gqa)
    scores = np.empty((*leading_axes(query, key, enable_gqa), query.shape[-2], key.shape[-2]), dtype)
    for *at, i, j in np.ndindex(scores.shape):
        q, k = matrix(query, at)[i], matrix(key, at, group)[j]
        total = dtype(0)
        for f in range(d_k):
            total += q[f] * k[f]
        total *= factor
        if softcap is not None:
            total = dtype(softcap) * np.tanh(total / dtype(softcap))
        scores[(*at, i, j)] = total
    return scores


def loop_reach(n_queries, n_keys, *, is_causal=False, window=None, offset=None):
    """Say for every query i, which stands at i + offset, and every key j, which stands at j, whether they may meet.

    Several offsets, one for each sequence, add an axis in front: (batch, n_queries, n_keys).
    """
    if np.ndim(offset):
        reaches = [loop_reach(n_queries, n_keys, is_causal=is_causal, window=window, offset=at) for at in offset]
        return np.array(reaches, bool).reshape(len(offset), n_queries, n_keys)
    left, right = (window, window) if window is None or isinstance(window, int) else window
    reach = np.zeros((n_queries, n_keys), bool)
    for i in range(n_queries):
        position = i + (0 if offset is None else int(offset))
        for j in range(n_keys):
            too_old = left is not None and j < position - left
            too_new = right is not None and j > position + right
            reach[i, j] = not (too_old or too_new or (is_causal and j > position))
    return reach


def loop_attended(shape, *, mask=None, bias=None, is_causal=False, window=None, offset=None):
    """Tell for every score whether its query attends to its key: the mask and the reach allow it, and no bias of -inf.

    Sequences are the entries of the first axis of the scores.
    """
    reach = loop_reach(*shape[-2:], is_causal=is_causal, window=window, offset=offset)
    if np.ndim(offset):
        reach = reach.reshape(len(reach), *(1,) * (len(shape) - 3), *shape[-2:])
    return reach & (True if mask is None else np.asarray(mask)) & (np.asarray(0 if bias is None else bias) != -math.inf)


OF_REACH = ("is_causal", "window", "offset")


def loop_weights(query, key, *, mask=None, bias=None, sink=None, dtype=np.float64, **options):
    """Exponentiate the scores of the attended keys and divide by their sum; a sink only adds to the sum."""
    reach = {name: options.pop(name) for name in OF_REACH if name in options}
    scores = loop_scores(query, key, dtype=dtype, **options)
    attended = np.broadcast_to(loop_attended(scores.shape, mask=mask, **reach), scores.shape)
    added = np.broadcast_to(np.asarray(0 if bias is None else bias).astype(dtype), scores.shape)
    weights = np.zeros(scores.shape, dtype)
    for *at, i in np.ndindex(scores.shape[:-1]):
        row = {j: scores[(*at, i, j)] + added[(*at, i, j)] for j in range(scores.shape[-1]) if attended[(*at, i, j)]}
        resting = None if sink is None else dtype(sink if np.ndim(sink) == 0 else sink[at[-1]])
        top = -math.inf if resting is None else resting
        for score in row.values():
            top = max(top, score)
        if top == -math.inf:  # nothing to attend to: the sum over nothing
            continue
        total = dtype(0) if resting is None else np.exp(resting - top)
        for score in row.values():
            total += np.exp(score - top)
        for j, score in row.items():
            weights[(*at, i, j)] = np.exp(score - top) / total
    return weights


def loop_attention(query, key, value, *, dtype=np.float64, **options):
    """Blend the values by the weights: a sum over the attended keys, so that no other value shows, nan neither."""
    weights = loop_weights(query, key, dtype=dtype, **options)
    seen = {name: options[name] for name in ("mask", "bias", *OF_REACH) if name in options}
    attended = np.broadcast_to(loop_attended(weights.shape, **seen), weights.shape)
    value = np.asarray(value).astype(dtype)
    group = heads_per_kv_head(np.asarray(query), value, options.get("enable_gqa", False))
    lead = np.broadcast_shapes(weights.shape[:-2], (*value.shape[:-3], 1) if group > 1 else value.shape[:-2])
    output = np.zeros((*lead, weights.shape[-2], value.shape[-1]), dtype)
    with np.errstate(invalid="ignore"):  # inf - inf
        for *at, i, f in np.ndindex(output.shape):
            row, column, sees = matrix(weights, at)[i], matrix(value, at, group)[:, f], matrix(attended, at)[i]
            for j in range(weights.shape[-1]):
                if sees[j] or row[j] != 0:
                    output[(*at, i, f)] += row[j] * column[j]
    return output


def loop_project(x, weight, bias=None, dtype=np.longdouble):
    """Multiply every row by the matrix, term by term, and add the bias."""
    x, weight = np.asarray(x).astype(dtype), np.asarray(weight).astype(dtype)
    result = np.zeros((*x.shape[:-1], weight.shape[1]), dtype)
    for *at, o in np.ndindex(result.shape):
        for i in range(weight.shape[0]):
            result[(*at, o)] += x[(*at, i)] * weight[i, o]
        if bias is not None:
            result[(*at, o)] += bias[o]
    return result


def loop_multi_head(x, memory, w, *, n_heads, n_kv_heads, mask=None, bias=None, sink=None, rotary=None, **options):
    """Sum over the heads: each attends by itself, with its columns of W_Q, W_K, W_V, and meets its rows of W_O.

    rotary holds cos and sin of shape (..., n, pairs) without a heads axis, and the layout.
    """
    group, d_k, d_v = n_heads // n_kv_heads, w["w_q"].shape[1] // n_heads, w["w_o"].shape[0] // n_heads
    lead = np.broadcast_shapes(x.shape[:-2], memory.shape[:-2])
    scores = (*lead, n_heads, x.shape[-2], memory.shape[-2])
    total = np.zeros((*lead, x.shape[-2], w["w_o"].shape[1]), np.longdouble)
    for head in range(n_heads):
        parts = []
        for letter, tokens, width, at in (
            ("q", x, d_k, head),
            ("k", memory, d_k, head // group),
            ("v", memory, d_v, head // group),
        ):
            columns = slice(at * width, (at + 1) * width)
            offset = w.get(f"b_{letter}")
            parts.append(
                loop_project(tokens, w[f"w_{letter}"][:, columns], None if offset is None else offset[columns])
            )
        if rotary is not None:
            parts[:2] = (loop_rotary(part, *rotary) for part in parts[:2])
        own = dict(options)
        if mask is not None:
            own["mask"] = np.broadcast_to(mask, scores)[..., head, :, :]
        if bias is not None:
            own["bias"] = np.broadcast_to(bias, scores)[..., head, :, :]
        if sink is not None:
            own["sink"] = np.broadcast_to(sink, n_heads)[head]
        output = loop_attention(*parts, dtype=np.longdouble, **own)
        total += loop_project(output, w["w_o"][head * d_v : (head + 1) * d_v])
    return (total if w.get("b_o") is None else total + w["b_o"]).astype(float)


def loop_work(model, batch, n, new, itemsize, block):
    """Flops and bytes of a pass: every matrix of every layer, pair of a query and a key, and block of queries."""
    d, heads, shared = model["d_model"], model["n_heads"] * model["d_head"], model["n_kv_heads"] * model["d_head"]
    ff = model["d_ff"]
    layer = [(d, heads), (d, shared), (d, shared), (heads, d), (d, ff), (d, ff), (ff, d)]
    flops = moved = 0
    for _ in range(model["n_layers"]):
        for n_in, n_out in layer:
            flops += 2 * n_in * n_out * new * batch
            moved += n_in * n_out * itemsize
    flops += 2 * d * model["n_vocabulary"] * batch
    moved += d * model["n_vocabulary"] * itemsize
    attention = caches = 0
    for _ in range(batch * model["n_layers"]):
        for query in range(n - new, n):  # each sees itself and what is before it
            for _ in range(query + 1):
                attention += model["n_heads"] * 2 * (model["d_head"] + model["d_head"])
        rows = [query for query in range(n - new, n) for _ in range(model["n_heads"] // model["n_kv_heads"])]
        while rows:
            caches += 2 * (rows[:block][-1] + 1) * shared * itemsize  # the keys and values that this block may see
            rows = rows[block:]
        caches += 2 * new * heads * itemsize  # queries and output
    return {"matrices": (flops, moved), "attention": (attention, caches)}


def loop_rotary(x, cos, sin, layout):
    """Turn pair after pair by its angle: (a, b) -> (a cos - b sin, a sin + b cos)."""
    x, pairs = np.asarray(x), np.shape(cos)[-1]
    angles = (*x.shape[:-1], pairs)
    cos, sin = (np.broadcast_to(table, angles).astype(np.longdouble) for table in (cos, sin))
    rotated = x.astype(np.longdouble)
    for *at, i in np.ndindex(angles):
        a, b = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + pairs)
        c, s = cos[(*at, i)], sin[(*at, i)]
        rotated[(*at, a)] = x[(*at, a)] * c - x[(*at, b)] * s
        rotated[(*at, b)] = x[(*at, a)] * s + x[(*at, b)] * c
    return rotated


def along(function, x, axis=-1):
    """Apply a function of one list of floats to every slice of x along one axis."""
    slices = np.moveaxis(np.asarray(x, dtype=float), axis, -1)
    results = np.empty(slices.shape[:-1], object)
    for at in np.ndindex(results.shape):
        results[at] = function([float(number) for number in slices[at]])
    if all(isinstance(result, float) for result in results.flat):
        return results.astype(float)
    full = np.empty(slices.shape)
    for at in np.ndindex(results.shape):
        full[at] = results[at]
    return np.moveaxis(full, -1, axis)


def row_logsumexp(row):
    top = max(row)
    return top if top == -math.inf else top + math.log(math.fsum(math.exp(x - top) for x in row))


def row_softmax(row):
    top = max(row)
    if top == -math.inf:
        return [0.0] * len(row)
    total = math.fsum(math.exp(x - top) for x in row)
    return [math.exp(x - top) / total for x in row]


def row_log_softmax(row):
    top = max(row)
    if top == -math.inf:
        return [-math.inf] * len(row)
    log_total = math.log(math.fsum(math.exp(x - top) for x in row))
    return [x - top - log_total for x in row]


def row_entropy(row):
    return -math.fsum(w * math.log(w) for w in row if w > 0)


def slope_between(f, array, place, step=1e-6):
    """Return the central difference of f() as one entry of an array changes."""
    old = array[place]
    array[place] = old + step
    above = f()
    array[place] = old - step
    below = f()
    array[place] = old
    return (above - below) / (2 * step)


def says(*pieces):
    """Build a regular expression for a message that holds every piece, in any order."""
    return "(?s)" + "".join(f"(?=.*{re.escape(piece)})" for piece in pieces)


def refuses(told):
    """Expect an error as refusals.toml tells it: its kind, ValueError if none is named, and pieces of its message."""
    kind, _, pieces = told.rpartition("Error: ")
    return pytest.raises(TypeError if kind == "Type" else ValueError, match=says(*pieces.split(" | ")))


def smaller(rng, shape):
    """Draw a shape that broadcasts to this one."""
    sizes = tuple(int(size) if rng.random() < 0.7 else 1 for size in shape)
    return sizes[rng.integers(len(sizes) + 1) :]


def held(call, *arrays, **options):
    """Return the most bytes that a call holds at a time, its result among them, and the result."""
    tracemalloc.start()
    try:
        result = call(*arrays, **options)
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


def close(actual, expected, value, n_eps=32):
    """Compare to within n_eps eps of the largest value."""
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    assert np.isfinite(actual).all()
    np.testing.assert_allclose(
        actual, expected, rtol=0, atol=n_eps * np.finfo(value.dtype).eps * np.abs(value).max(initial=0)
    )
