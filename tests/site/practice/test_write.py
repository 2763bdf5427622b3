"""The page that leads to the writing path: its commands run, and its table and answer are those of the program."""

import re
from pathlib import Path

import pytest

import attention
from attention.practice.__main__ import main
from attention.practice.steps import STEPS
from attention.practice.write import FILE, RIGHT, SOME_WRONG
from tests.site.pages import ROOT, page

PAGE = ROOT / "docs/practice/write.md"
TEXT = PAGE.read_text("utf-8")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Stand in an empty folder, from which the package can be imported."""
    monkeypatch.setenv("PYTHONPATH", str(Path(attention.__file__).parents[1]))
    monkeypatch.chdir(tmp_path)


def test_the_table_has_the_steps_of_the_program_each_with_its_lesson():
    rows = re.findall(r'^\| (\d+) \| <span id="(\w+)"></span>(.+?) \| (.+?) \| \d+ \|$', TEXT, re.M)
    assert [(int(number), name) for number, name, _, _ in rows] == [(i, s.name) for i, s in enumerate(STEPS, 1)]
    for (_, _, functions, lessons), step in zip(rows, STEPS, strict=True):
        assert re.findall(r"`(\w+)`", functions) == list(step.functions)
        assert step.see.partition("#")[0] in re.findall(r"learn/([\w-]+)\.md", lessons)


def test_a_learner_who_does_what_the_page_says_sees_what_it_shows(capsys):
    install, start, run = re.findall(r"^    (python -m .+)$", TEXT, re.M)
    assert install.endswith(f"/attention_line_by_line-{attention.__version__}-py3-none-any.whl")
    assert main(start.split()[3:]) == RIGHT
    (body,), (shown,) = page(PAGE).fences("python"), page(PAGE).fences("text")
    empty = Path(FILE).read_text("utf-8")
    Path(FILE).write_text(empty.replace("    ...", f"    {body.text.strip()}", 1), "utf-8")
    capsys.readouterr()
    assert main(run.split()[3:]) == SOME_WRONG
    printed = capsys.readouterr().out
    first, last = f"{shown.text}\n".split("...\n")
    assert printed.startswith(first)
    assert printed.endswith(last)
