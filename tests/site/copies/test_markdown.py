"""HTML of the site to Markdown, element by element."""

import pytest
from markdown import markdown

from docs_ext.copies.markdown import to_markdown, whole
from docs_ext.extensions.page_steps import PageExtension
from docs_ext.html.formula import render
from tests.tables import beside, each_row

D_K, SCORES = render(r"\dk"), render(r"\Q\K^\T", display=True)
ADDRESS = "https://site.test/learn/scaling/"
GRID = beside(__file__, "table.html")


def converted(html):
    return whole(to_markdown(html, ADDRESS)).rstrip("\n")


@each_row("element", "elements.toml")
def test_an_element_becomes(element):
    html, expected = (
        part.replace("{D_K}", D_K).replace("{SCORES}", SCORES).replace("{ADDRESS}", ADDRESS).replace("{GRID}", GRID)
        for part in (element["html"], element["markdown"])
    )
    assert converted(html) == expected


CONSOLE = beside(__file__, "console.markdown")


CLASSES = {"pymdownx.highlight": {"pygments_lang_class": True}}  # as in mkdocs.yml


def test_code_stands_as_it_was_typed_with_its_setup_and_language():
    extensions = ["pymdownx.highlight", "pymdownx.superfences", PageExtension()]
    html = markdown(CONSOLE, extensions=extensions, extension_configs=CLASSES)
    assert 'class="setup"' in html
    assert converted(html) == CONSOLE.strip().replace("    like_this", "```\nlike_this\n```")


def test_a_footnote_keeps_its_mark_and_its_text():
    html = markdown("So[^1].\n\n[^1]: Because.", extensions=["footnotes"])
    text = converted(html)
    assert text.startswith(f"So^[1]({ADDRESS}#fn:1).")
    assert "1. Because." in text


def test_a_formula_without_its_tex_stops_the_build():
    with pytest.raises(ValueError, match="without its TeX"):
        to_markdown('<p><span class="katex">x</span></p>', ADDRESS)
