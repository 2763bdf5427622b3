"""<training-replay>: the first step and the last without a script, any of them with it, and what it refuses."""

import re

from tests.site.fences.reading import Figure, answer, text

REPLAY = Figure.sound("training-replay")
STEPS = REPLAY.given["checkpoints"]
SAYS = [
    "After 0 steps the loss is 1.40: 0 of 2 names are right here, and 25% of all that are held out. "
    "Line 1 listens most to line 0 (50%). Line 2 listens most to line 2 (50%).",
    "After 4 steps the loss is 0.70: 1 of 2 names are right here, and 50% of all that are held out. "
    "Line 1 listens most to line 0 (75%). Line 2 listens most to line 0 (50%).",
    "After 8 steps the loss is 0.07: 2 of 2 names are right here, and 100% of all that are held out. "
    "Line 1 listens most to line 0 (100%). Line 2 listens most to line 0 (100%).",
]
LINES = [
    ["0 <b>", "1 </s> not b", "2 </u> not b"],
    ["0 <b>", "1 </b> \u2713", "2 </u> not b"],
    ["0 <b>", "1 </b> \u2713", "2 </b> \u2713"],
]


def drawn(picture):
    """Return the lines, the thicknesses of the arcs as weights, and how far along and down the dot of the loss is."""
    (code,) = picture.findall(".//{*}svg[@class='code']")
    words = " ".join(one.text for one in code.findall("{*}text"))
    arcs = [float(arc.get("style").partition(":")[2]) / 15 for arc in code.findall("{*}path[@class='arc']")]
    dot = picture.find(".//{*}circle")
    lines = [line.strip() for line in re.split(r"(?=\b\d )", words) if line.strip()]
    return lines, arcs, (float(dot.get("cx")) / 160, float(dot.get("cy")) / 90)


def expected(n):
    first, second = STEPS[n]["weights"]
    return LINES[n], [*first[:2], *second], (n / 2, 1 - STEPS[n]["loss"] / 1.4)


def assert_draws(picture, n):
    lines, arcs, dot = drawn(picture)
    assert lines == expected(n)[0]
    assert [round(weight, 6) for weight in arcs] == expected(n)[1]  # no line below the one that asks
    assert [round(part, 4) for part in dot] == [round(part, 4) for part in expected(n)[2]]
    assert text(picture.find("figcaption")) == SAYS[n]


def test_the_first_step_and_the_last_stand_there_and_any_is_played():
    root = REPLAY.still()
    for picture, n in zip(root.findall(".//figure"), (0, 2), strict=True):
        assert_draws(picture, n)
    assert answer(root) == "0, 1 and 2."
    for n in range(3):
        live = REPLAY.live(at=n)
        assert_draws(live.find(".//figure"), n)
        assert text(live.find(".//output")) == SAYS[n]
        assert text(live.find(".//button[@class='play']")) == ("AgainPause" if n == 2 else "PlayPause")
