"""The tile stepper's static trace: against exact fractions, its prediction, and what it refuses."""

from fractions import Fraction
from itertools import chain

import numpy as np
import pytest

from attention.example import EARLY5, S5, W_K, W_Q1, W_V, embed
from docs_ext.fences import tile_stepper
from tests.site.fences.reading import HEAD, read, refuses, text

SPEC = HEAD | {"id": "t", "caption": "c", "selected": "ran"}
ELL = "\N{SCRIPT SMALL L}"
SCORES = [3, 2, 0, 1, 0]  # doublings
VALUES = [(8, 0), (4, 4), (0, 0), (0, 8), (0, 0)]


def parse(**change):
    return read(tile_stepper.render(SPEC | change))


def exact(tiles):
    """Return (m, l, o) after every tile: sums over all keys read so far, in fractions."""
    registers = []
    for n in range(1, len(tiles) + 1):
        keys = list(chain(*tiles[:n]))
        m = max(SCORES[key] for key in keys)
        powers = {key: Fraction(2) ** (SCORES[key] - m) for key in keys}
        registers.append(
            (m, sum(powers.values()), [sum(p * VALUES[key][c] for key, p in powers.items()) for c in (0, 1)])
        )
    return registers


@pytest.mark.parametrize("order", tile_stepper.ORDERS)
@pytest.mark.parametrize("size", range(1, 6))
def test_every_trace_agrees_with_plain_sums_and_ends_the_same(order, size):
    x = embed(S5, EARLY5)
    tiles = tile_stepper.tiles_of(5, size, order)
    assert sorted(chain(*tiles)) == list(range(5))
    assert sorted(map(len, tiles))[1:] == [size] * (len(tiles) - 1)
    steps = list(tile_stepper.trace(x[4:] @ W_Q1, x @ W_K, x @ W_V, tiles))
    before = None
    for step, (m, l, o) in zip(steps, exact(tiles), strict=True):
        np.testing.assert_allclose([step.m, step.l, *step.o], [m, float(l), *map(float, o)], rtol=1e-12)
        np.testing.assert_allclose(step.so_far, [float(part / l) for part in o], rtol=1e-12, atol=1e-12)
        assert step.rescale == (None if before is None else 2.0 ** (before - m))
        before = m
    assert steps[-1].so_far.round(12).tolist() == [5, 2]


def test_the_prediction_and_the_sentence_come_from_the_package():
    document = parse()
    answer = text(document.find(".//details/p"))
    assert f"m = 0, {ELL} = 1, o = (0, 0) instead of m = 3, {ELL} = 1.5, o = (10, 2)" in answer
    assert f"m = 3, {ELL} = 2, o = (10, 4) both times, and the result is (5, 2)." in answer
    says = (
        f"Tiles of 2, first to last. After step 3 of 3: m = 3, {ELL} = 2, o = (10, 4); o / {ELL} = (5, 2), the result."
    )
    assert text(document.find(".//output")) == says


REFUSED = {
    "empty tiles": ({"tile": 0}, "tile", "from 1 to 5: 0"),
    "too large": ({"tile": 6}, "tile", "from 1 to 5: 6"),
    "no number": ({"tile": True}, "tile", "True"),
    "no values": ({"w_v": None}, None, "give v"),
    "fractions": ({"w_q": "W_Q1 / 3"}, None, "whole doublings"),
    "unknown word": ({"selected": "bird"}, "selected", "'bird'"),
}
test_what_does_not_fit_is_refused = refuses(tile_stepper.render, SPEC, REFUSED)
