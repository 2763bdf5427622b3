"""CONTRIBUTING.md is short, and what it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
OPTIONAL = {"docs/assets/css/fences/rotation-dial.css"}  # only if the widget has a style of its own
NEW = re.compile(r"how-long|bar[-_]chart")  # what the walk-throughs write


def test_it_can_be_read_in_one_go():
    assert len(TEXT.splitlines()) <= 80


def test_every_file_and_folder_that_it_names_is_there():
    named = set(re.findall(r"\b(?:attention|docs|docs_ext|tests)/[\w/.-]*[\w/]", TEXT))
    assert len(named) > 15
    assert not [name for name in sorted(named - OPTIONAL) if not NEW.search(name) and not (ROOT / name).exists()]


def test_every_file_that_the_walk_throughs_promise_is_written(tmp_path):
    promised = set(re.findall(r"`([\w/-]+/[\w.-]+\.(?:py|js|md))`", TEXT))
    templates = {
        path.relative_to(ROOT / f"tools/templates/{kind}")
        .as_posix()
        .replace("snake_name", name)
        .replace("kebab-name", name)
        for kind, name in (("page", "how-long"), ("widget", "bar-chart"))
        for path in (ROOT / f"tools/templates/{kind}").rglob("*.*")
    }
    assert {name.replace("_", "-") for name in promised if NEW.search(name)} == {n.replace("_", "-") for n in templates}


def test_the_floors_are_those_of_docs_ext():
    floors = re.findall(r"^    (?:docs_ext/| {4}[│▼]) +([a-z]+) ", TEXT, re.MULTILINE)
    assert sorted(floors) == sorted(
        path.name for path in (ROOT / "docs_ext").iterdir() if path.joinpath("__init__.py").exists()
    )


def test_the_commands_exist():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    rules = {name for rule in re.findall(r"^([a-z -]+):", makefile, re.MULTILINE) for name in rule.split()}
    assert set(re.findall(r"`make ([a-z-]+)", TEXT)) <= rules
