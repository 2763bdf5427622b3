"""Markdown inside a fence: formulas and emphasis, no tags of its own, one paragraph."""

import pytest

from docs_ext.errors import SpecError
from docs_ext.html.inline import convert, inline


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
@pytest.mark.parametrize(
    "text",
    [
        "[there](masks.md)",
        "[x](javascript:alert(1))",
        "[x]( JavaScript:alert(1) )",
        "[x][y]\n\n[y]: javascript:alert(1)",
        "![x](javascript:alert(1))",
        '<https://evil.example/"onclick="alert(1)>',
        "<someone@evil.example>",
        "```pycon\n>>> 1\n1\n```\n\n[x](javascript:alert(1))",
    ],
)
def test_what_has_an_address_is_refused(convert, text):
    with pytest.raises(SpecError, match="a link or a picture cannot stand here"):
        convert(text)


def test_a_console_is_marked():
    assert '<span class="go">16.0\n</span>' in convert("```pycon\n>>> x\n16.0\n```")
