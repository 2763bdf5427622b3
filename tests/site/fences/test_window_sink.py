"""The window and its sink: what the script draws against the package and exact fractions, and what is refused."""

import numpy as np

from attention import attention_weights, sliding_window_mask
from tests.site.fences.reading import Figure, rows, says

WINDOW = Figure.sound("window-sink")


@WINDOW.on_500_states
def test_500_states_are_the_packages(rng):
    n = int(rng.integers(1, 7))
    q, k, v = rng.standard_normal((3, n, 3))
    left, right, keep = rng.integers(0, n, 3).tolist()
    sink = int(rng.integers(0, 8))
    mask = sliding_window_mask(n, left=left, right=right)
    mask |= sliding_window_mask(n, left=None) & (np.arange(n) < keep)
    weights = attention_weights(q, k, mask=mask, sink=(sink - 1) * np.log(2) if sink else None)
    state = {"left": left, "right": right, "keep": keep, "sink": sink, "row": 0}
    expected = {"mask": mask, "weights": weights, "outputs": weights @ v}
    return {"words": list("abcdef"[:n]), "q": q, "k": k, "v": v}, state, expected


def test_a_sink_has_a_column_with_what_it_takes():
    root = WINDOW.live(left=4, sink=4)  # 8 of 24, of which ran has 8 + 4 + 1 + 2 + 1
    cells = ["1/3 0.333", "1/6 0.167", "1/24 0.042", "1/12 0.083", "1/24 0.042", "1/3 0.333", "(10/3, 4/3)"]
    assert rows(root)[4][1:] == cells
    assert says(root).endswith("sum 2/3; the sink takes 1/3; output (10/3, 4/3)")
    assert rows(WINDOW.still())[4][6] == "none"


def test_the_sentence_and_the_outline_belong_to_the_chosen_row():
    root = WINDOW.still()
    assert says(root) == "ran: dogs 1/2, chased 1/4, ran 1/4; masked: cats, who; sum 1; output (0, 4)"
    lines = root.findall(".//tbody/tr")
    assert ["data-chosen" in row.attrib for row in lines] == [False] * 4 + [True]
    assert [len(row.findall("td[@data-masked]")) for row in lines] == [4, 3, 2, 2, 2]  # of itself and two words back
