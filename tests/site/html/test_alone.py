"""Figures that stand alone: what Python draws of them is what the script draws first, and both are small."""

import html
import re

import numpy as np
import pytest

from attention.show import arcs, assets, grid, heads, page
from attention.show.still import NO, still
from docs_ext.html import renderer

RNG = np.random.default_rng(0)
CASES = {
    "grid": lambda: grid(RNG.dirichlet(np.ones(5), 5), ["a", "<b>", "a", "x" * 40, "שלום"]),
    "cross": lambda: grid(RNG.dirichlet(np.ones(3), 2), (["a", "b"], ["c", "d", "e"])),
    "causal": lambda: arcs(np.tril(np.ones((6, 6))) / np.arange(1, 7)[:, None], "a bb ccc d e f", query=3),
    "heads": lambda: heads(RNG.dirichlet(np.full(40, 0.1), (2, 3, 40)), [f"t{i}" for i in range(40)], layers=[0, 1]),
    "two texts": lambda: heads(
        RNG.dirichlet(np.ones(4), (2, 3, 4)), "a b c d", controls=(RNG.dirichlet(np.ones(3), (2, 3, 3)), "e f g")
    ),
}


def alike(text):
    """Leave out spaces beside tags, which mean nothing."""
    return html.unescape(re.sub(r"\s*(<[^>]*?)\s*>\s*", r"\1>", re.sub(r"\s+", " ", text)))


@pytest.mark.parametrize("name", CASES)
def test_what_python_draws_is_what_the_script_draws_first(name, monkeypatch):
    drawn = []
    monkeypatch.setattr(page, "still", lambda data: drawn.append(data) or still(data))
    CASES[name]()
    texts = [
        {**text, "weights": np.where(text["codes"] == NO, None, text["codes"].astype(object)), "codes": None}
        for text in drawn[0]["texts"]
    ]
    given = renderer.plain(drawn[0] | {"texts": texts})
    first = renderer.call("show.js", "first", given)
    assert alike(renderer.call("show.js", "html", given, first, None)["text"]) == alike(still(drawn[0]))


def test_script_and_style_have_at_most_80_kilobytes_and_ask_for_nothing():
    script, style = assets.assets()
    assert len((script + style).encode()) <= 80_000
    assert not re.search(r"url\(|@import|@font-face|data-md-color|https?:|fetch\((?!\"?\))", script + style)
    for kept in ("head-browser .stage", ".attention-grid td[data-masked]", "prefers-color-scheme:dark", ".visually-"):
        assert kept in style
    for gone in (".katex", ".md-nav", "softmax-lab", "/*"):
        assert gone not in style
