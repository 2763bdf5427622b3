"""The page Kill the mutant: what it tells a newcomer to type does what it says, and each solution kills its mutant."""

import re
from html import unescape
from pathlib import Path

import pytest

from attention.practice import doctests
from attention.practice.__main__ import main
from attention.practice.kill import FILE, SURVIVORS
from attention.practice.mutants import NAMES
from tests.site.pages import ROOT, page

PAGE = ROOT / "docs/practice/kill-the-mutant.md"
TEXT = PAGE.read_text("utf-8")
SOLUTIONS = dict(re.findall(r'^\?\?\? question "`([\w-]+)`: .+"\n((?:    .*\n|\n)+)', TEXT, re.MULTILINE))
COMMANDS = re.findall(r"^    (python -m .+)$", TEXT, re.MULTILINE)


def test_every_mutant_has_one_solution_in_the_order_of_the_list():
    assert list(SOLUTIONS) == NAMES
    for name, solution in SOLUTIONS.items():
        assert re.findall(r"<!-- mutant (\S+) -->", solution) == [name]


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_kills_its_mutant(name):
    Path("solution.md").write_text(SOLUTIONS[name], "utf-8")  # pytest runs it on the right package, with its page
    result = doctests.run("solution.md", name, seconds=120)
    assert result.failures


def test_a_newcomer_who_does_what_the_page_says_sees_what_it_shows(site, capsys):
    _, start, run = (command.split()[3:] for command in COMMANDS)
    assert main(start) == 0
    before, end, after = Path(FILE).read_text("utf-8").rpartition('"""')
    built = (site / "practice/kill-the-mutant/index.html").read_text("utf-8")
    copied = unescape(re.search(r'data-copy="([^"]*)"', built)[1])  # what the button of the first block gives
    assert copied.startswith(">>> from attention")
    Path(FILE).write_text(f"{before}{copied}\n\n{end}{after}", "utf-8")
    capsys.readouterr()
    assert main([*run, "--seconds", "120"]) == SURVIVORS
    printed = capsys.readouterr().out
    (shown,) = page(PAGE).fences("text")
    assert printed == f"{shown.text}\n"
