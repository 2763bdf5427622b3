"""HTML of the site to Markdown, element by element."""

import tomllib
from pathlib import Path

import pytest
from markdown import markdown

from docs_ext.copies.markdown import to_markdown, whole
from docs_ext.extensions.page_steps import PageExtension
from docs_ext.html.formula import render

D_K, SCORES = render(r"\dk"), render(r"\Q\K^\T", display=True)
ADDRESS = "https://site.test/learn/scaling/"
ELEMENTS = tomllib.loads(Path(__file__).with_name("elements.toml").read_text("utf-8"))


def converted(html):
    return whole(to_markdown(html, ADDRESS)).rstrip("\n")


@pytest.mark.parametrize("element", ELEMENTS.values(), ids=ELEMENTS)
def test_an_element_becomes(element):
    html, expected = (
        part.replace("{D_K}", D_K).replace("{SCORES}", SCORES).replace("{ADDRESS}", ADDRESS)
        for part in (element["html"], element["markdown"])
    )
    assert converted(html) == expected


TABLE = Path(__file__).with_name("table.html").read_text("utf-8")


def test_a_grid_becomes_a_table_with_its_caption_row_headers_and_fractions():
    expected = r"""**Weights rows ask**

|  | cat | a\|b |
| --- | --- | --- |
| ran | 1/2 | masked |
| sum |  | 1 |
| end |  | 5 |"""
    assert converted(TABLE) == expected


def test_a_widget_is_a_link_to_it():
    widget = f"""<div><mask-painter class="widget" id="paint" aria-labelledby="paint-title">
    <div class="widget-head"><p class="widget-title" id="paint-title">Paint</p></div>
    {TABLE}<output aria-live="polite">cat 1/2</output></mask-painter></div>"""
    assert converted(widget) == f"[Paint: interactive on the page]({ADDRESS}#paint)"


CONSOLE = Path(__file__).with_name("console.markdown").read_text("utf-8")


CLASSES = {"pymdownx.highlight": {"pygments_lang_class": True}}  # as in mkdocs.yml


def test_code_stands_as_it_was_typed_with_its_setup_and_language():
    extensions = ["pymdownx.highlight", "pymdownx.superfences", PageExtension()]
    html = markdown(CONSOLE, extensions=extensions, extension_configs=CLASSES)
    assert 'class="setup"' in html
    assert converted(html) == CONSOLE.strip().replace("    like_this", "```\nlike_this\n```")


def test_code_that_holds_a_fence_gets_a_longer_one():
    assert converted("<pre><code>```text\n```\n</code></pre>") == "````\n```text\n```\n````"


def test_an_answer_says_right_or_wrong_and_why():
    quiz = """<quiz-question class="widget" id="q"><fieldset><legend>How many?</legend><div class="options">
    <label><input type="radio"> <span>64</span></label>
    <label><input type="radio"> <span>8</span></label></div></fieldset>
    <details><summary>Answer and proof</summary><ul class="verdicts"><li><b>Wrong:</b> 64
    <span class="because">Too many.</span> <span class="settled"><code>8 == 64</code> is False</span></li>
    <li data-right><b>Right:</b> 8 <span class="because">Eight.</span> <span class="settled"></span></li></ul>
    </details></quiz-question>"""
    assert converted(quiz) == (
        "**Question.** How many?\n\n- 64\n- 8\n\n**Answer and proof**\n\n"
        "- **Wrong:** 64  \n  Too many.  \n  `8 == 64` is False\n- **Right:** 8  \n  Eight."
    )


def test_a_footnote_keeps_its_mark_and_its_text():
    html = markdown("So[^1].\n\n[^1]: Because.", extensions=["footnotes"])
    text = converted(html)
    assert text.startswith(f"So^[1]({ADDRESS}#fn:1).")
    assert "1. Because." in text


def test_a_formula_without_its_tex_stops_the_build():
    with pytest.raises(ValueError, match="without its TeX"):
        to_markdown('<p><span class="katex">x</span></p>', ADDRESS)
