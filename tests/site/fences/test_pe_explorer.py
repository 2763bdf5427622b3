"""The explorer of encodings: what its script draws against sines, cosines and the package, and what it refuses."""

import re

import numpy as np
import pytest

from attention import sinusoidal_encoding
from docs_ext.fences import pe_explorer
from tests.site.fences.reading import Figure

EXPLORER = Figure.sound("pe-explorer")


@pytest.mark.parametrize("hands", pe_explorer.SIZES)
def test_every_hand_of_a_clock_points_where_its_numbers_say(hands):
    root = EXPLORER.live(at=7, hands=hands)
    drawn = [[hand.get("style") for hand in clock.findall(".//{*}path[@style]")] for clock in root.findall(".//figure")]
    angles = np.array([[float(re.sub("[^0-9.]", "", style)) for style in clock] for clock in drawn])
    expected = sinusoidal_encoding(12, 2 * hands, base=2**hands)[7:].reshape(5, hands, 2)
    np.testing.assert_allclose(np.stack([np.sin(angles), np.cos(angles)], axis=-1), expected, atol=1e-12)


def test_the_text_begins_at_position_0_with_the_hands_of_the_fence():
    assert EXPLORER.call("first", EXPLORER.given) == {"at": 0, "hands": 2, "hand": 1}


def test_a_height_is_the_cosine_of_the_hand_that_is_read():
    heights = [
        float(b.text.replace("\N{MINUS SIGN}", "-")) for b in EXPLORER.live(at=3).findall(".//figcaption/span[2]/b")
    ]
    np.testing.assert_allclose(heights, np.cos((3 + np.arange(len(heights))) / 2), atol=0.005)


@EXPLORER.on_500_states
def test_500_states_are_the_packages(rng):
    n, at, hands = int(rng.integers(1, 9)), int(rng.integers(0, 21)), int(rng.choice(pe_explorer.SIZES))
    readings = sinusoidal_encoding(at + n, 2 * hands, base=2**hands)[at:]
    one = sinusoidal_encoding(2, 2 * hands, base=2**hands)[1].reshape(hands, 2)
    speeds = np.arctan2(*one.T)  # where position 1 points: no hand turns by more than 1 radian
    return {"words": ["w"] * n}, {"at": at, "hands": hands}, {"readings": readings, "turned": at * speeds}
