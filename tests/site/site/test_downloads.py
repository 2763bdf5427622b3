"""A learn page as a script: it runs anywhere, prints what the page prints, and notices when it does not."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.site.pages import ROOT, consoles

downloads = pytest.importorskip("docs_ext.site.downloads", reason="writing the scripts needs the docs extra")

SOURCES = [ROOT / "docs/index.md", *sorted((ROOT / "docs/learn").glob("*.md"))]
ADDRESS = "https://site.test/page/"


def run(script, folder, name="page.py"):
    """Run a script alone in a folder, with nothing but NumPy and the package."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(script, "utf-8")
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, name], cwd=folder, env=env, capture_output=True, text=True, encoding="utf-8", timeout=60
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Run the script of every page, two at a time."""
    scripts = {source: downloads.as_script(source.read_text("utf-8"), ADDRESS, source.stem) for source in SOURCES}
    scripts = {source: script for source, script in scripts.items() if script}
    folder = tmp_path_factory.mktemp("downloads")
    with ThreadPoolExecutor(2) as pool:
        done = pool.map(lambda item: run(item[1], folder / item[0].stem, f"{item[0].stem}.py"), scripts.items())
        return dict(zip(scripts, done, strict=True))


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_script_runs_and_prints_what_the_page_prints(runs, source):
    if not consoles(source):
        assert source not in runs
        return
    result = runs[source]
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"All [1-9]\d* outputs are those of the page\.\n$", result.stdout)
    assert result.stderr == ""


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_script_holds_every_line_of_code(source):
    script = downloads.as_script(source.read_text("utf-8"), ADDRESS, source.stem)
    for console in consoles(source):
        code = console.code.partition("\n")[2] if console.continues else console.code  # in a script all is together
        for line in re.findall(r"^(?:>>>|\.\.\.) +(.+)$", code, re.M):
            words = re.findall(r"\w+", line)
            assert re.search(r"\W+".join(["", *map(re.escape, words)]), script), f"{console.where}: {line}"


PAGE = """---
title: Not this
---

# What is $\\dk$ of *that*?

## Values and `repr` { #values }

```pycon
>>> from attention import softmax
>>> x = softmax([0, 0])
>>> x                           # two halves
array([0.5, 0.5])
>>> x[0] == 0.5, "√"
(np.True_, '√')
>>> (x
...  + x)
array([1., 1.])
>>> x.sort()

```

## Statements

```bash
# no heading
```

??? question "Which of [them](x.md) prints?"

    ```pycon
    >>> for i in range(2):
    ...     i
    ...     print(-i)
    0
    0
    1
    -1
    >>> print("a\\n\\nb")
    a
    <BLANKLINE>
    b
    >>> x.sum(axis=3)
    Traceback (most recent call last):
        ...
    numpy.exceptions.AxisError: axis 3 is out of bounds for array of dimension 1

    ```
"""


def test_code_comes_first_and_the_outputs_follow(tmp_path):
    script = downloads.as_script(PAGE, ADDRESS, "page")
    assert script.startswith('"""What is d_k of that?\n\nThe examples of https://site.test/page/ as one script.')
    assert re.findall(r"^# %% (.*)$", script, re.M) == ["Values and repr", "Which of them prints?", "The end"]
    assert 'show(x)                           # two halves\nexpect("array([0.5, 0.5])")\n' in script
    assert 'show(x[0] == 0.5, "√")\n' in script
    assert "\nx.sort()\n" in script
    assert "for i in range(2):\n    show(i)\n    print(-i)\n" in script
    result = run(script, tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines() == [
        "array([0.5, 0.5])",
        "(np.True_, '√')",
        "array([1., 1.])",
        *("0", "0", "1", "-1"),
        *("a", "", "b"),
        "numpy.exceptions.AxisError: axis 3 is out of bounds for array of dimension 1",
        "All 6 outputs are those of the page.",
    ]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("array([0.5, 0.5])", "array([0.5, 0.6])"),
        ("0\n    0\n    1\n", "0\n    0\n    2\n"),
        ("dimension 1", "dimension 2"),
        ("x.sum(axis=3)", "x.sum()"),
    ],
    ids=["value", "printed", "error", "no error"],
)
def test_a_wrong_output_is_shown_and_ends_with_an_error(tmp_path, right, wrong):
    assert PAGE.count(right) == 1
    result = run(downloads.as_script(PAGE.replace(right, wrong), ADDRESS, "page"), tmp_path)
    assert result.returncode == 1
    assert "differs from the page" in result.stdout
    assert re.search(r"^1 of 6 outputs differ from the page\n$", result.stderr)


def test_a_wrong_digit_in_a_real_page_is_noticed(tmp_path):
    text = (ROOT / "docs/learn/line-by-line.md").read_text("utf-8")
    wrong = text.replace("array([5., 2.])", "array([5., 3.])", 1)
    assert wrong != text
    result = run(downloads.as_script(wrong, ADDRESS, "page"), tmp_path)
    assert result.returncode == 1
    assert "array([5., 2.])\n^^^ differs from the page, which prints:\narray([5., 3.])\n" in result.stdout


def test_a_name_that_the_script_needs_stops_the_build():
    page = "# Title\n\n```pycon\n>>> 1\n1\n>>> show = 1\n\n```\n"
    with pytest.raises(ValueError, match=r"page\.md:4: the script needs the name show"):
        downloads.as_script(page, ADDRESS, "page")


def test_a_page_without_examples_has_no_script():
    assert downloads.as_script("# Title\n\n```python\nx = 1\n```\n", ADDRESS, "page") is None


def test_every_learn_page_of_the_site_offers_its_script(site):
    for source in SOURCES:
        if consoles(source):
            name = f"{source.stem}.py"
            folder = site if source.stem == "index" else site / "learn" / source.stem
            assert f'<a href="{name}" download>' in (folder / "index.html").read_text("utf-8"), source.name
            assert "https://site.test/attention/" in (folder / name).read_text("utf-8")


def test_the_practice_page_lists_all_scripts_in_the_order_of_the_menu(site):
    menu = re.findall(r"- learn/([\w-]+)\.md$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    page = (site / "practice/index.html").read_text("utf-8")
    listed = re.findall(r'<li><a href="\.\./learn/([\w-]+)/([\w-]+)\.py" download>', page)
    assert listed == [(name, name) for name in menu if consoles(ROOT / f"docs/learn/{name}.md")]
