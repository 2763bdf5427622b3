"""The wavelengths: the script's rules are the page's functions, counts are made pair by pair, and what is refused."""

import math

import numpy as np

from docs_ext.extensions import fences
from docs_ext.fences import wave_lengths
from docs_ext.fences.wave_lengths import BASES, FEATURES, RULES
from docs_ext.html import renderer
from tests.site.fences.reading import plain, read, refuses, rows, text
from tests.site.learn.page_functions import names

SCRIPT = "widgets/wave-lengths.js"
SPEC = {"id": "w", "caption": "c", "rule": "yarn", "factor": 4, "trained": 4096, "base": 10000, "features": 128}


def parse(spec):
    return read(fences.draw("wave-lengths", spec))


def test_500_heads_are_slowed_by_the_rules_of_the_page():
    rng, page = np.random.default_rng(0), names("distance")
    for case in range(500):
        s, n, rule = int(rng.integers(0, 7)), int(rng.integers(9, 18)), RULES[case % 5]
        base = BASES[case % 2] if case < 10 else int(np.exp(rng.uniform(*np.log(BASES))))
        features, factor, trained = int(rng.choice(FEATURES)), 2**s, 2**n
        theta = float(base) ** (-np.arange(0, features, 2) / features)
        slow = {
            "none": theta,
            "interpolation": page["interpolated"](theta, factor),
            "ntk": page["ntk_aware"](theta, factor),
            "yarn": page["yarn"](features, float(base), factor, trained),
            "llama": page["by_parts"](theta, factor, trained, slow=1, fast=4),
        }[rule]
        shown = renderer.call(SCRIPT, "compute", {}, {"rule": rule, "s": s, "n": n, "base": str(base), "d": features})
        np.testing.assert_allclose(shown["before"], 2 * np.pi / theta, rtol=1e-12, atol=0)
        np.testing.assert_allclose(shown["after"], 2 * np.pi / slow, rtol=1e-12, atol=0)
        seen = trained * theta / (2 * np.pi)  # turns in training
        reached = factor * trained * slow / (2 * np.pi)
        assert shown["fresh"] == ((seen < 1) & (reached > seen * (1 + 1e-9))).tolist()
        assert shown["never"] == (seen < 1).sum()
        slower = theta / slow
        kept, whole = np.isclose(slower, 1, rtol=1e-9), np.isclose(slower, factor, rtol=1e-9) & (factor > 1)
        assert [shown[what] for what in ("kept", "whole")] == [kept.sum(), whole.sum()]
        assert shown["between"] == features / 2 - kept.sum() - whole.sum()
        assert math.isclose(shown["degrees"], np.degrees(slow[0]), rel_tol=1e-12)
        assert math.isclose(shown["scores"], (0.1 * math.log(factor) + 1) ** 2 if rule == "yarn" else 1, rel_tol=1e-12)


def test_the_table_counts_for_every_rule():
    assert rows(parse(SPEC)) == [
        ["no rule", "18", "64", "0", "0", "57.3", "1.000"],
        ["position interpolation", "0", "0", "0", "64", "14.3", "1.000"],
        ["NTK-aware", "17", "1", "62", "1", "57.3", "1.000"],
        ["YaRN", "0", "21", "25", "18", "57.3", f"{(0.1 * math.log(4) + 1) ** 2:.3f}"],
        ["Llama 3.1", "0", "36", "10", "18", "57.3", "1.000"],
    ]
    assert [row.get("data-rule") for row in parse(SPEC).findall(".//tbody/tr[@data-chosen]")] == ["yarn"]
    assert plain(parse(SPEC).find(".//details/p")).startswith("17. Only the last pair is slowed by the whole factor.")


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
test_what_does_not_fit_is_refused = refuses(wave_lengths.data, SPEC, REFUSED)
