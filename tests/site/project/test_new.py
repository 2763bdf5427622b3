"""A new page, function or widget: what is written, the tests that fail until it is filled, and what is refused."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ruff", reason="ruff, of the docs extra, sorts the imports that are written")

from tools import new

ROOT = Path(__file__).parents[3]
READ = ("attention", "docs/reference", "docs_ext", "tests", "README.md", "conftest.py", "mkdocs.yml", "pyproject.toml")


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Copy what the scaffolds and their tests read."""
    folder = tmp_path_factory.mktemp("sound")
    for name in READ:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder)
    (folder / "docs/learn").mkdir()
    return folder


@pytest.fixture
def house(sound, tmp_path):
    return Path(shutil.copytree(sound, tmp_path / "house"))


def start(house, capsys, *words):
    """Write a new piece, and return what is printed."""
    new.main(list(words), house)
    return capsys.readouterr().out.splitlines()


def run(house, *command):
    clean = {name: value for name, value in os.environ.items() if name != "REFUSE_SKIPS"}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=house, env=clean | {"PYTHONPATH": "."}, capture_output=True, text=True
    )


def failing(house, *files):
    """Return the names of the tests that fail, and what the run said."""
    result = run(house, "pytest", "-q", "-p", "no:cacheprovider", *files, "tests/site/project/test_filled.py")
    assert result.returncode == 1, result.stdout + result.stderr
    return set(re.findall(r"^FAILED \S+::(\S+)", result.stdout, re.MULTILINE)), result.stdout.splitlines()


def test_a_page_stands_last_in_the_nav_and_fails_until_it_is_filled(house, capsys):
    said = start(house, capsys, "page", "how-long")
    page = "docs/learn/how-long.md"
    nav, line = said[1].split(":")
    lines = (house / nav).read_text("utf-8").splitlines()
    assert said[0] == page
    assert lines[int(line) - 1] == "      - learn/how-long.md"
    assert lines[int(line) - 2].startswith("      - learn/")
    assert not lines[int(line)].startswith("      - learn/")
    failed, output = failing(house, page)
    assert failed == {"how-long.md", "test_nothing_is_left_to_fill_in"}
    assert f"{page}:6: fill in: the question, as a learner asks it" in output
    assert "kebab-name" not in (house / page).read_text("utf-8")


def test_a_function_of_an_old_module_joins_it(house, capsys):
    before = (house / "attention/masks.py").read_text("utf-8")
    said = start(house, capsys, "function", "ladder_mask", "masks")
    tests = "tests/package/test_masks.py"
    assert {"attention/masks.py", tests, "attention/__init__.py"} <= set(said)
    code = (house / "attention/masks.py").read_text("utf-8")
    assert code.startswith(before)
    assert "def ladder_mask(x: ArrayLike) -> NDArray[Any]:" in code
    public = run(house, "timeit", "-n1", "-r1", "-s", "import attention", "assert 'ladder_mask' in attention.__all__")
    assert public.returncode == 0, public.stderr
    assert (house / "mkdocs.yml").read_text("utf-8") == (ROOT / "mkdocs.yml").read_text("utf-8")
    failed, output = failing(house, f"{tests}::test_ladder_mask_is_its_formula", "attention/masks.py")
    assert "test_ladder_mask_is_its_formula" in failed
    assert "attention.masks.ladder_mask" in failed
    assert "fill in: ladder_mask_in_loops, the formula of ladder_mask in loops over floats" in output
    assert "NotImplementedError: fill in: the body of ladder_mask" in output


def test_a_function_of_a_new_module_brings_its_page_and_its_tests(house, capsys):
    said = start(house, capsys, "function", "tropical", "semirings")
    files = {"attention/semirings.py", "tests/package/test_semirings.py", "docs/reference/semirings.md"}
    assert files < set(said)
    nav, line = next(word for word in said if word.startswith("mkdocs.yml:")).split(":")
    lines = (house / nav).read_text("utf-8").splitlines()
    assert lines[int(line) - 1] == "          - reference/semirings.md"
    assert lines[int(line) - 2].startswith("          - reference/")
    table, line = next(word for word in said if word.startswith("docs/reference/index.md:")).split(":")
    lines = (house / table).read_text("utf-8").splitlines()
    assert lines[int(line) - 1] == "| [semirings](semirings.md) | fill in: what is in it |"
    assert lines[int(line) - 2].startswith("| [")
    assert not lines[int(line)] or lines[int(line)].startswith("<!-- check:")  # it is the last row
    failed, output = failing(house, *files)
    assert failed == {
        "attention.semirings.tropical", "test_tropical_is_its_formula", "test_nothing_is_left_to_fill_in"
    }  # fmt: skip
    assert (
        "docs/reference/semirings.md:8: fill in: [The question of the page](../learn/line-by-line.md) explains it."
        in output
    )


def test_a_widget_is_four_files_that_draw_and_fail_until_they_are_filled(house, capsys):
    pytest.importorskip("html5lib", reason="html5lib is not installed: pip install -e .[dev]")
    said = start(house, capsys, "widget", "bar-chart")
    files = [
        "docs/assets/js/widgets/bar-chart.js",
        "docs_ext/fences/bar_chart.py",
        "tests/browser/fences/test_bar_chart.py",
        "tests/site/fences/test_bar_chart.py",
    ]
    assert said[:4] == files
    for file in files:
        text = (house / file).read_text("utf-8")
        assert "bar-chart" in text
        assert "kebab" not in text
        assert "snake" not in text
    failed, output = failing(house, files[3])
    assert failed == {
        "test_every_number_stands_in_the_table",
        "test_the_sentence_says_what_the_table_shows",
        "test_nothing_is_left_to_fill_in",
    }
    assert "fill in: numbers from another source than the code under test" in output
    assert any(line.startswith("tests/browser/fences/test_bar_chart.py:8: fill in: ") for line in output)
    tests = house / files[3]
    right = iter(["[['1', '1'], ['2', '2'], ['3', '3']]", "'Times 1 the numbers add up to 6.'"])
    tests.write_text(re.sub(r"pytest\.fail\(.*\)", lambda _: next(right), tests.read_text("utf-8")), "utf-8")
    result = run(house, "pytest", "-q", "-p", "no:cacheprovider", files[3])
    assert result.returncode == 0, result.stdout


def test_what_is_written_pleases_the_linter(house, capsys):
    said = []
    for words in ("page how-long", "widget bar-chart", "function ladder_mask masks", "function tropical semirings"):
        said += start(house, capsys, *words.split())
    written = {word for word in said if word.endswith(".py")}
    assert len(written) == 8
    for command in ("check", "format --check"):
        result = run(house, "ruff", *command.split(), "--no-cache", *sorted(written))
        assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["page", ""], "say its name", id="no name"),
        pytest.param(["page", "How_long"], "'How_long' is no name of a page: .*how-long", id="not lower case"),
        pytest.param(["page", "a--b"], "'a--b' is no name of a page", id="two hyphens"),
        pytest.param(["widget", "chart"], "'chart' is no name of a widget: two", id="one word"),
        pytest.param(["widget", "mask-painter"], r"docs\S+mask\S+ is there already", id="a widget that exists"),
        pytest.param(["function", "ladder_mask", ""], "say in which module, .*masks, .*MODULE=masks", id="no module"),
        pytest.param(["function", "ladder-mask", "masks"], "'ladder-mask' is no name of a function", id="a hyphen"),
        pytest.param(["function", "lambda", "masks"], "'lambda' is no name of a function", id="a keyword"),
        pytest.param(["function", "_mask", "masks"], "'_mask' is no name of a function", id="private"),
        pytest.param(["function", "ladder_mask", "Masks"], "'Masks' is no name of a module", id="module"),
        pytest.param(["function", "causal_mask", "masks"], "attention has a causal_mask already", id="exists"),
        pytest.param(["function", "masks", "tiling"], "'masks' is a module", id="the name of a module"),
        pytest.param(["function", "new", "new"], "'new' is a module", id="the name of its module"),
    ],
)
def test_a_name_that_will_not_do_is_refused_in_one_line_and_nothing_is_written(sound, words, message):
    before = {path: path.stat().st_mtime_ns for path in sound.rglob("*")}
    with pytest.raises(SystemExit) as error:
        new.main(words, sound)
    assert re.fullmatch(f"new-{words[0]}: {message}.*", str(error.value))  # . is no end of a line
    assert {path: path.stat().st_mtime_ns for path in sound.rglob("*")} == before


def test_a_page_that_exists_is_refused(house):
    new.page(house, "how-long")
    with pytest.raises(SystemExit, match=r"^new-page: docs/learn/how-long\.md is there already$"):
        new.main(["page", "how-long"], house)
