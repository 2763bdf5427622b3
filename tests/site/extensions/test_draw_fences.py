"""Fences: a good one becomes a figure, a bad one stops the build and names its page and line."""

import textwrap
from pathlib import Path

import pytest
from mkdocs.config import load_config
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from pymdownx.superfences import SuperFencesException

from docs_ext.errors import SpecError
from docs_ext.reading.expressions import evaluate

EXTENSIONS = ["admonition", "md_in_html", "pymdownx.superfences", "docs_ext.extensions.page_steps"]


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    root = tmp_path_factory.mktemp("site")
    (root / "docs" / "learn").mkdir(parents=True)
    (root / "mkdocs.yml").write_text(f"site_name: test\nmarkdown_extensions: {EXTENSIONS}\nplugins: []\n")
    return load_config(str(root / "mkdocs.yml"))


@pytest.fixture
def convert(config):
    """Convert a page as MkDocs does, front matter and all."""

    def convert(text):
        file = File("learn/page.md", config.docs_dir, config.site_dir, use_directory_urls=True)
        Path(file.abs_src_path).write_text(text)
        page = Page(None, file, config)
        page.read_source(config)
        page.render(config, Files([file]))
        return page.content

    return convert


GRID = """\
```attention-grid
tokens: [cat, ran]
q: [[1, 0], [0, 1]]
k: [[1, 0], [0, 1]]
caption: two words
```
"""
CHART = """\
```chart
title: t
description: d
data: '{"x": [1, 2]}'
mark: point
encoding: {x: {field: x, type: quantitative}}
```
"""


def test_a_good_fence_becomes_a_figure_even_inside_other_blocks(convert):
    inside = "- a list\n\n" + textwrap.indent(GRID, "    ") + "\n!!! note\n\n" + textwrap.indent(CHART, "    ")
    html = convert(f"# Title\n\n{inside}\n> a quotation\n>\n" + textwrap.indent(GRID, "> "))
    assert html.count('<div class="attention-grid"') == 2
    assert html.count('<figure class="chart"') == 1
    assert "```" not in html
    assert "<p><div" not in html


def test_ids_number_the_fences_of_a_page_and_start_again_on_the_next(convert):
    for _ in range(2):
        html = convert(GRID + "\n" + CHART + "\n" + GRID)
        for ident in ("attention-grid-1", "attention-grid-2", "chart-1"):
            assert html.count(f'id="{ident}"') == 1
    assert 'id="weights"' in convert(GRID.replace("tokens", "id: weights\ntokens"))


QUIZ = """text

```quiz-question
question: How many?
proof: |
  >>> x = 7
  >>> x
  7

answer: x
tolerance: 1
because: It is.
```
"""
BAD = {  # label: (page, line in the page, words of the message)
    "unknown key": (GRID.replace("caption", "captoin"), 5, ["attention-grid", "captoin", "did you mean 'caption'"]),
    "unknown key, far from all": (GRID.replace("tokens", "zzz: 1\ntokens"), 2, ["zzz", "known: caption"]),
    "missing key": (GRID.replace("caption: two words\n", ""), 1, ["caption", "missing"]),
    "empty key": (GRID.replace("two words", ""), 5, ["caption", "missing"]),
    "duplicate key": (GRID.replace("k: ", "q: "), 4, ["'q'", "twice"]),
    "nested duplicate": (GRID.replace("k: ", "options:\n  scale: 1\n  scale: 2\nk: "), 6, ["'scale'", "twice"]),
    "no YAML": (GRID.replace("[cat, ran]", "[cat, ran"), 3, ["YAML"]),
    "no mapping": ("text\n\n```chart\n- 1\n```\n", 3, ["key: value"]),
    "nothing": ("text\n\n```chart\n```\n", 3, ["key: value"]),
    "bad id": (GRID.replace("tokens", "id: 1 2\ntokens"), 2, ["id"]),
    "options in the opening line": (GRID.replace("grid\n", "grid hl_lines='1'\n"), 1, ["opening line"]),
    "name in an expression": (
        GRID.replace("[[1, 0], [0, 1]]", "embd(SENTENCE)"),
        3,
        ["embd(SENTENCE)", "NameError", "'embed'"],
    ),
    "nested expression": (GRID.replace("[0, 1]", "[0, '1 +']"), 3, ["'1 +'", "SyntaxError"]),
    "expression that raises": (GRID.replace("[cat, ran]", "SENTENCE[9]"), 2, ["SENTENCE[9]", "IndexError"]),
    "shapes from the package": (GRID.replace("k: [[1, 0], [0, 1]]", "k: [[1], [0]]"), 1, ["(2, 2)", "(2, 1)"]),
    "front matter": (f"---\ntitle: t\ntags: [a]\n---\n\ntext\n\n{GRID.replace('caption', 'captoin')}", 12, ["captoin"]),
    "a list": ("- item\n\n" + textwrap.indent(GRID.replace("q:", "qq:"), "    "), 5, ["'qq'"]),
    "a quotation": ("> said\n>\n" + textwrap.indent(GRID.replace("q:", "qq:"), "> "), 5, ["'qq'"]),
    "a block of HTML": (f"<div markdown>\n\n{GRID.replace('q:', 'qq:')}\n</div>\n", 5, ["'qq'"]),
    "the second of three": (GRID + "\n" + GRID.replace("q:", "qq:") + "\n" + GRID, 10, ["'qq'"]),
    "the same one shown before": (
        f"````markdown\n{GRID.replace('q:', 'qq:')}````\n\n{GRID.replace('q:', 'qq:')}",
        12,
        ["'qq'"],
    ),
    "half a line in a proof": (QUIZ.replace("= 7", "= (7"), 6, ["quiz-question: the proof fails", "was never closed"]),
    "a wrong output in a proof": (QUIZ.replace("  7\n", "  8\n"), 7, ["x gives 7, not 8"]),
    "a chart": (GRID + "\n" + CHART.replace("mark: point", "mark: pont"), 8, ["chart", "'pont'", "'point'"]),
}


@pytest.mark.parametrize(("page", "line", "words"), BAD.values(), ids=BAD)
def test_a_bad_fence_stops_the_build_and_names_page_and_line(convert, page, line, words):
    with pytest.raises(SuperFencesException) as error:
        convert(page)
    assert str(error.value).startswith(f"learn/page.md:{line}: ")
    for word in words:
        assert word in str(error.value)


def test_a_page_without_mkdocs_still_names_the_line():
    import markdown

    converter = markdown.Markdown(extensions=EXTENSIONS)
    with pytest.raises(SuperFencesException, match=r", line of the text 5: attention-grid: unknown key 'qq'"):
        converter.convert("text\n\n" + GRID.replace("q:", "qq:"))


def test_expressions_know_the_package_the_example_and_numpy():
    assert evaluate(" [round(float(w), 9) for w in attend(embed(SENTENCE, EARLY), W_Q1)[0][4]] ") == [
        0.5, 0.25, 0.0625, 0.125, 0.0625,
    ]  # fmt: skip
    assert evaluate("causal_mask(2).tolist()") == [[True, False], [True, True]]
    assert evaluate("np.pi") > 3


def test_one_expression_leaves_nothing_to_the_next():
    evaluate("(leftover := 1)")
    with pytest.raises(SpecError, match="leftover"):
        evaluate("leftover")
