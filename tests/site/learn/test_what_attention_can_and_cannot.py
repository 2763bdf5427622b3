"""The page on what attention can do: its two layers against a loop over words, and its drawing against them."""

from itertools import pairwise

import numpy as np
import pytest

from tests.site.learn.page_functions import names

PAGE = names("what-attention-can-and-cannot")


@pytest.mark.parametrize("length", [2, 7, 60])
def test_the_two_layers_hand_over_the_mean_of_all_followers(rng, length):
    words = PAGE["words"]
    for _ in range(50):
        text = [words[i] for i in rng.integers(1, 5, length)]
        text[0] = text[-1]  # so that it stood there before
        followers = [words.index(after) for word, after in pairwise(text) if word == text[-1]]
        expected = np.bincount(followers, minlength=5) / len(followers)
        np.testing.assert_allclose(PAGE["two_layers"](["start", *text])[-1], expected, rtol=0, atol=1e-12)
