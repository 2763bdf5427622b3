"""A learn page as a notebook: it runs anywhere, and what its cells print is what it has stored."""

import asyncio
import copy
import os
import re
from concurrent.futures import ThreadPoolExecutor
from doctest import DocTestParser

import pytest

pytest.importorskip("nbformat", reason="writing the notebooks needs the docs extra")
pytest.importorskip("nbclient", reason="running the notebooks needs the dev extra")
pytest.importorskip("ipykernel", reason="running the notebooks needs the dev extra")

import nbclient
import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

from docs_ext.site.downloads import _in_colab
from docs_ext.site.markdown import END, FIGURE, FOLD, UNFOLD
from docs_ext.site.notebooks import as_notebook
from tests.site.pages import ROOT, consoles

SITE_URL = "https://site.test/attention/"
SOURCES = [s for s in (ROOT / "docs/index.md", *sorted((ROOT / "docs/learn").glob("*.md"))) if consoles(s)]


def read(site, source):
    folder = site if source.stem == "index" else site / "learn" / source.stem
    return nbformat.read(folder / f"{source.stem}.ipynb", as_version=nbformat.NO_CONVERT)


def run(notebooks, folder):
    """Return the notebooks as they are when nbclient has run them, one after the other in one kernel."""
    with ThreadPoolExecutor(1) as thread:  # in this one Playwright may have a loop of events that runs already
        return thread.submit(asyncio.run, _run([copy.deepcopy(notebook) for notebook in notebooks], folder)).result()


async def _run(notebooks, folder):
    specs = KernelSpecManager(kernel_dirs=[])  # the kernel of this Python, whatever else is installed
    manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=specs)
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    env = {"PYTHONPATH": path, "IPYTHONDIR": str(folder), "OPENBLAS_NUM_THREADS": "1"}
    await manager.start_kernel(env=os.environ | env, cwd=folder)
    client = nbclient.NotebookClient(notebooks[0], km=manager, timeout=60, coalesce_streams=True)
    for client.nb in notebooks:
        client.nb.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))  # a kernel of its own would cost a second
        await client.async_execute(cleanup_kc=False)
        del client.nb.cells[0]
    client.kc.stop_channels()
    await manager.shutdown_kernel(now=True)
    return notebooks


def outputs(cell):
    """Return what a reader sees below a cell; of an error its last line."""
    seen = []
    for output in cell.get("outputs", ()):
        kind = output.output_type
        if kind == "error":
            seen.append((kind, output.ename, output.evalue))
        else:
            seen.append((kind, output.text if kind == "stream" else output.data["text/plain"]))
    return seen


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.fixture(scope="module")
def runs(site, tmp_path_factory):
    stored = [read(site, source) for source in SOURCES]
    return dict(zip(SOURCES, zip(stored, run(stored, tmp_path_factory.mktemp("kernel")), strict=True), strict=True))


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_notebook_runs_and_gives_what_it_has_stored(runs, source, record_property):
    stored, ran = runs[source]
    nbformat.validate(stored)
    for before, after in zip(code(stored), code(ran), strict=True):
        assert outputs(after) == outputs(before), before.source
    record_property("cells", len(code(stored)))
    record_property("outputs", sum(len(cell.outputs) for cell in code(stored)))


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_notebook_holds_every_example_and_output_of_the_page(site, source):
    cells = code(read(site, source))[1:]  # without the check of the package
    on_page = sorted(consoles(source), key=lambda console: int(console.where.rpartition(":")[2]))
    examples = [example for console in on_page for example in DocTestParser().get_examples(console.code)]
    typed = "\n".join(cell.source for cell in cells).replace("display(", "(")
    assert re.findall(r"\w+", typed) == re.findall(r"\w+", "".join(example.source for example in examples))
    shown = [part for cell in cells for _, *parts in outputs(cell) for part in parts]
    expected = [example.exc_msg or example.want.replace("<BLANKLINE>", "") for example in examples]
    assert " ".join(shown).split() == re.sub(r"\w+\.(?=\w+Error: )|(?<=Error):", "", " ".join(expected)).split()
    assert sum(map(len, map(outputs, cells))) >= sum(map(bool, expected))


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_notebook_leaves_to_the_page_what_only_the_page_shows(site, source):
    notebook = read(site, source)
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert not re.search(r"[\x00-\x09\x0b-\x1f]|\]\((?!https://)|htmlClass|Download this page", prose)
    widgets = set(re.findall(r"^```([a-z]+-[a-z]+)$", source.read_text("utf-8"), re.MULTILINE))
    if widgets - {"quiz-question", "computed-table", "explained-code"}:
        assert "interactive on the page](" in prose.lower()
    assert prose.count("<details>") == prose.count("</details>")
    assert re.sub(r"</?(?:details|summary)>", "", prose).count("</") == 0


def test_ids_and_all_else_are_the_same_in_every_build(site):
    notebook = read(site, SOURCES[0])
    assert [cell.id for cell in notebook.cells] == [f"index-{n}" for n in range(len(notebook.cells))]
    assert [cell.execution_count for cell in code(notebook)] == list(range(1, len(code(notebook)) + 1))
    assert notebook.metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }


PAGE = f"""# Title

Why $d_k$?

{FIGURE}A widget.

{END}

[Interactive](https://site.test/page/#w)

**Who?**

{FOLD}Me.{UNFOLD}

## Values

```pycon
>>> import numpy as np
>>> def tell(x, back=None):
...     print("told")
...     return back
>>> x = np.array([1, 2])
>>> x                           # two
array([1, 2])
>>> print("a\\n\\nb")
a
<BLANKLINE>
b
>>> for n in x:
...     print(n)
1
2
>>> with np.errstate(all="ignore"):
...     x / 0
array([inf, inf])
>>> tell(1, "back")
told
'back'
>>> x.sum(axis=3)
Traceback (most recent call last):
    ...
numpy.exceptions.AxisError: axis 3 is out of bounds for array of dimension 1
>>> y = 1

```

```sh
# no heading
```
"""


def made(page=PAGE, **changes):
    given = {"address": "https://site.test/page/", "name": "page", "site_url": SITE_URL} | changes
    return nbformat.reads(as_notebook(page, **given), as_version=nbformat.NO_CONVERT)


def test_a_cell_ends_where_the_page_shows_an_output():
    notebook = made()
    about, check, prose, values, *rest = notebook.cells
    assert about.source.startswith("# Title\n\nThis notebook is the page [https://site.test/page/]")
    assert f"pip install {SITE_URL}attention_line_by_line-" in about.source
    assert "check_package()" in check.source
    link = "[Interactive](https://site.test/page/#w)"
    folded = "**Who?**\n\n<details><summary>Show</summary>\n\nMe.\n\n</details>"
    assert prose.source == f"Why $d_k$?\n\n{link}\n\n{folded}"
    assert values.source == "## Values"
    *cells, last = rest
    assert last.source == "```sh\n# no heading\n```"
    assert [outputs(cell) for cell in cells] == [
        [("execute_result", "array([1, 2])")],
        [("stream", "a\n\nb\n")],
        [("stream", "1\n2\n")],
        [("display_data", "array([inf, inf])")],
        [("stream", "told\n"), ("execute_result", "'back'")],
        [("error", "AxisError", "axis 3 is out of bounds for array of dimension 1")],
        [],
    ]
    assert cells[0].source.startswith("import numpy as np\n\ndef tell(")
    assert cells[0].source.endswith("\nx = np.array([1, 2])\nx                           # two")
    assert cells[3].source == 'with np.errstate(all="ignore"):\n    display(x / 0)'
    assert [cell.metadata.get("tags") for cell in cells] == [None] * 5 + [["raises-exception"], None]


def test_these_are_the_outputs_of_a_run(tmp_path):
    stored = made()
    (ran,) = run([stored], tmp_path)
    assert list(map(outputs, ran.cells)) == list(map(outputs, stored.cells))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("two\narray([1, 2])", "two\narray([1, 3])"),
        ("1\n2\n>>>", "1\n3\n>>>"),
        ("dimension 1", "dimension 2"),
        ("'back'", "'b'"),
    ],
    ids=["value", "printed", "error", "value behind what is printed"],
)
def test_a_run_notices_a_wrong_output(tmp_path, right, wrong):
    assert PAGE.count(right) == 1
    stored = made(PAGE.replace(right, wrong))
    (ran,) = run([stored], tmp_path)
    assert sum(outputs(a) != outputs(b) for a, b in zip(ran.cells, stored.cells, strict=True)) == 1


def test_a_page_without_examples_has_no_notebook():
    assert as_notebook("# Title\n\n```python\nx = 1\n```\n", "https://site.test/", "page", SITE_URL) is None


def test_every_learn_page_offers_its_notebook_and_the_practice_page_all(site):
    for source in SOURCES:
        folder = site if source.stem == "index" else site / "learn" / source.stem
        page = (folder / "index.html").read_text("utf-8")
        assert f' or <a href="{source.stem}.ipynb" download>as a notebook</a>: ' in page
        assert "colab" not in page
    listed = re.findall(r'href="\.\./learn/([\w-]+)/\1\.ipynb"', (site / "practice/index.html").read_text("utf-8"))
    assert sorted(listed) == sorted(source.stem for source in SOURCES if source.stem != "index")


@pytest.mark.parametrize(
    ("repository", "expected"),
    [
        ("https://github.com/owner/repo", "owner/repo"),
        ("https://github.com/owner/repo/", "owner/repo"),
        ("https://github.com/owner/re.po.git", "owner/re.po"),
        ("https://github.com/owner", None),
        ("https://elsewhere.test/owner/repo", None),
        ("javascript:alert(1)", None),
        ("", None),
    ],
)
def test_colab_is_offered_only_where_a_repository_is_named(monkeypatch, repository, expected):
    monkeypatch.setenv("REPO_URL", repository)
    start = f"https://colab.research.google.com/github/{expected}/blob/gh-pages/"
    assert _in_colab("learn/masks/masks.ipynb") == (expected and f"{start}learn/masks/masks.ipynb")
