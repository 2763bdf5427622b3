"""A learn page as a notebook: it holds what the page holds, and its stored outputs are those of a run."""

import copy
import json
import re
from doctest import DocTestParser

import pytest

from docs_ext.copies.links import in_colab
from docs_ext.copies.markdown import END, FIGURE, FOLD, UNFOLD
from docs_ext.copies.notebooks import as_notebook
from tests.site.pages import ROOT, with_proofs
from tests.tables import beside, each_row

SITE_URL = "https://site.test/attention/"
SOURCES = [s for s in (ROOT / "docs/index.md", *sorted((ROOT / "docs/learn").glob("*.md"))) if with_proofs(s)]


def read(site, source):
    folder = site if source.stem == "index" else site / "learn" / source.stem
    return json.loads((folder / f"{source.stem}.ipynb").read_text("utf-8"))


def code(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def outputs(cell):
    """Return what a reader sees below a cell, printed or as a value; of an error its last line."""
    texts, errors = [], []
    for output in cell.get("outputs", ()):
        if output["output_type"] == "error":
            errors.append(("error", output["ename"], output["evalue"]))
        else:
            texts.append(output["text"] if "text" in output else output["data"]["text/plain"])
    return [*(["".join(texts).rstrip("\n")] if texts else []), *errors]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_a_notebook_holds_every_example_and_output_of_the_page(site, source):
    cells = code(read(site, source))[1:]  # without the check of the package
    on_page = with_proofs(source)
    examples = [example for console in on_page for example in DocTestParser().get_examples(console.code)]
    typed = "\n".join(cell["source"] for cell in cells).replace("display(", "(")
    assert re.findall(r"\w+", typed) == re.findall(r"\w+", "".join(example.source for example in examples))
    shown = [
        part for cell in cells for seen in outputs(cell) for part in ([seen] if isinstance(seen, str) else seen[1:])
    ]
    expected = [example.exc_msg or example.want.replace("<BLANKLINE>", "") for example in examples]
    assert " ".join(shown).split() == re.sub(r"\w+\.(?=\w+Error: )|(?<=Error):", "", " ".join(expected)).split()


PAGE = beside(__file__, "notebook.markdown")
PAGE = PAGE.format(FIGURE=FIGURE, END=END, FOLD=FOLD, UNFOLD=UNFOLD)


def made(page=PAGE, site_url=SITE_URL):
    return json.loads(as_notebook(page, "https://site.test/page/", "page", site_url))


def test_a_cell_ends_where_the_page_shows_an_output():
    about, check, prose, values, *cells, last = made()["cells"]
    assert about["source"].startswith("# Title\n\nThis notebook is the page [https://site.test/page/]")
    assert "get_package()" in check["source"]
    link = "[Interactive](https://site.test/page/#w)"
    folded = "**Who?**\n\n<details><summary>Show</summary>\n\nMe.\n\n</details>"
    assert prose["source"] == f"Why $d_k$?\n\n{link}\n\n{folded}"
    assert values["source"] == "## Values"
    assert last["source"] == "```sh\n# no heading\n```"
    assert [outputs(cell) for cell in cells] == [
        ["array([1, 2])"],
        ["a\n\nb"],
        ["1\n2"],
        ["array([inf, inf])"],
        ["told\n'back'"],
        [("error", "AxisError", "axis 3 is out of bounds for array of dimension 1")],
        [],
    ]
    assert cells[0]["source"].startswith("import numpy as np\n\ndef tell(")
    assert cells[0]["source"].endswith("\nx = np.array([1, 2])\nx                           # two")
    assert cells[3]["source"] == 'with np.errstate(all="ignore"):\n    display(x / 0)'
    assert [cell["metadata"].get("tags") for cell in cells] == [None] * 5 + [["raises-exception"], None]
    assert [cell["id"] for cell in made()["cells"]][:2] == ["page-0", "page-1"]


@each_row("installed, site_url, refused, ran", "installed.toml", "cases")
def test_the_first_cell_installs_the_package_if_it_is_not_there(monkeypatch, installed, site_url, refused, ran):
    names = [type("Distribution", (), {"name": name}) for name in installed]
    monkeypatch.setattr("importlib.metadata.distributions", lambda: names)
    source, commands = code(made(site_url=site_url or None))[0]["source"], []
    python = re.sub(r"%pip install --quiet (.+)", r"run('\1')", source)
    if refused:
        with pytest.raises(SystemExit, match=refused):
            exec(python, {"run": commands.append})
    else:
        exec(python, {"run": commands.append})
    assert [command.startswith(f"{SITE_URL}attention_line_by_line-") for command in commands] == [True] * ran


def test_colab_opens_a_notebook_from_the_branch_that_the_workflow_writes(monkeypatch):
    assert in_colab("index.ipynb") is None
    for address, opens in (
        ("https://github.com/owner/name.git", True),
        ("https://github.com/owner/name/", True),
        ("https://gitlab.com/owner/name", False),
    ):
        monkeypatch.setenv("REPO_URL", address)
        expected = "https://colab.research.google.com/github/owner/name/blob/notebooks/learn/a/a.ipynb"
        assert in_colab("learn/a/a.ipynb") == (expected if opens else None)


def run(notebook):
    import nbclient
    import nbformat

    ready = nbformat.from_dict(copy.deepcopy(notebook))
    after = nbclient.NotebookClient(ready, timeout=60, coalesce_streams=True).execute()
    nbformat.validate(after)
    return [outputs(cell) for cell in code(after)]


@pytest.mark.nightly
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_the_stored_outputs_are_those_of_a_run(site, source):
    stored = read(site, source)
    assert run(stored) == [outputs(cell) for cell in code(stored)]


@pytest.mark.nightly
def test_the_notebook_with_blanks_runs(site):
    blanks = json.loads((site / "practice/write/write.ipynb").read_text("utf-8"))
    assert [text.split()[2] for cell in run(blanks) for text in cell] == ["empty"] * 12
