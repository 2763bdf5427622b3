"""The training on its page: its slopes, its documents and its accuracy, against loops."""

import math

import numpy as np
import pytest

from tests.site.learn.page_functions import names

PAGE = names("training")
NAME, CLOSES, LEVEL, LINE = slice(0, 4), 4, slice(5, 8), 8
X, NAMES = PAGE["x_new"], PAGE["names_new"]
ASKED = NAMES >= 0
CAUSAL = {"is_causal": True}


def differences(loss, weights, step=1e-5):
    """Central differences of a loss for every number of every matrix."""
    slopes = []
    for w in weights:
        slope = np.empty_like(w)
        for at in np.ndindex(w.shape):
            kept = w[at]
            w[at] = kept + step
            above = loss(weights)
            w[at] = kept - step
            slope[at] = (above - loss(weights)) / (2 * step)
            w[at] = kept
        slopes.append(slope)
    return slopes


def by_reading_upwards(x):
    """Name the line that each closing line closes: walk up, and count what closes and opens on the way."""
    opener = [None] * len(x)
    for t in range(len(x)):
        if x[t, CLOSES]:
            to_skip = 0
            for j in range(t - 1, -1, -1):
                if x[j, CLOSES]:
                    to_skip += 1
                elif to_skip:
                    to_skip -= 1
                else:
                    opener[t] = j
                    break
    return opener


def in_loops(weights, x, is_causal=True, scale=None):
    """One document through the head, with Python's own numbers: the four scores of each line."""
    q, k, v = ([[sum(a * b for a, b in zip(row, w[:, c], strict=True)) for c in range(w.shape[1])] for row in x]
               for w in weights)  # fmt: skip
    scale = 1 / math.sqrt(len(q[0])) if scale is None else scale
    scores = []
    for t, query in enumerate(q):
        seen = range(t + 1) if is_causal else range(len(x))
        powers = {j: math.exp(scale * sum(a * b for a, b in zip(query, k[j], strict=True))) for j in seen}
        total = sum(powers.values())
        scores.append([sum(powers[j] / total * v[j][c] for j in seen) for c in range(len(v[0]))])
    return scores


@pytest.mark.parametrize(
    "options", [{}, CAUSAL, CAUSAL | {"scale": 1.0}, CAUSAL | {"scale": 0.3, "softcap": 2.0}], ids=str
)
def test_the_slopes_of_the_loss_are_its_central_differences(rng, options):
    x, answers = map(np.stack, zip(*(PAGE["document"](rng, 8) for _ in range(3)), strict=True))
    weights = [rng.standard_normal((9, d)) / 3 for d in (5, 5, 4)]
    _, slopes = PAGE["loss_and_slopes"](weights, x, answers, **options)
    expected = differences(lambda w: PAGE["loss_and_slopes"](w, x, answers, **options)[0], weights)
    for slope, other in zip(slopes, expected, strict=True):
        np.testing.assert_allclose(slope, other, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("heads", "asks"), [(1, 1), (1, 2), (2, 2), (3, 2)])
def test_the_slopes_of_several_heads_and_questions_are_central_differences(rng, heads, asks):
    x, answers = PAGE["x"][:4], PAGE["both"][:4, :, :asks]
    weights = [rng.standard_normal((heads, 9, d)) / 3 for d in (2, 2, 4 * asks)]
    _, _, slopes = PAGE["ask_both"](weights, x, answers)
    expected = differences(lambda w: PAGE["ask_both"](w, x, answers)[0], weights)
    for slope, other in zip(slopes, expected, strict=True):
        np.testing.assert_allclose(slope, other, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("lines", [2, 4, 12, 30])
def test_the_answers_are_those_of_a_reader_who_walks_upwards(rng, lines):
    for _ in range(60):
        x, answers = PAGE["document"](rng, lines)
        opener = by_reading_upwards(x)
        assert x.shape == (lines, 9)
        np.testing.assert_array_equal(x[:, LINE], np.arange(lines) / 4)
        np.testing.assert_array_equal(x[:, LEVEL].sum(axis=1), 1)
        np.testing.assert_array_equal(x[:, NAME].sum(axis=1) + x[:, CLOSES], 1)
        for t, j in enumerate(opener):
            assert (answers[t] >= 0) == bool(x[t, CLOSES]) == (j is not None)
            if j is not None:
                assert x[j, answers[t]] == 1
                np.testing.assert_array_equal(x[j, LEVEL], x[t, LEVEL])
                same = [i for i in range(t) if not x[i, CLOSES] and (x[i, LEVEL] == x[t, LEVEL]).all()]
                assert max(same) == j, "the nearest opening line above at the same level"
        assert sorted(j for j in opener if j is not None) == np.flatnonzero(x[:, CLOSES] == 0).tolist()


def test_the_names_around_are_those_of_the_innermost_tag_that_is_still_open():
    for x, both in zip(X[:100], PAGE["both_new"], strict=False):
        opener = by_reading_upwards(x)
        for t, own in enumerate(opener):
            if own is None:
                assert both[t].tolist() == [-1, -1]
                continue
            closed = {opener[j] for j in range(t + 1)}
            still = [j for j in range(t) if not x[j, CLOSES] and j not in closed]
            assert both[t].tolist() == [x[own, NAME].argmax(), x[still[-1], NAME].argmax() if still else -1]


def test_no_document_that_is_held_out_is_one_to_learn_from():
    learned = {one.tobytes() for one in PAGE["x"]}
    assert len(learned) == len(PAGE["x"]) == 500
    assert not learned & {one.tobytes() for one in X}


@pytest.mark.parametrize(
    ("weights", "x", "options", "claimed"),
    [
        (PAGE["run"][0], X, {}, 0.26),
        (PAGE["run"][50], X, {}, 0.89),
        (PAGE["run"][-1], X, {}, 1.0),
        (PAGE["raw"][-1], X, {"scale": 1.0}, 1.0),
        (PAGE["blind"][-1], PAGE["unnumbered_new"], {}, 0.77),
        (PAGE["open_run"][-1], X, {"is_causal": False}, 0.79),
    ],
    ids=["start", "half-way", "end", "without scaling", "without line numbers", "without mask"],
)
def test_the_accuracy_is_that_of_loops(weights, x, options, claimed):
    some = range(0, len(x), 10)  # every tenth document: loops take their time
    hits = [
        max(range(4), key=scores.__getitem__) == answer
        for b in some
        for scores, answer in zip(in_loops(weights, x[b].tolist(), **options), NAMES[b], strict=True)
        if answer >= 0
    ]
    told = PAGE["guess"](weights, x, **(CAUSAL | options)).argmax(axis=-1) == NAMES
    np.testing.assert_array_equal(hits, told[some][ASKED[some]])
    assert PAGE["accuracy"](weights, x, NAMES, **(CAUSAL | options)) == claimed
