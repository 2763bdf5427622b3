"""Symbols in plain texts: subscripts in HTML, in drawings and in speech; names of code stay."""

from docs_ext.html import symbols


def test_what_stands_around_a_symbol_is_escaped():
    assert symbols.symbols("<b> & d_k") == "&lt;b&gt; &amp; <i>d</i><sub>k</sub>"


def test_names_of_code_stay_as_they_are():
    for name in ("tiled_attention", "x.n_k", "n_keys", "w_qkv"):
        assert symbols.symbols(name) == symbols.said(name) == name
