"""<training-replay>: a grid for each step without a script, one at a time with it, and what it refuses."""

from tests.site.fences.reading import Figure, answer, rows, text

REPLAY = Figure.sound("training-replay")
SAYS = [
    "After 0 steps: 0 of 2 names are right here, and 25% of all that are held out.",
    "After 4 steps: 1 of 2 names are right here, and 50% of all that are held out.",
    "After 8 steps: 2 of 2 names are right here, and 100% of all that are held out.",
]


def test_every_step_has_its_grid_its_guesses_and_its_sentence():
    root, dash = REPLAY.still(), "\N{EN DASH}"
    assert [rows(one) for one in root.findall(".//div[@class='checkpoint']")] == [
        [["1 </?>", ".50", ".50", dash, "s, not b"], ["2 </?>", ".25", ".25", ".50", "u, not b"]],
        [["1 </?>", ".75", ".25", dash, "b, right"], ["2 </?>", ".50", ".25", ".25", "u, not b"]],
        [["1 </?>", "1.00", ".00", dash, "b, right"], ["2 </?>", "1.00", ".00", ".00", "b, right"]],
    ]
    shades = [float(cell.get("data-weight")) for cell in root.findall(".//td[@data-weight]")]
    assert shades == [0.5, 0.5, 0, 0.25, 0.25, 0.5, 0.75, 0.25, 0, 0.5, 0.25, 0.25, 1, 0, 0, 0.996, 0, 0.004]
    assert [text(one) for one in root.findall(".//div[@class='checkpoint']/p")] == SAYS
    assert answer(root) == "0, 1 and 2."
