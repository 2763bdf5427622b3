"""Every public function has a page that explains it and a file that tests it, or is named here."""

import ast

import pytest

import attention
from docs_ext.reading.crosslinks import checked_in, explained_in, pages, path_of
from tests.site.pages import ROOT

PUBLIC = [name for name in attention.__all__ if not name.endswith("Options")]  # which only tell what there is


@pytest.mark.parametrize("name", PUBLIC)
def test_a_page_explains_the_function(name):
    assert explained_in(path_of(name)), f"no page of docs/learn links to [{name}][{path_of(name)}]"


@pytest.mark.parametrize("name", PUBLIC)
def test_its_file_of_tests_uses_the_function(name):
    file = ROOT / checked_in(path_of(name))
    assert file.is_file(), f"{name} has no tests: {file.relative_to(ROOT)} is missing"
    tree = ast.parse(file.read_text("utf-8"))
    read = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Attribute))}
    assert {name, f"at.{name}"} & read, f"{file.relative_to(ROOT)} does not use {name}"


def test_pages_stand_in_the_order_of_the_menu_and_know_their_formulas():
    found = {page.source: page for page in pages()}
    sources = list(found)
    assert sources[:2] == ["index.md", "learn/ten-minutes.md"]
    assert sources.index("learn/masks.md") < sources.index("learn/heads.md") < sources.index("reference/masks.md")
    pages_of_the_menu = (path for path in (ROOT / "docs").rglob("*.md") if not path.match("solutions-*"))
    assert set(sources) == {path.relative_to(ROOT / "docs").as_posix() for path in pages_of_the_menu}
    assert found["learn/scaling.md"].heading == "Why divide by √dₖ?"
    assert [equation.number for equation in found["learn/scores-and-softmax.md"].equations] == ["1", "2", "3"]
