"""The search plugin reads pages without their formulas."""

import pytest

from docs_ext.site.search import for_search

BOX = '<span class="arithmatex" data-search-exclude="">'
TEX = '<annotation encoding="application/x-tex">x &lt; \\sqrt{d_k}</annotation>'
FORMULA = f'<span class="katex"><span class="katex-mathml"><math><mi>x</mi>{TEX}</math></span><span>x</span></span>'


def test_a_formula_in_a_line_is_read_and_one_of_its_own_is_not():
    read = for_search(f"<p>a {BOX}{FORMULA}</span> b</p><div data-search-exclude>{FORMULA}</div><span>c</span>")
    words = "x &lt; sqrt(d_k)"
    assert (
        read
        == f'<p>a <span class="arithmatex">{words}</span> b</p><div data-search-exclude>{words}</div><span>c</span>'
    )


def test_a_page_without_formulas_stays_as_it_is():
    assert for_search("<p>a <span>b</span></p>") == "<p>a <span>b</span></p>"


def test_a_formula_without_an_end_is_noticed():
    with pytest.raises(ValueError, match="does not end"):
        for_search('<p><span class="katex"><span></span>')


def test_the_source_of_a_function_is_not_read():
    source = '<details class="mkdocstrings-source"><summary>Source</summary><div><pre>$$x$$</pre></div></details>'
    assert for_search(f"<p>a</p>{source}<p>b</p>") == "<p>a</p><p>b</p>"
