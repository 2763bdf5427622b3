"""Formulas in words: how each is read aloud, and typed into a search."""

from docs_ext.html.formula import render
from docs_ext.html.formula_words import in_words, spoken
from docs_ext.html.inline import inline
from docs_ext.html.tree import content
from tests.tables import each_row


@each_row("text, words", "formula_words.toml", "read_aloud")
def test_a_text_is_read_aloud(text, words):
    assert spoken(inline(text)) == words


@each_row("tex, words", "formula_words.toml", "typed")
def test_a_formula_is_written_as_one_types_it(tex, words):
    assert in_words(content(render(tex, display=True))) == words
