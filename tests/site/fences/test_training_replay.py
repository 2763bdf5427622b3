"""<training-replay> as it stands without a script: a grid for each step, its guesses, and what it refuses."""

import numpy as np

from docs_ext.extensions import fences
from docs_ext.fences import training_replay
from docs_ext.html import renderer
from tests.site.fences.reading import read, refuses, rows, text

STEPS = [
    {"step": 0, "weights": [[0.5, 0.5, 0], [0.25, 0.25, 0.5]], "guesses": ["s", "u"], "accuracy": 0.25},
    {"step": 4, "weights": [[0.75, 0.25, 0], [0.5, 0.25, 0.25]], "guesses": ["b", "u"], "accuracy": 0.504},
    {"step": 8, "weights": [[1, 0, 0], [0.996, 0, 0.004]], "guesses": ["b", "b"], "accuracy": 1},
]
SPEC = {
    "id": "t",
    "caption": "c",
    "tokens": ["0 <b>", "1 </?>", "2 </?>"],
    "asks": [1, 2],
    "answers": ["b", "b"],
    "checkpoints": repr(STEPS),
}


def document(**change):
    return read(fences.draw("training-replay", SPEC | change))


def test_every_step_has_its_grid_and_its_guesses():
    tables = [rows(one) for one in document().findall(".//div[@class='checkpoint']")]
    dash = "\N{EN DASH}"
    assert tables == [
        [["1 </?>", ".50", ".50", dash, "s, not b"], ["2 </?>", ".25", ".25", ".50", "u, not b"]],
        [["1 </?>", ".75", ".25", dash, "b, right"], ["2 </?>", ".50", ".25", ".25", "u, not b"]],
        [["1 </?>", "1.00", ".00", dash, "b, right"], ["2 </?>", "1.00", ".00", ".00", "b, right"]],
    ]


def test_weights_stand_in_the_cells_to_the_last_digit():
    cells = document().findall(".//td[@data-weight]")
    given = np.array([one["weights"] for one in STEPS])
    assert [float(cell.get("data-weight")) for cell in cells] == given.ravel().tolist()
    masked = [cell.get("data-masked") is not None for cell in cells]
    assert masked == [False, False, True, False, False, False] * 3


def test_each_step_says_what_it_shows_and_the_prediction_counts():
    says = [text(one) for one in document().findall(".//div[@class='checkpoint']/p")]
    assert says == [
        "After 0 steps: 0 of 2 names are right here, and 25% of all that are held out.",
        "After 4 steps: 1 of 2 names are right here, and 50% of all that are held out.",
        "After 8 steps: 2 of 2 names are right here, and 100% of all that are held out.",
    ]
    assert text(document().find(".//details/p")) == "0, 1 and 2."
    assert "How many of these 2 names" in text(document().find(".//summary"))


def test_the_slider_shows_one_step_alone_and_says_it():
    given = renderer.plain({"id": "t", "title": "c", **training_replay.data(SPEC)})
    live = {"problems": {}, "message": ""}
    for at, says in enumerate(("After 0 steps: 0 of 2", "After 4 steps: 1 of 2", "After 8 steps: 2 of 2")):
        drawn = read(renderer.call("widgets/training-replay.js", "html", given, {"at": at}, live)["text"])
        assert [text(one) for one in drawn.findall(".//caption")] == [f"After {STEPS[at]['step']} steps"]
        assert text(drawn.find(".//output")).startswith(says)
        assert text(drawn.find(".//span[@class='reading']")) == str(STEPS[at]["step"])


test_what_does_not_fit_is_refused = refuses(
    training_replay.data,
    SPEC,
    {
        "row that is not there": ({"asks": [1, 3]}, "asks", "rows from 0 to 2: [1, 3]"),
        "rows without answers": ({"asks": [1]}, "answers", "1 rows ask but there are 2 answers"),
        "no list": ({"checkpoints": repr(STEPS[0])}, "checkpoints", "list of mappings with step, weights"),
        "a part is missing": ({"checkpoints": repr([{"step": 0}])}, "checkpoints", "step, weights, guesses, accuracy"),
        "shape": (
            {"checkpoints": repr([STEPS[0] | {"weights": [[1.0]]}])},
            "checkpoints",
            "step 0 must have weights of shape (2, 3) and 2 guesses: (1, 1), 2",
        ),
        "no step half-way": (
            {"checkpoints": repr([STEPS[0], STEPS[2]])},
            "checkpoints",
            "the steps must hold 0, 4 and 8",
        ),
    },
)
