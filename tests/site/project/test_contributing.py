"""What CONTRIBUTING.md names is there."""

import re

from tests.site.pages import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
NEW = re.compile(r"how-long|bar[-_]chart")  # what a reader is to write


def test_every_file_and_folder_that_it_names_is_there():
    named = set(re.findall(r"\b(?:attention|docs|docs_ext|tests)/[\w/.-]*[\w/]", TEXT))
    assert len(named) > 15
    assert not [name for name in sorted(named) if not NEW.search(name) and not (ROOT / name).exists()]


def test_the_floors_are_those_of_docs_ext():
    floors = re.findall(r"^    (?:docs_ext/| {4}[│▼]) +([a-z]+) ", TEXT, re.MULTILINE)
    assert sorted(floors) == sorted(path.parent.name for path in (ROOT / "docs_ext").glob("*/__init__.py"))


def test_the_commands_exist():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    rules = {name for rule in re.findall(r"^([a-z -]+):", makefile, re.MULTILINE) for name in rule.split()}
    assert set(re.findall(r"`make ([a-z-]+)", TEXT)) <= rules
