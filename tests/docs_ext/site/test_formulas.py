"""The search plugin reads pages without their formulas."""

import pytest

from docs_ext.site.formulas import for_search

BOX = '<span class="arithmatex" data-search-exclude="">'
FORMULA = '<span class="katex"><span class="katex-mathml"><math><mi>x</mi></math></span><span>x</span></span>'


def test_text_stays_and_formulas_go():
    without = for_search(f"<p>a {BOX}{FORMULA}</span> b</p><div>{FORMULA}</div><span>c</span>")
    assert without == f"<p>a {BOX}</span> b</p><div></div><span>c</span>"


def test_a_page_without_formulas_stays_as_it_is():
    assert for_search("<p>a <span>b</span></p>") == "<p>a <span>b</span></p>"


def test_a_formula_without_an_end_is_noticed():
    with pytest.raises(ValueError, match="does not end"):
        for_search('<p><span class="katex"><span></span>')
