"""The page that leads to the writing path: its commands run, and its table and answer are those of the program."""

import json
import re
from html import unescape
from pathlib import Path

import attention
from attention.practice.__main__ import main
from attention.practice.addresses import address
from attention.practice.mistakes import MISTAKES
from attention.practice.sheet import TASKS, source
from attention.practice.steps import STEPS
from attention.practice.write import FILE, RIGHT, SOME_WRONG
from tests.package.practice.solutions import BODIES, filled
from tests.site.pages import ROOT, page

PAGE = ROOT / "docs/practice/write.md"
TEXT = PAGE.read_text("utf-8")


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


def test_a_lesson_ends_with_the_functions_to_write_after_it(site):
    for number, step in enumerate(STEPS, 1):
        html = (site / "learn" / step.see.partition("#")[0] / "index.html").read_text("utf-8")
        assert f'practice/write/#{step.name}"><code>{step.name}</code></a>' in html
        assert re.search(rf"\(steps? (?:\d+ and )*{number}\b", html)


def test_a_mistake_leads_to_a_paragraph_that_is_there(site):
    for see in {one.see for one in MISTAKES} | {step.see for step in STEPS}:
        path, _, anchor = address(see).partition("#")
        html = (site / path / "index.html").read_text("utf-8")
        assert not anchor or re.search(rf'id="?{anchor}\b', html), see


def cells(site):
    assert 'href="write.ipynb" download' in (site / "practice/write/index.html").read_text("utf-8")
    return json.loads((site / "practice/write/write.ipynb").read_text("utf-8"))["cells"]


def test_the_notebook_has_the_functions_of_the_file_each_with_its_check(site):
    code = [cell["source"] for cell in cells(site) if cell["cell_type"] == "code"]
    assert [text for text in code if text.startswith("def ")][1:] == [source(task).rstrip() for task in TASKS]
    checks = [text for text in code if text.startswith("check_step")]
    assert checks == [f'check_step("{step.name}", globals())' for step in STEPS]
    assert not any(cell["outputs"] for cell in cells(site) if cell["cell_type"] == "code")
    lessons = [cell["source"] for cell in cells(site) if cell["source"].startswith("## Step")]
    assert all(address(step.see) in text for step, text in zip(STEPS, lessons, strict=True))


def test_the_notebook_runs_empty_and_filled_in(site, capsys):
    solved = {text.split("(")[0]: f"def {text}" for text in re.split(r"^def ", filled(BODIES), flags=re.M)[1:]}
    for fill in (dict, lambda: solved):
        names = {"__name__": "__main__"}
        for cell in cells(site)[2:]:  # without the check of the package
            name = cell["source"].partition("(")[0].removeprefix("def ")
            if cell["cell_type"] == "code":
                exec(fill().get(name, cell["source"]), names)
        found = re.findall(r"^ +\d+  \w+ +(\w+)$", capsys.readouterr().out, re.M)
        assert found == ["empty" if fill is dict else "right"] * len(STEPS)


def test_the_sheet_to_print_has_every_function_and_no_answer(site):
    html = (site / "practice/write-on-paper/index.html").read_text("utf-8")
    text = unescape(re.sub(r"<[^>]+>", "", html))
    for task in TASKS:
        asked, _, shown = source(task).rpartition("\n    ...")[0].partition("    >>> ")
        assert asked in text
        for line in re.sub(r"^ *(>>> )?", "", shown, flags=re.M).splitlines():
            assert line in text
    assert html.count('class="to-write"') + html.count("class=to-write") == len(TASKS)
    assert not any(body.strip().split("\n")[-1].strip() in text for body in BODIES.values())
