"""The training on its page: its slopes, its documents and its accuracy, against loops."""

import math

import numpy as np
import pytest

from tests.package.oracles import slope_between
from tests.site.learn.page_functions import names

PAGE = names("training")
NAME, CLOSES, LEVEL, LINE = slice(0, 4), 4, slice(5, 8), 8
X, NAMES = PAGE["x_new"], PAGE["names_new"]
ASKED = NAMES >= 0
OPENERS = X[..., LEVEL] @ X[..., LEVEL].swapaxes(1, 2) * (1 - X[:, None, :, CLOSES])  # on the level of each line
CAUSAL = {"is_causal": True}


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


def share(hits, where=True):
    return hits[ASKED & where].mean()


@pytest.mark.parametrize(
    "options", [{}, CAUSAL, CAUSAL | {"scale": 1.0}, CAUSAL | {"scale": 0.3, "softcap": 2.0}], ids=str
)
def test_the_slopes_of_the_loss_are_its_central_differences(rng, options):
    x, answers = map(np.stack, zip(*(PAGE["document"](rng, 8) for _ in range(3)), strict=True))
    weights = [rng.standard_normal((9, d)) / 3 for d in (5, 5, 4)]
    _, slopes = PAGE["loss_and_slopes"](weights, x, answers, **options)

    def loss():
        return PAGE["loss_and_slopes"](weights, x, answers, **options)[0]

    for slope, w in zip(slopes, weights, strict=True):
        expected = [slope_between(loss, w, at, step=1e-5) for at in np.ndindex(w.shape)]
        np.testing.assert_allclose(slope.ravel(), expected, rtol=1e-6, atol=1e-9)


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


def test_the_curve_begins_at_a_blind_guess_and_ends_near_zero():
    losses = np.array(PAGE["losses"])
    assert abs(losses[:5].mean() - math.log(4)) < 0.1
    assert losses[40:].mean() < 0.25
    assert losses[-10:].mean() < 0.06


def test_rows_spread_at_first_and_find_the_nearest_opener_of_their_level_in_the_end():
    from attention import attention_weights

    on_level, on_answer = [], []
    for step in (0, 50, 100):
        w_q, w_k, _ = PAGE["run"][step]
        weights = attention_weights(X @ w_q, X @ w_k, **CAUSAL)
        on_level.append(share((weights * OPENERS).sum(axis=-1)))
        nearest = np.array([[-1 if j is None else j for j in by_reading_upwards(x)] for x in X])
        on_answer.append(share(np.take_along_axis(weights, nearest[..., None], axis=-1)[..., 0]))
    assert on_level[0] < 0.3 < 0.7 < on_level[1] < on_level[2]
    assert on_answer[0] < 0.25 < 0.5 < on_answer[1] < 0.8 < on_answer[2]


def test_without_line_numbers_only_a_lone_candidate_is_safe():
    above = (OPENERS * np.tri(12, k=-1)).sum(axis=-1)  # candidates
    hits = PAGE["guess"](PAGE["blind"][-1], PAGE["unnumbered_new"], **CAUSAL).argmax(axis=-1) == NAMES
    assert above[ASKED].min() == 1
    assert share(hits, above == 1) == 1
    assert 0.58 < share(hits, above == 2) < 0.68  # tossing a coin: 0.625
    assert 0.4 < share(hits, above == 3) < 0.6
    assert share(PAGE["hits"]) == 1
    tied = [0, 0]
    for x, answers in zip(X, NAMES, strict=True):  # with two candidates, are the names equal?
        for t, own in enumerate(by_reading_upwards(x)):
            same = [j for j in range(t) if not x[j, CLOSES] and (x[j, LEVEL] == x[t, LEVEL]).all()]
            if own is not None and len(same) == 2:
                tied[0] += x[same[0], answers[t]]
                tied[1] += 1
    assert 0.2 < tied[0] / tied[1] < 0.3


def test_without_the_mask_the_first_and_the_last_can_win_but_none_in_between():
    hits = PAGE["guess"](PAGE["open_run"][-1], X).argmax(axis=-1) == NAMES
    above = (OPENERS * np.tri(12, k=-1)).sum(axis=-1)
    below = OPENERS.sum(axis=-1) - above
    assert min(share(hits, (above == 1) & (below > 0)), share(hits, (above > 1) & (below == 0))) > 0.85
    assert share(hits, (above > 1) & (below > 0)) < 0.5
    w_q, w_k, _ = PAGE["open_run"][-1]
    for x in X[:50]:  # its score for a line is a straight function of the number of that line
        moved = [np.where(np.arange(9) == LINE, place, x) for place in (0, 1, 2)]
        first, second, third = (x @ w_q @ w_k.T @ one.T for one in moved)
        np.testing.assert_allclose(third - second, second - first, atol=1e-12)
