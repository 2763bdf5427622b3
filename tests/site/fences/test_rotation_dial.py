"""The rotation dial as it stands without a script: its numbers from sines and cosines, and what it refuses."""

import math

import pytest

from docs_ext.fences import rotation_dial
from tests.site.fences.reading import plain, read, refuses, rows

SPEC = {
    "id": "d",
    "caption": "c",
    "positions": [2, 1],
    "turns": [90, 15],
    "query": [1, 0, 1, 0],
    "key": [1, 0, 1, 0],
}


def parse(spec):
    return read(rotation_dial.render(spec))


@pytest.mark.parametrize("positions", [(2, 1), (0, 12), (7, 7)], ids=str)
def test_every_pair_is_turned_by_its_own_angle(positions):
    query, key, turns = [3, 4, -1, 2], [0.5, -2, 1, 1], [150, 45]
    shown = rows(parse(SPEC | {"positions": list(positions), "query": query, "key": key, "turns": turns}))
    total = 0
    for i, (_, _, _, q, k, adds) in enumerate(shown):
        vectors = []
        for (a, b), position, found in ((query[2 * i :][:2], positions[0], q), (key[2 * i :][:2], positions[1], k)):
            angle = math.radians(position * turns[i])
            expected = a * math.cos(angle) - b * math.sin(angle), a * math.sin(angle) + b * math.cos(angle)
            vectors.append(expected)
            assert [number(part) for part in found.strip("()").split(", ")] == pytest.approx(expected, abs=6e-4)
        product = sum(x * y for x, y in zip(*vectors, strict=True))
        assert number(adds) == pytest.approx(product, abs=6e-4)
        total += product
    foot = plain(
        parse(SPEC | {"positions": list(positions), "query": query, "key": key, "turns": turns}).find(".//tfoot//td")
    )
    assert number(foot) == pytest.approx(total, abs=6e-4)


def number(written):
    numerator, _, denominator = written.partition("/")
    return float(numerator) / float(denominator or 1)


def test_the_sentence_counts_from_the_query():
    sentence = ", wherever the two are in the text."
    assert (
        plain(parse(SPEC).find(".//output")) == "The key stands 1 before the query: the dot product is 0.966" + sentence
    )
    assert rotation_dial.statement(1, 3, 0.0).startswith("The key stands 2 after the query: the dot product is 0,")
    assert rotation_dial.statement(3, 3, 2.0).startswith("The key stands where the query stands: the dot product is 2,")


def test_the_prediction_is_answered_by_the_package():
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
test_what_does_not_fit_is_refused = refuses(rotation_dial.render, SPEC, REFUSED)
