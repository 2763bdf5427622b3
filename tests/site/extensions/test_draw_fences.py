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
from tests.tables import beside, each_row

PAGES = beside(__file__, "draw_fences.toml")
GRID, CHART = PAGES["grid"], PAGES["chart"]
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


@each_row("bad", "draw_fences.toml", "bad")
def test_a_bad_fence_stops_the_build_and_names_page_and_line(convert, bad):
    with pytest.raises(SuperFencesException) as error:
        convert(bad["page"])
    assert str(error.value).startswith(f"learn/page.md:{bad['line']}: ")
    for word in bad["words"]:
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
