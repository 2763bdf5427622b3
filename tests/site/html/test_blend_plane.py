"""The plane of a blend: where its points lie, and that its arrows lead from nothing to the weighted sum."""

import re
from itertools import pairwise

import numpy as np

from docs_ext.html.blend_plane import SIDE, plane
from tests.site.fences.reading import read

NAMES, AXES = ["cat", "that", "chased", "dog"], ["cat", "dog"]
VALUES = np.array([[8.0, 0], [4, 4], [0, 0], [0, 8]])
WEIGHTS = np.array([1 / 2, 1 / 4, 1 / 8, 1 / 8])


def drawn(weights=WEIGHTS, values=VALUES):
    return read(plane("ran", NAMES, weights, values, AXES, "p"))


def in_features(x, y, values=VALUES):
    return np.array([float(x), -float(y)]) * values.max() / SIDE


def arrows(root):
    for path in root.findall(".//{*}path[@class='arrow']"):
        numbers = re.findall(r"-?[\d.]+(?:e-?\d+)?", path.get("d"))
        yield in_features(*numbers[:2]), in_features(*numbers[2:])


def test_each_value_is_a_point_and_those_at_one_place_share_it():
    root = drawn(values=np.array([[8.0, 0], [0, 0], [0, 0], [0, 8]]))
    points = root.findall(".//{*}circle[@class='corner']")
    found = [in_features(point.get("cx"), point.get("cy")).tolist() for point in points]
    assert found == [[8, 0], [0, 0], [0, 8]]
    assert [name.text for name in root.findall(".//{*}text[@class='corner-name']")] == ["cat", "that, chased", "dog"]


def test_the_arrows_lead_one_after_the_other_to_the_blend():
    found = list(arrows(drawn()))
    parts = [w * v for w, v in zip(WEIGHTS, VALUES, strict=True) if v.any()]  # a value of zeros has no arrow
    np.testing.assert_allclose([end - begin for begin, end in found], parts, atol=1e-4)
    np.testing.assert_array_equal(found[0][0], [0, 0])
    for (_, end), (begin, _) in pairwise(found):
        np.testing.assert_array_equal(end, begin)
    np.testing.assert_allclose(found[-1][1], WEIGHTS @ VALUES, atol=1e-4)


def test_the_end_is_named_by_what_the_word_receives():
    root = drawn()
    end = root.find(".//{*}g[@class='end']")
    x, y = re.findall(r"-?[\d.]+", end.get("transform"))
    np.testing.assert_allclose(in_features(x, y), [5, 2], atol=1e-4)
    assert end.find("{*}text").text == "ran (5, 2)"
