"""The page on what attention can do: its two layers against a loop over words, and its drawing against them."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.site.learn.page_functions import names
from tests.site.pages import ROOT

PAGE = names("what-attention-can-and-cannot")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("length", [2, 7, 60])
def test_the_two_layers_hand_over_the_mean_of_all_followers(rng, length):
    words = PAGE["words"]
    for _ in range(50):
        text = [words[i] for i in rng.integers(1, 5, length)]
        text[0] = text[-1]  # so that it stood there before
        followers = [words.index(after) for word, after in pairwise(text) if word == text[-1]]
        expected = np.bincount(followers, minlength=5) / len(followers)
        np.testing.assert_allclose(PAGE["two_layers"](["start", *text])[-1], expected, rtol=0, atol=1e-12)


def test_the_drawing_shows_where_the_two_layers_look():
    drawing = ElementTree.parse(ROOT / "docs/assets/diagrams/two-layers.svg").getroot()
    rows = [[label.text for label in group.findall(f"{SVG}text")] for group in drawing.findall(f"{SVG}g[@font-size]")]
    text, notes = rows
    assert notes == [f"after {word}" for word in text[:-1]]  # start has none
    arcs = {
        group.get("data-layer"): {(int(arc.get("data-from")), int(arc.get("data-to"))) for arc in group}
        for group in drawing.findall(f"{SVG}g[@data-layer]")
    }
    assert arcs["1"] == {(i, i - 1) for i in range(1, len(text))}
    found = PAGE["words"][PAGE["two_layers"](text)[-1].argmax()]
    assert arcs["2"] == {(len(text) - 1, text.index(found))}
    centres = [float(label.get("x")) for label in drawing.find(f"{SVG}g[@font-size='18']")]
    for arc in drawing.iter(f"{SVG}path"):
        if arc.get("data-from"):
            start, *_, end = map(float, re.findall(r"([\d.]+) [\d.]+", arc.get("d")))
            np.testing.assert_allclose(
                [start, end], [centres[int(arc.get(f"data-{w}"))] for w in ("from", "to")], atol=5
            )
