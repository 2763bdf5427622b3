"""Markdown inside a fence: formulas and emphasis, no tags of its own, one paragraph."""

import pytest

from docs_ext.errors import SpecError
from docs_ext.html.inline import convert, inline
from tests.tables import each_row


def test_a_paragraph_has_formulas_code_and_emphasis():
    html = inline("A *row* of `a < b` and $x^2$")
    assert html.startswith("A <em>row</em> of <code>a &lt; b</code> and <span")
    assert 'class="katex"' in html


@pytest.mark.parametrize("text", ["a <b>c</b>", "<script>alert(1)</script>", "<div>c</div>", "<!-- c -->", "<?c ?>"])
def test_tags_stay_text(text):
    assert inline(text) == text.replace("<", "&lt;").replace(">", "&gt;")


@pytest.mark.parametrize("text", ["one\n\ntwo", "- a list", "# a title", ""])
def test_more_or_less_than_a_paragraph_is_refused(text):
    with pytest.raises(SpecError, match="one paragraph"):
        inline(text)


@pytest.mark.parametrize("convert", [inline, convert])
@each_row("text", "inline.toml", "addresses")
def test_what_has_an_address_is_refused(convert, text):
    with pytest.raises(SpecError, match="a link or a picture cannot stand here"):
        convert(text)


def test_a_console_is_marked():
    assert '<span class="go">16.0\n</span>' in convert("```pycon\n>>> x\n16.0\n```")
