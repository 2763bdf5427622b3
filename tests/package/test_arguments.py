"""is_causal, window and offset: against masks and loops in every function, and what they save."""

from itertools import pairwise

import numpy as np
import pytest

import attention as at
from tests.package.cases import options_of, random_case
from tests.package.oracles import OF_REACH, close, loop_attended, loop_attention, loop_reach, loop_scores, loop_weights

# --- against masks and loops -------------------------------------------------------------------------------------


def by_parts(rng, query, key, value, **options):
    """Attend to runs of the keys, one after another: keys that start at `first` make every offset smaller by it."""
    n_k = key.shape[-2]
    is_placed = options.get("is_causal") or options.get("window") is not None
    edges = [0, *sorted(rng.integers(0, n_k + 1, 2)), n_k]
    sink, offset = options.pop("sink", None), options.pop("offset", 0)
    parts = []
    for first, last in pairwise(edges):
        own = options | {"sink": sink if len(parts) == 1 else None}  # a sink belongs to one part
        for name in {"mask", "bias"} & own.keys():
            if np.ndim(own[name]) and own[name].shape[-1] > 1:
                own[name] = own[name][..., first:last]
        arrays = key[..., first:last, :], value[..., first:last, :]
        own |= {"offset": offset - first} if is_placed else {}
        parts.append(at.partial_attention(query, *arrays, **own))
    return at.merge_partials(*parts).output


def in_every_function(rng, arrays, options, blocks):
    n_threads = int(rng.integers(1, 3))
    return {
        "reference": at.scaled_dot_product_attention(*arrays, **options),
        "tiles": at.tiled_attention(*arrays, **options, **blocks, n_threads=n_threads),
        "part": at.partial_attention(*arrays, **options).output,
        "parts": by_parts(rng, *arrays, **options),
    }


@pytest.mark.parametrize("seed", range(20))
def test_every_function_agrees_with_the_loops_whatever_the_options(seed):
    rng = np.random.default_rng(seed)
    for case in range(15):
        (query, key, value), options, blocks = random_case(rng, 7)
        size = 32 * max(1, np.abs(query).max(initial=0))
        atol = np.finfo(query.dtype).eps * size
        of_scores = {name: options[name] for name in ("scale", "softcap", "enable_gqa") if name in options}
        scores, expected = at.attention_scores(query, key, **of_scores), loop_scores(query, key, **of_scores)
        np.testing.assert_allclose(scores, expected, rtol=0, atol=atol * max(1, np.abs(key).max(initial=0)))
        expected, exact = loop_weights(query, key, **options), loop_attention(query, key, value, **options)
        attends = {name: options[name] for name in ("mask", "bias", *OF_REACH) if name in options}
        attended = np.broadcast_to(loop_attended(expected.shape, **attends), expected.shape)
        unseen = ~attended.any(axis=tuple(range(attended.ndim - 1)))
        key[..., unseen, :] = value[..., unseen, :] = rng.choice([np.nan, np.inf, -np.inf])  # padding
        weights = at.attention_weights(query, key, **options)
        np.testing.assert_allclose(weights, expected, rtol=0, atol=atol, err_msg=f"{case} {options}")
        assert not weights[~attended].any()
        for output in in_every_function(rng, (query, key, value), options, blocks).values():
            close(output, exact.astype(value.dtype), value[..., ~unseen, :], size)


def test_sequences_are_the_first_axis_also_where_another_axis_has_as_many_entries(rng):
    query, key = rng.standard_normal((3, 3, 3, 2, 4)), rng.standard_normal((3, 3, 3, 6, 4))
    weights = at.attention_weights(query, key, is_causal=True, offset=[4, 0, 2])
    expected = loop_reach(2, 6, is_causal=True, offset=[4, 0, 2])
    np.testing.assert_array_equal(weights > 0, np.broadcast_to(expected[:, None, None], weights.shape))


@pytest.mark.parametrize("far", [2**40, 2**59])
def test_positions_far_away_are_right(far):
    query, key, value = np.zeros((2, 2, 1)), np.zeros((2, 3, 1)), np.array([[1.0], [2], [6]])
    for options, expected in (case.values for case in options_of("far", far=far)):
        for function in (at.scaled_dot_product_attention, at.tiled_attention):
            np.testing.assert_allclose(function(query, key, value, **options)[0], expected, err_msg=f"{options}")


# --- what they save ----------------------------------------------------------------------------------------------


def tiles_of(monkeypatch, call):
    """Collect, for every tile of scores that a call computes, which scores are not forbidden."""
    module = at.tiled_attention.__globals__
    found, may_attend = [], module["_may_attend"]

    def recorded(head, rows, columns):
        allowed = may_attend(head, rows, columns)
        shape = (*head.query.shape[:-2], rows.stop - rows.start, columns.stop - columns.start)
        found.append(np.broadcast_to(True if allowed is None else allowed, shape))
        return allowed

    with monkeypatch.context() as patch:
        patch.setitem(module, "_may_attend", recorded)
        call()
    return found


@pytest.mark.parametrize(("options", "n_tiles"), options_of("tiles"))
def test_so_many_tiles_are_computed(rng, monkeypatch, options, n_tiles):
    sequences = len(options["offset"]) if np.ndim(options.get("offset")) else 1
    query, key, value = rng.standard_normal((3, sequences, 16, 4))
    found = tiles_of(monkeypatch, lambda: at.tiled_attention(query, key, value, **options, query_block=4, key_block=4))
    assert len(found) == n_tiles


def test_a_window_computes_scores_in_proportion_to_its_width(rng, monkeypatch):
    query, key, value = rng.standard_normal((3, 600, 4))
    blocks = {"query_block": 20, "key_block": 30}
    found = tiles_of(monkeypatch, lambda: at.tiled_attention(query, key, value, window=(9, 0), **blocks))
    assert sum(tile.size for tile in found) <= 600 * (20 + 9 + 2 * 30)  # of a block's keys: 29, and the tiles' edges
    found = tiles_of(monkeypatch, lambda: at.tiled_attention(query, key, value, window=(9, 0)))
    assert sum(tile.size for tile in found) <= 600 * (64 + 9)  # a narrow window gets narrow blocks by itself
