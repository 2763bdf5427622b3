"""The soft lookup: fits, shares and pages, what its table shows, and what it refuses."""

import numpy as np

from tests.site.fences.reading import Figure

LIBRARY = Figure.sound("soft-lookup")


@LIBRARY.on_500_states
def test_500_states_share_by_the_topics_on_which_label_and_question_agree(rng):
    books, topics = rng.integers(1, 6, 2)
    labels, values = rng.integers(0, 2, (books, topics)), rng.integers(0, 99, (books, topics))
    asks = rng.integers(books)
    fits = np.array([sum(a == b for a, b in zip(label, labels[asks], strict=True)) for label in labels])
    weights = 2.0**fits / np.sum(2.0**fits)
    expected = {"fits": fits, "weights": weights, "copied": weights[:, None] * values, "output": weights @ values}
    return {"labels": labels, "values": values}, {"asks": asks}, expected
