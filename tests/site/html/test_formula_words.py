"""Formulas in words: how each is read aloud, and typed into a search."""

import pytest

from docs_ext.html.formula import render
from docs_ext.html.formula_words import in_words, spoken
from docs_ext.html.inline import inline
from docs_ext.html.tree import content

READ_ALOUD = {
    r"$\sqrt 8$": "the square root of 8",
    r"$\sqrt{64}$": "the square root of 64",
    r"$(2, 0, 0, -2)$": "(2, 0, 0, minus 2)",
    r"$\frac{1}{\sqrt{\dk}}$": "1 over the square root of d sub k",
    r"$\dmodel^2$": "d sub model squared",
    r"$\Q\K^\T$": "Q K transposed",
    r"the *keys* $\K$": "the keys K",
    r"$\softmax(s) \le 1$": "softmax(s) is at most 1",
    r"$2^{n-1}$": "2 to the power of n minus 1",
    r"$x_i = 16/3$": "x sub i equals 16 over 3",
    r"$50\%$": "50 percent",
    "16 : 1": "",
}
TYPED = {
    r"a_j \ge 0, \quad W_{Q1}, d_{\text{model}}, e^{s_j / T}": "a_j ≥ 0, W_Q1, d_model, e^(s_j/T)",
    r"\tfrac12 (8, 0) - 2 \cdot 3 = -\ln 4 \tag{1}": "1/2 (8, 0) - 2 · 3 = -ln 4",
    r"\frac{1}{16} + \frac{e^{s_{ij}}}{\sqrt 4}": "1/16 + (e^(s_ij))/sqrt(4)",
    r"\max_{j \in R} \theta'_j \odot \lambda": "max_(j ∈ R) theta_j' ⊙ lambda",
    r"\begin{aligned} a &= \hat b \\ c &= 0 \end{aligned} \tag{2}": "a = b; c = 0",
}


@pytest.mark.parametrize(("text", "words"), READ_ALOUD.items())
def test_a_text_is_read_aloud(text, words):
    assert spoken(inline(text)) == words


@pytest.mark.parametrize(("tex", "words"), TYPED.items())
def test_a_formula_is_written_as_one_types_it(tex, words):
    assert in_words(content(render(tex, display=True))) == words
