"""Formulas in words: how each is read aloud, and that what has no words is refused."""

import pytest

from docs_ext.errors import SpecError
from docs_ext.html import tex_to_speech

READ_ALOUD = {
    r"$\sqrt 8$": "the square root of 8",
    r"$\sqrt{64}$": "the square root of 64",
    r"$(2, 0, 0, -2)$": "(2, 0, 0, minus 2)",
    r"$\frac{1}{\sqrt{\dk}}$": "1 over the square root of d sub k",
    r"$\dmodel^2$": "d sub model squared",
    r"$\Q\K^\T$": "Q K transposed",
    r"the *keys* $\K$": "the keys K",
    r"$\softmax(s) \le 1$": "softmax (s) is at most 1",
    r"$2^{n-1}$": "2 to the power of n minus 1",
    r"$x_i = 16/3$": "x sub i equals 16 over 3",
    r"$50\%$": "50 percent",
    "16 : 1": "",
}


@pytest.mark.parametrize(("text", "words"), READ_ALOUD.items())
def test_a_text_is_read_aloud(text, words):
    assert tex_to_speech.spoken(text) == words


@pytest.mark.parametrize("tex", [r"\oint", r"\begin{matrix}", r"\sqrt{\nabla}"])
def test_what_has_no_words_is_refused(tex):
    with pytest.raises(SpecError, match="no words for"):
        tex_to_speech.spoken(f"${tex}$")
