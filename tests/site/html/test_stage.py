"""The arcs over a sentence: where they begin and end, how thick they are, and that no two cross."""

import re
from itertools import combinations, pairwise

import numpy as np
import pytest

from docs_ext.html import renderer
from tests.site.fences.reading import read

WORDS = ["a", "chased", "cat", "and", "dog"]
CENTRES = [22, 96, 180.5, 245.5, 310.5]  # of columns 44, 104, 65, 65 and 65 wide


def drawn(row, weights):
    """Return the arcs by their keys: start, height, end, thickness."""
    paths = "".join(path["text"] for path in renderer.call("lib/stage.js", "arcs", WORDS, row, weights))
    arcs = {}
    for path in read(f"<svg>{paths}</svg>").findall(".//{*}path"):
        x, floor, _, top, _, _, end, _ = map(float, re.findall(r"-?[\d.]+", path.get("d")))
        arcs[int(path.get("data-key"))] = x, (floor - top) * 3 / 4, end, float(path.get("stroke-width"))
    return arcs


@pytest.mark.parametrize("row", range(5))
def test_arcs_leave_a_word_side_by_side_and_end_above_the_others(row):
    weights = [1 / 16, 1 / 4, 1 / 2, 1 / 16, 1 / 8]
    arcs = drawn(row, weights)
    spread = [(start - thick / 2, start + thick / 2) for start, _, _, thick in arcs.values()]
    _, _, loop_end, loop = arcs[row]
    spread.append((loop_end - loop / 2, loop_end + loop / 2))
    spread.sort()
    assert all(left[1] <= right[0] + 1e-3 for left, right in pairwise(spread))
    assert np.mean([spread[0][0], spread[-1][1]]) == pytest.approx(CENTRES[row], rel=1e-5)
    reach = max(CENTRES[row] - CENTRES[0], CENTRES[4] - CENTRES[row])
    rise = min(0.4, 0.25 * (CENTRES[4] - CENTRES[0]) / reach)  # the farthest is as high as the stage
    for key, (_, high, end, thick) in arcs.items():
        assert thick == 28 * weights[key]
        assert (end, high) == pytest.approx(
            (CENTRES[key], 24 + rise * abs(CENTRES[key] - CENTRES[row])) if key != row else (loop_end, 19), rel=1e-5
        )
    for one, other in combinations([key for key in arcs if key != row], 2):
        if (one < row) == (other < row):  # the one that goes farther begins nearer to the middle
            near, far = sorted((one, other), key=lambda key: abs(key - row))
            assert (arcs[near][0] < arcs[far][0]) == (near < row)


def test_a_weight_that_is_hardly_there_can_be_seen_and_none_has_no_arc():
    arcs = drawn(1, [None, 0.9, 0.001, None, None])
    assert {key: arc[3] for key, arc in arcs.items()} == {1: 25.2, 2: 1.5}


def test_hanging_arcs_are_the_others_upside_down():
    up, down = (
        [way["d"] for way in renderer.call("lib/stage.js", "ways", WORDS, 2, [0.2] * 5, hang)] for hang in (0, 1)
    )
    floor = 110.125
    for one, other in zip(up, down, strict=True):
        standing, hanging = (np.reshape([*map(float, re.findall(r"-?[\d.]+", d))], (-1, 2)) for d in (one, other))
        np.testing.assert_allclose(hanging, np.column_stack([standing[:, 0], floor - standing[:, 1]]), atol=2e-3)


def test_a_stage_is_as_wide_as_its_words_and_as_high_as_the_longest_arc():
    stage = read(renderer.call("lib/stage.js", "stage", WORDS, "", "below")["text"]).find("div")
    high = 24 + 0.25 * (CENTRES[4] - CENTRES[0]) + 14
    assert stage.get("style") == f"--units:343;--high:{high:g};--font:26;--columns:44fr 104fr 65fr 65fr 65fr"
    assert stage.find("{*}svg").get("viewBox") == f"0 0 343 {high:g}"
