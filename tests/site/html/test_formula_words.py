"""Formulas in words: how each is read aloud, and typed into a search."""

import tomllib
from pathlib import Path

import pytest

from docs_ext.html.formula import render
from docs_ext.html.formula_words import in_words, spoken
from docs_ext.html.inline import inline
from docs_ext.html.tree import content

WORDS = tomllib.loads(Path(__file__).with_name("formula_words.toml").read_text("utf-8"))


@pytest.mark.parametrize(("text", "words"), WORDS["read_aloud"].items())
def test_a_text_is_read_aloud(text, words):
    assert spoken(inline(text)) == words


@pytest.mark.parametrize(("tex", "words"), WORDS["typed"].items())
def test_a_formula_is_written_as_one_types_it(tex, words):
    assert in_words(content(render(tex, display=True))) == words
