"""The rotation dial: what its script draws against sines and cosines and the package, and what it refuses."""

import math
import re

import numpy as np
import pytest

from attention import apply_rotary, rotary_tables
from docs_ext.extensions import fences
from docs_ext.fences import rotation_dial
from docs_ext.html import renderer
from docs_ext.html.numbers import number, vector
from tests.site.fences.reading import plain, read, refuses, rows

SCRIPT = "widgets/rotation-dial.js"
SPEC = {
    "id": "d",
    "caption": "c",
    "positions": [2, 1],
    "turns": [90, 15],
    "query": [1, 0, 1, 0],
    "key": [1, 0, 1, 0],
}


def parse(spec):
    return read(fences.draw("rotation-dial", spec))


@pytest.mark.parametrize("positions", [(2, 1), (0, 12), (7, 7)], ids=str)
def test_every_pair_is_turned_by_its_own_angle(positions):
    query, key, turns = [3, 4, -1, 2], [0.5, -2, 1, 1], [150, 45]
    shown = parse(SPEC | {"positions": list(positions), "query": query, "key": key, "turns": turns})
    total = 0
    for i, (_, turn, _, q, k, adds) in enumerate(rows(shown)):
        vectors = []
        for (a, b), position, found in ((query[2 * i :][:2], positions[0], q), (key[2 * i :][:2], positions[1], k)):
            angle = math.radians(position * turns[i])
            expected = a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)
            vectors.append(expected)
            assert found.replace("-", "\N{MINUS SIGN}") == vector(expected)
        product = sum(x * y for x, y in zip(*vectors, strict=True))
        assert turn == f"{turns[i]}°"
        assert adds.replace("-", "\N{MINUS SIGN}") == number(product)
        total += product
    assert plain(shown.find(".//tfoot//td")).replace("-", "\N{MINUS SIGN}") == number(total)


def test_500_states_are_the_packages():
    rng = np.random.default_rng(0)
    for _ in range(500):
        query, key = rng.standard_normal((2, 3, 2))
        steps, (m, n) = rng.integers(0, 13, 3), rng.integers(0, 13, 2).tolist()
        state = {"p0": m, "p1": n} | {f"t{i}": int(step) for i, step in enumerate(steps)}
        shown = renderer.call(SCRIPT, "compute", {"query": query, "key": key, "step": 15}, state)
        both = []
        for pairs, position in ((query, m), (key, n)):
            cos, sin = rotary_tables(position * np.radians(15 * steps), 2)
            both.append(apply_rotary(pairs, cos, sin, layout="interleaved"))
        np.testing.assert_allclose([shown["query"], shown["key"]], both, rtol=0, atol=1e-12)
        np.testing.assert_allclose(shown["adds"], (both[0] * both[1]).sum(axis=1), rtol=0, atol=1e-12)
        np.testing.assert_allclose(shown["product"], (both[0] * both[1]).sum(), rtol=0, atol=1e-12)


def test_a_hand_points_where_its_vector_does_and_the_longest_reaches_the_rim():
    drawn = fences.draw("rotation-dial", SPEC | {"query": [3, 0, 0, 1], "turns": [0, 0]})
    hands = re.findall(r'class="first" d="(.*?)"', drawn)
    assert hands == ["M0 0L17.000 0.000", f"M0 0L0.000 {-17 / 3:.3f}"]  # up is minus in a drawing


def test_the_sentence_counts_from_the_query():
    says = [plain(parse(SPEC | {"positions": [m, n]}).find(".//output")) for m, n in ((2, 1), (1, 3), (3, 3))]
    sentence = ", wherever the two are in the text."
    assert says[0] == "The key stands 1 before the query: the dot product is 0.966" + sentence
    assert says[1].startswith("The key stands 2 after the query: the dot product is -0.134,")
    assert says[2].startswith("The key stands where the query stands: the dot product is 2,")


def test_the_prediction_is_answered():
    answer = plain(parse(SPEC).find(".//details/p"))
    assert "At 3 and 2 it is 0.966" in answer
    assert f"at 3 and 1 it is {math.cos(math.pi) + math.cos(math.radians(30)):.3f}." in answer


REFUSED = {
    "too far": ({"positions": [1, 13]}, "positions", "0 to 12"),
    "one position": ({"positions": 4}, "positions", "two"),
    "between two steps": ({"turns": [90, 10]}, "turns", "steps of 15"),
    "more than half a turn": ({"turns": [90, 195]}, "turns", "0 to 180"),
    "no pair": ({"turns": []}, "turns", "degrees"),
    "too few features": ({"query": [1, 0]}, "query", "4 numbers"),
    "no hand to draw": ({"key": [0, 0, 0, 0]}, "key", "4 numbers"),
}
test_what_does_not_fit_is_refused = refuses(rotation_dial.data, SPEC, REFUSED)
