"""What somebody sees who is sent a page's address: its question, its description and a picture of its own."""

import re
from hashlib import sha256

import numpy as np
import pytest

pytest.importorskip("mkdocs", reason="building the site needs the docs extra")
html5lib = pytest.importorskip("html5lib", reason="parsing the site needs the dev extra")

from docs_ext.site.cards import card  # noqa: E402
from docs_ext.site.moved import MOVED  # noqa: E402
from tests.site.pictures import read_png  # noqa: E402

SITE = "https://site.test/attention/"  # as tests/conftest.py builds it
ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" fill="#3949ab"/></svg>'


@pytest.fixture(scope="module")
def said(site):
    """Return what each page says in its head: a meta's name, and what it holds."""
    said = {}
    for path in sorted(site.rglob("index.html")):
        name = path.relative_to(site).as_posix().removesuffix("index.html")
        if name not in MOVED:
            root = html5lib.parse(path.read_text("utf-8"), namespaceHTMLElements=False)
            metas = {meta.get("property") or meta.get("name"): meta.get("content") for meta in root.iter("meta")}
            links = {link.get("rel"): link.get("href") for link in root.iter("link")}
            said[name] = metas | links | {"": next(root.iter("title")).text.strip()}
    return said


@pytest.fixture(scope="module")
def pictures(site, said):
    return {name: (site / head["og:image"].removeprefix(SITE)).read_bytes() for name, head in said.items()}


def test_a_page_says_to_others_what_it_says_to_a_search_engine(said):
    for name, head in said.items():
        assert head[""].startswith(head["og:title"]), name
        assert head["og:description"] == head["description"], name
        assert head["og:url"] == head["canonical"] == SITE + name
        assert head["og:type"] == ("article" if name else "website")
        assert head["twitter:card"] == "summary_large_image"


def test_each_page_has_a_picture_of_its_own(pictures):
    assert len({sha256(picture).digest() for picture in pictures.values()}) == len(pictures) > 60
    assert {name: len(picture) for name, picture in pictures.items() if len(picture) > 40_000} == {}


def test_no_words_meet_others_or_leave_the_picture(pictures):
    for name, picture in pictures.items():
        pixels = read_png(picture)
        assert pixels.shape == (630, 1200, 3)
        white = (pixels == 255).all(-1)
        for where, gap in {
            "left": np.s_[12:, :72],
            "between question and grid": np.s_[110:, 665:685],
            "right": np.s_[12:, 1152:],
            "above the question": np.s_[112:130, :665],
            "above the part": np.s_[530:545, :665],
            "below": np.s_[590:, :],
        }.items():
            assert white[gap].all(), f"{name or 'the first page'}: {where}"
        assert not white[130:530, 72:665].all(), f"{name}: no question"
        assert not white[545:590, 72:665].all(), f"{name}: no part"


def test_the_picture_needs_no_font_of_the_machine():
    svg = card("Why divide by √dₖ? (scaling)", "Core", "Attention, line by line", ICON)
    assert "<text" not in svg
    assert not re.search(r"font|e[-+]\d|nan", svg)


def test_the_weights_are_those_of_the_package():
    # "that", "chased" and "ran" give a half to cat, or to dog if they ask for the last noun; a causal row sees itself
    def colours(part):
        svg = card("A", part, "B", ICON)
        return re.findall(r'<rect x="\d+" y="\d+"[^>]*fill="(.*?)"', svg)

    first, last, causal = map(colours, ("Core", "Models", "Engineering"))
    half, none = first[5], causal[1]
    assert [n for n, colour in enumerate(first) if colour == half] == [5, 10, 20]
    assert [n for n, colour in enumerate(last) if colour == half] == [8, 13, 23]
    assert [n for n, colour in enumerate(causal) if colour == none] == [1, 2, 3, 4, 7, 8, 9, 13, 14, 19]


def test_screens_that_take_no_svg_have_an_icon(site, said):
    assert {head["apple-touch-icon"].removeprefix("../../").removeprefix("../") for head in said.values()} == {
        "assets/icon.png"
    }
    icon = read_png((site / "assets/icon.png").read_bytes())
    assert icon.shape == (180, 180, 3)
    assert icon[0, 0].tolist() == icon[179, 179].tolist() == [0x39, 0x49, 0xAB], "the corners are cut by who shows it"
