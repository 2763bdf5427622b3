"""Markdown inside a fence: formulas and emphasis, no tags of its own, one paragraph."""

import pytest

pytest.importorskip("py_mini_racer", reason="rendering formulas needs the docs extra")

from docs_ext.html.inline import convert, inline
from docs_ext.spec.errors import SpecError


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


def test_a_link_is_refused():
    with pytest.raises(SpecError, match="a link cannot stand here"):
        inline("[there](masks.md)")


def test_a_console_is_marked():
    assert '<span class="go">16.0\n</span>' in convert("```pycon\n>>> x\n16.0\n```")
