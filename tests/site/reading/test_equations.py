"""Numbered formulas: what is refused, and that each of the site leads to code and to a check that runs."""

import re

import pytest

from docs_ext.reading.equations import equations, faults
from docs_ext.reading.page import load
from docs_ext.reading.page import read as parsed
from tests.site.pages import ROOT
from tests.tables import each_row

PAGES = sorted((ROOT / "docs").rglob("*.md"))


def read(page):
    return load(page.relative_to(ROOT / "docs").as_posix())


ALL = [(page, equation) for page in PAGES for equation in equations(read(page))]


def ids(case):
    page, equation = case
    return f"{page.stem}({equation.number})"


@each_row("text", "equations.toml", "allowed")
def test_what_is_allowed(text):
    assert not list(faults(parsed("a.md", text)))


@each_row("case", "equations.toml", "refused")
def test_what_is_refused_is_told_with_its_line(case):
    line, said = next(faults(parsed("a.md", case["page"])))
    assert line == case["line"]
    assert case["words"] in said


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
