"""Design a head: shares and goals against the package, each goal within reach, and what it ticks and refuses."""

import json
from itertools import product

import numpy as np
import pytest

from attention import attention_weights
from attention.example import EARLY, SENTENCE, SWAPPED, W_K, W_Q1, embed
from docs_ext.extensions import draw_fences as fences
from docs_ext.reading.keys import parse
from docs_ext.reading.page import load
from tests.site.fences.reading import Figure, plain, says

[FENCE] = load("learn/line-by-line.md").fences("design-a-head")
DESIGN = Figure("design-a-head", **parse(FENCE.text)[0])
SENTENCES = {"dogs": SENTENCE, "cats": SWAPPED}  # by their last noun
GOALS = {  # what the page says, and the goal in Python: shares by word, and the last noun of the sentence
    "every word gets the same": lambda w, _: max(w.values()) - min(w.values()) < 1e-9,
    "each verb gets more than either animal": lambda w, _: (
        min(w["chased"], w["ran"]) > max(w["cats"], w["dogs"]) + 1e-9
    ),
    "dogs gets at least half, wherever it is": lambda w, _: w["dogs"] > 1 / 2 - 1e-9,
    "the last noun gets at least half, whichever it is": lambda w, last: w[last] > 1 / 2 - 1e-9,
    "the pronoun who gets at least half": lambda w, _: w["who"] > 1 / 2 - 1e-9,
}


def shares(setting):
    """Return what ran gives to each word, by the last noun of the sentence, computed by the package."""
    w_q = W_Q1.copy()
    w_q[2] = np.log(2) * np.array(setting)
    for last, words in SENTENCES.items():
        x = embed(words, EARLY)
        yield last, dict(zip(words, attention_weights(x[4:] @ w_q, x @ W_K)[0].tolist(), strict=True))


def reached(setting):
    both = list(shares(setting))
    return [all(holds(weights, last) for last, weights in both) for holds in GOALS.values()]


def state(row):
    return dict(zip(DESIGN.given["features"]["key"], row, strict=True))


def test_the_goals_of_the_page_are_these_and_each_is_within_reach_but_none_at_first():
    grid = {setting: reached(setting) for setting in product(range(-4, 5), repeat=4)}
    assert [plain(aim) for aim in DESIGN.still().findall(".//ul[@class='aims']/li")] == list(GOALS)
    assert not any(grid[1, 1, 0, 0])
    assert np.any(list(grid.values()), axis=0).all()
    same, _, animal, last, pronoun = ([one for one in grid if grid[one][goal]] for goal in range(5))
    assert same == [(0, 0, 0, 0)]  # as the page says of them
    assert max(which for *_, which in animal) < 0
    assert max(early for _, early, *_ in last) < 0
    assert min(map(np.count_nonzero, pronoun)) == 2


def test_shares_and_goals_are_the_packages_on_a_coarse_grid_and_500_more_rows():
    rng = np.random.default_rng(0)
    some = [*product((-4, 0, 3), repeat=4), *map(tuple, rng.integers(-4, 5, (500, 4)).tolist())]
    for row in some:
        shown = DESIGN.call("compute", DESIGN.given, state(row))
        expected = [list(weights.values()) for _, weights in shares(row)]
        np.testing.assert_allclose(shown["weights"], expected, rtol=0, atol=1e-12)
        assert shown["reached"] == reached(row), row


def test_a_goal_once_reached_stays_ticked():
    buttons = {plain(button): button.get("data-set") for button in DESIGN.live(noun=0).findall(".//button")}
    assert json.loads(buttons["- early"]) == {"early": 0, "met": "10000"}
    assert json.loads(buttons["All 0"]) == state((0, 0, 0, 0)) | {"met": "10000"}
    ticked = [
        [aim.get("data-met") is not None for aim in DESIGN.live(**given).findall(".//ul[@class='aims']/li")]
        for given in (state((0, 0, 0, 0)), {"met": "10000"}, state((3, -1, 0, 0)) | {"met": "10000"})
    ]
    assert ticked == [[True, *[False] * 4], [True, *[False] * 4], [True, False, False, True, False]]
    assert says(DESIGN.live(met="11111")).endswith("Goals reached: all 5.")


def test_a_solution_that_reaches_no_goal_stops_the_build():
    with pytest.raises(ValueError, match="the solution reaches no goal"):
        fences.draw("design-a-head", DESIGN.spec | {"solution": [1, 1, 0, 0]})
