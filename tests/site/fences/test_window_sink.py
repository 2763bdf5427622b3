"""The window and its sink: what the script draws against the package and exact fractions, and what is refused."""

import numpy as np

from attention import attention_weights, sliding_window_mask
from docs_ext.extensions import fences
from docs_ext.fences import window_sink
from docs_ext.html import renderer
from tests.site.fences.reading import HEAD, read, refuses, rows, text

SPEC = HEAD | {"id": "w", "caption": "c", "left": 2}


def parse(spec):
    return read(fences.draw("window-sink", spec))


def test_500_states_are_the_packages():
    rng = np.random.default_rng(3)
    for _ in range(500):
        n = int(rng.integers(1, 7))
        q, k, v = rng.standard_normal((3, n, 3))
        left, right, keep = rng.integers(0, n, 3).tolist()
        sink, words = int(rng.integers(0, 8)), list("abcdef"[:n])
        state = {"left": left, "right": right, "keep": keep, "sink": sink, "row": 0}
        shown = renderer.call("widgets/window-sink.js", "compute", {"words": words, "q": q, "k": k, "v": v}, state)
        mask = sliding_window_mask(n, left=left, right=right)
        mask |= sliding_window_mask(n, left=None) & (np.arange(n) < keep)
        weights = attention_weights(q, k, mask=mask, sink=(sink - 1) * np.log(2) if sink else None)
        assert shown["mask"] == mask.tolist()
        np.testing.assert_allclose(shown["weights"], weights, rtol=0, atol=1e-12)
        np.testing.assert_allclose(shown["outputs"], weights @ v, rtol=0, atol=1e-12)


def test_a_sink_has_a_column_with_what_it_takes():
    given = renderer.plain({"id": "w", "title": "c", **window_sink.data(SPEC)})
    state = {"left": 4, "right": 0, "keep": 0, "sink": 5, "row": 4}  # 16, of which ran has 8 + 4 + 1 + 2 + 1
    drawn = read(renderer.call("widgets/window-sink.js", "html", given, state, None)["text"])
    assert rows(drawn)[4] == [
        "ran",
        "1/4 0.250",
        "1/8 0.125",
        "1/32 0.031",
        "1/16 0.063",
        "1/32 0.031",
        "1/2 0.500",
        "(2.5, 1)",
    ]
    assert text(drawn.find(".//output")).endswith("sum 1/2; the sink takes 1/2; output (2.5, 1)")
    assert rows(parse(SPEC))[4][6] == "none"


def test_the_sentence_and_the_outline_belong_to_the_chosen_row():
    document = parse(SPEC)
    sentence = "ran: dog 1/2, chased 1/4, ran 1/4; masked: cat, that; sum 1; output (0, 4)"
    assert text(document.find(".//output")) == sentence
    assert ["data-chosen" in row.attrib for row in document.findall(".//tbody/tr")] == [False] * 4 + [True]


def test_the_prediction_is_answered_by_the_package():
    question, answer = (text(parse(SPEC).find(f".//details/{part}")) for part in ("summary", "p"))
    assert "cat is hidden from ran" in question
    assert answer.startswith("ran: cat 2/3, dog 1/6, chased 1/12, ran 1/12; masked: that; sum 1; output (16/3, 4/3)")


REFUSED = {
    "wider than the sentence": ({"left": 5}, "left", "0 to 4"),
    "a switch": ({"left": True}, "left", "whole number"),
    "negative": ({"left": -1}, "left", "whole number"),
    "nothing to predict": ({"selected": "chased"}, "selected", "sees the first word already"),
    "no values": ({"w_v": None}, None, "give v"),
}
test_what_does_not_fit_is_refused = refuses(window_sink.data, SPEC, REFUSED)
