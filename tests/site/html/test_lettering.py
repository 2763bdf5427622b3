"""Letters as outlines: as wide as their fonts say, broken between words, and none of them missing."""

import re
from itertools import pairwise

import pytest

pytest.importorskip("fontTools", reason="drawing letters needs the docs extra")

from docs_ext.errors import SpecError
from docs_ext.html.lettering import lines, outline


def corners(text):
    """Return the numbers of a path that has absolute coordinates only, as points."""
    path = outline(text, 100).path
    assert not re.search("[a-z]", path)
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", re.sub(r"[HV][^A-Z]*", "", path))]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def test_a_line_has_the_width_that_its_font_says():
    assert outline("M", 100, "Main-Regular").width == pytest.approx(91.7)  # as in Computer Modern: 0.917 em
    assert outline("MM", 50, "Main-Regular").width == pytest.approx(91.7)


def test_letters_stand_side_by_side_and_upright():
    assert max(x for x, _ in corners("M")) <= 92 <= 2 * max(x for x, _ in corners("M"))
    assert max(x for x, _ in corners("MM")) > 92
    assert min(y for _, y in corners("M")) == pytest.approx(-68.3, abs=0.5)  # an SVG counts downwards


def test_a_lowered_letter_is_small_and_low_and_a_raised_one_high():
    assert outline("ₖ", 100).width == pytest.approx(0.7 * outline("k", 100).width)
    assert max(y for _, y in corners("ₖ")) > 10 > max(y for _, y in corners("k"))
    assert min(y for _, y in corners("²")) < min(y for _, y in corners("2")) - 10


def test_a_text_is_broken_where_the_next_word_would_not_fit():
    text, width = "a rather long text of a few short words", 300
    broken = lines(text, 40, width)
    words = [outline(word, 40).width for word in text.split()]
    assert len(broken) > 2
    assert all(line.width <= width for line in broken)
    assert all(line.width + min(words) > width / 2 for line, _ in pairwise(broken))
    assert [line.path for line in lines(text, 40, 1e6)] == [outline(text, 40).path]


def test_a_word_that_is_wider_than_the_line_keeps_its_line():
    assert len(lines("Extraordinarily wide", 40, 10)) == 2


def test_a_letter_that_no_font_has_stops_the_build():
    with pytest.raises(SpecError, match=r"no font of the site draws '字', which '漢字' has|draws '漢'"):
        outline("漢字", 10)
