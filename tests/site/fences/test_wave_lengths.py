"""The wavelengths as they stand without a script: the page's functions, counts pair by pair, and what it refuses."""

import math

import numpy as np
import pytest

from docs_ext.fences import wave_lengths
from docs_ext.fences.wave_lengths import Head, change
from tests.site.fences.reading import read, refuses, rows, text
from tests.site.learn.page_functions import names

SPEC = {"id": "w", "caption": "c", "rule": "yarn", "factor": 4, "trained": 4096, "base": 10000, "features": 128}
HEADS = [
    Head(4, 4096, 10000, 128),
    Head(8, 8192, 500000, 128),
    Head(64, 512, 2, 16),
    Head(1, 131072, 10**7, 64),
    Head(2, 1024, 123456, 64),
]


def parse(spec):
    return read(wave_lengths.render(spec))


@pytest.mark.parametrize("head", HEADS, ids=str)
def test_the_rules_are_those_of_the_page(head):
    page, theta = names("distance"), head.frequencies()
    expected = {
        "none": theta,
        "interpolation": page["interpolated"](theta, head.factor),
        "ntk": page["ntk_aware"](theta, head.factor),
        "yarn": page["yarn"](head.features, float(head.base), head.factor, head.trained),
        "llama": page["by_parts"](theta, head.factor, head.trained, slow=1, fast=4),
    }
    assert expected.keys() == wave_lengths.RULES.keys()
    for rule, frequencies in expected.items():
        np.testing.assert_allclose(2 * np.pi / change(rule, head).after, frequencies, rtol=1e-12, atol=0)


@pytest.mark.parametrize("head", HEADS, ids=str)
@pytest.mark.parametrize("rule", wave_lengths.RULES)
def test_a_pair_meets_new_angles_if_it_goes_on_where_it_never_was(rule, head):
    made = change(rule, head)
    new = 0
    for before, after in zip(made.before, made.after, strict=True):
        shown = head.trained / before  # of a turn
        reached = head.factor * head.trained / after
        new += shown < 1 and reached > shown * (1 + 1e-9)
    assert made.new.sum() == new
    assert made.kept + made.between + made.whole == head.features / 2
    assert min(made.kept, made.between, made.whole) >= 0


def test_the_table_counts_for_every_rule():
    assert rows(parse(SPEC)) == [
        ["no rule", "18", "64", "0", "0", "57.3", "1.000"],
        ["position interpolation", "0", "0", "0", "64", "14.3", "1.000"],
        ["NTK-aware", "17", "1", "62", "1", "57.3", "1.000"],
        ["YaRN", "0", "21", "25", "18", "57.3", f"{(0.1 * math.log(4) + 1) ** 2:.3f}"],
        ["Llama 3.1", "0", "36", "10", "18", "57.3", "1.000"],
    ]
    assert [row.get("data-rule") for row in parse(SPEC).findall(".//tbody/tr[@data-chosen]")] == ["yarn"]


def test_every_pair_is_drawn_from_its_wavelength_before_to_that_after():
    root = parse(SPEC | {"rule": "none", "features": 16})
    paths = root.findall(".//{*}g[@class='pairs']/{*}path")
    assert len(paths) == 8
    decades = 5  # up to 100 thousand: the longest is 4 times 2 pi 10000^(7/8)
    for c, path in enumerate(paths):
        x = 8 + 384 * math.log10(2 * math.pi * 10000 ** (c / 8)) / decades
        assert path.get("d") == f"M{x:.1f} 40V54L{x:.1f} 106V120"
    assert [path.get("class") for path in paths] == [None] * 6 + ["new"] * 2
    assert [text(tick) for tick in root.findall(".//{*}g[@class='ticks']/{*}text")][-1] == "100k"
    lengths = [text(label) for label in root.findall(".//{*}g[@class='lengths']/{*}text")]
    assert lengths == ["trained on 4,096", "to read 16,384"]


REFUSED = {
    "rule": ({"rule": "magic"}, "rule", ["none", "llama"]),
    "factor": ({"factor": 3}, "factor", "1, 2, 4"),
    "trained": ({"trained": 4000}, "trained", "512, 1024"),
    "Boolean": ({"factor": True}, "factor", "one of"),
    "base": ({"base": 1}, "base", "from 2 to"),
    "base in words": ({"base": "ten"}, "base", "whole number"),
    "features": ({"features": 12}, "features", "16, 64, 128"),
}
test_what_does_not_fit_is_refused = refuses(wave_lengths.render, SPEC, REFUSED)
