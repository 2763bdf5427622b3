"""Numbered formulas: what is refused, and that each of the site leads to code and to a check that runs."""

import re

import pytest

from docs_ext.reading.equations import equations, faults
from docs_ext.reading.page import load
from docs_ext.reading.page import read as parsed
from tests.site.pages import ROOT

PAGES = sorted((ROOT / "docs").rglob("*.md"))
LINKS = "[Code][attention.numerics.softmax] · [Source](#here): ours, §2 · [Checked by](#by-hand)"


def formula(number, links=LINKS, tex="x"):
    below = ["", links, "{ .formula-links }", ""] if links else [""]
    return ["$$", tex, rf"\tag{{{number}}}", "$$", *below]


def read(page):
    return load(page.relative_to(ROOT / "docs").as_posix())


def of_lines(lines):
    return parsed("a.md", "\n".join(lines))


ALL = [(page, equation) for page in PAGES for equation in equations(read(page))]


def ids(case):
    page, equation = case
    return f"{page.stem}({equation.number})"


ALLOWED = {
    "a definition": [*formula(1, "Source: definition"), *formula(2)],
    "a definition with code": formula(1, "Code: `x @ y` · Source: definition · [Checked by](#by-hand)"),
    "code on the page, and a test by its name": formula(
        1, "[Code](#here) · [Source](#here): ours · Checked by `tests/a.py::test_b`"
    ),
}
REFUSED = {
    "no first number": (formula(2), 1, "(2) stands where (1) is due"),
    "a number twice": ([*formula(1), *formula(1)], 9, "(1) stands where (2) is due"),
    "a number left out": ([*formula(1), "", *formula(3)], 10, "(3) stands where (2) is due"),
    "no links": ([*formula(1), *formula(2, "")], 9, "(2): under it nothing says Code, Source, Checked by"),
    "words in between": ([*formula(1, ""), "Words.", "", *formula(2)[4:]], 1, "nothing says Code"),
    "no function": (formula(1, "[Source](#here): ours · [Checked by](#by-hand)"), 1, "nothing says Code;"),
    "no check": (formula(1, "[Code](#here) · [Source](#here): ours"), 1, "nothing says Checked by;"),
    "an empty check": (formula(1, "[Code](#here) · [Source](#here): ours · Checked by:"), 1, "Checked by;"),
    "no source": (formula(1, "[Code](#here) · [Checked by](#here)"), 1, "nothing says Source;"),
    "a misspelt label": (formula(1, LINKS.replace("Checked", "Proved")), 1, "nothing says Checked by;"),
    "links without a formula": (["", *formula(1)[4:7]], 4, "belongs under a numbered formula"),
    "links of an unnumbered one": (["$$", "x", "$$", *formula(1)[4:7]], 6, "belongs under a numbered formula"),
}


@pytest.mark.parametrize("lines", ALLOWED.values(), ids=ALLOWED)
def test_what_is_allowed(lines):
    assert not list(faults(of_lines(lines)))


@pytest.mark.parametrize(("lines", "number", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused_is_told_with_its_line(lines, number, words):
    line, said = next(faults(of_lines(lines)))
    assert line == number
    assert words in said


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT / "docs").as_posix())
def test_no_page_has_a_fault_and_none_of_its_numbers_is_overlooked(page):
    assert not list(faults(read(page)))
    assert page.read_text("utf-8").count("\\tag{") == len(equations(read(page)))


CALL_IT = {"attention_weights": ("attention_weights", "scaled_dot_product_attention", "attend(")}


@pytest.mark.parametrize("case", [case for case in ALL if "Checked by" in case[1].parts], ids=ids)
def test_what_checks_a_formula_is_an_example_of_the_function_that_is_named(case):
    page, equation = case
    check, function = equation.parts["Checked by"], (equation.parts["Code"].function or "").rpartition(".")[2]
    address, _, anchor = check.target[1:-1].partition("#")
    found = "".join(consoles_below((page.parent / address).resolve() if address else page, anchor))
    assert found, f"{page.name}{check.target}: no example stands there"
    assert any(name in found for name in CALL_IT.get(function, [function])), f"{page.name}: {function} is not called"


def consoles_below(page, anchor):
    """Return the consoles from an anchor to the next heading."""
    found = read(page)
    starts = [number for number, line in enumerate(found.lines, 1) if anchor in anchors(line)]
    assert len(starts) == 1, f"{page.name}#{anchor} is there {len(starts)} times"
    headings = (block.line for block in found.blocks if block.kind == "heading" and block.line > starts[0])
    end = next(headings, len(found.lines))
    return [block.text for block in found.fences("pycon") if starts[0] < block.line < end]


def anchors(line):
    """Yield the anchor that a line sets by itself, or as a heading."""
    given = re.search(r"\{[^}]*#([\w-]+)[^}]*\}$", line)
    heading = re.match(r"#{1,6} +(.+)$", line)
    if given:
        yield given[1]
    elif heading:
        yield re.sub(r"[^\w\s-]", "", heading[1]).strip().lower().replace(" ", "-")
