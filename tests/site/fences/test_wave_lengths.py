"""The wavelengths: the script's rules are the page's functions, counts are made pair by pair, and what is refused."""

import math

import numpy as np

from attention import rotary_frequencies
from docs_ext.fences.wave_lengths import BASES, FEATURES, RULES
from tests.site.fences.reading import Figure
from tests.site.learn.page_functions import names

WAVES = Figure.sound("wave-lengths")
PAGE = names("distance")


@WAVES.on_500_states
def test_500_heads_are_slowed_by_the_rules_of_the_page(rng):
    s, n, rule = int(rng.integers(0, 7)), int(rng.integers(9, 18)), str(rng.choice(RULES))
    base = int(rng.choice(BASES))
    features, factor, trained = int(rng.choice(FEATURES)), 2**s, 2**n
    theta = float(base) ** (-np.arange(0, features, 2) / features)
    slow = {
        "none": lambda: theta,
        "interpolation": lambda: PAGE["interpolated"](theta, factor),
        "ntk": lambda: PAGE["ntk_aware"](theta, factor),
        "yarn": lambda: rotary_frequencies(features, base=base, rule="yarn", factor=factor, n_trained=trained),
        "llama": lambda: PAGE["by_parts"](theta, factor, trained, slow=1, fast=4),
    }[rule]()
    seen = trained * theta / (2 * np.pi)  # turns in training
    reached = factor * trained * slow / (2 * np.pi)
    slower = theta / slow
    kept, whole = np.isclose(slower, 1, rtol=1e-9), np.isclose(slower, factor, rtol=1e-9) & (factor > 1)
    expected = {
        "before": 2 * np.pi / theta,
        "after": 2 * np.pi / slow,
        "fresh": (seen < 1) & (reached > seen * (1 + 1e-9)),
        "never": (seen < 1).sum(),
        "kept": kept.sum(),
        "whole": whole.sum(),
        "between": features / 2 - kept.sum() - whole.sum(),
        "degrees": np.degrees(slow[0]),
        "scores": (0.1 * math.log(factor) + 1) ** 2 if rule == "yarn" else 1,
    }
    return {}, {"rule": rule, "s": s, "n": n, "base": base, "d": features}, expected


def test_every_pair_is_drawn_from_its_wavelength_before_to_that_after():
    root = WAVES.still(rule="none", features=16)
    paths = root.findall(".//{*}g[@class='pairs']/{*}path")
    decades = 5  # up to 100 thousand: the longest is 4 times 2 pi 10000^(7/8)
    lengths = [8 + 376 * math.log10(2 * math.pi * 10000 ** (c / 8)) / decades for c in range(8)]
    assert [path.get("d") for path in paths] == [f"M{x:.1f} 40V54L{x:.1f} 106V120" for x in lengths]
