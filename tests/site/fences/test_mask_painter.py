"""The painter's static grid: its numbers against exact fractions, its presets, and what it refuses."""

from fractions import Fraction

from docs_ext.fences import mask_painter
from tests.site.fences.reading import HEAD, read, refuses, text

SPEC = HEAD | {
    "id": "p",
    "caption": "c",
    "masks": {"causal": "causal_mask(5)", "padding": "padding_mask(4, 5)", "none": "np.ones((5, 5), bool)"},
    "predict": {"row": "chased", "forbid": "cat"},
}


def parse(spec):
    return read(mask_painter.render(spec))


def test_the_grid_stands_under_the_first_mask():
    rows = parse(SPEC).findall(".//tbody/tr")
    found = [
        [Fraction(cell.get("data-weight")).limit_denominator(99) for cell in row.findall("td")[:-1]] for row in rows
    ]
    doublings = [[0] * 5, [3, 2, 0, 1, 0], [3, 2, 0, 1, 0], [0] * 5, [3, 2, 0, 1, 0]]
    for i, scores in enumerate(doublings):
        powers = [2**score if j <= i else 0 for j, score in enumerate(scores)]
        assert found[i] == [Fraction(power, sum(powers)) for power in powers]
    assert [n for n, cell in enumerate(rows[1].findall("td")) if "data-masked" in cell.attrib] == [2, 3, 4]
    outputs = [text(row.find("td[@class='output']")) for row in rows]
    assert outputs == ["(8, 0)", "(20/3, 4/3)", "(80/13, 16/13)", "(3, 3)", "(5, 2)"]


def test_the_sentence_and_the_outline_belong_to_the_chosen_row():
    document = parse(SPEC | {"selected": "that"})
    sentence = "that: cat 2/3, that 1/3; masked: chased, dog, ran; sum 1; output (20/3, 4/3)"
    assert text(document.find(".//output")) == sentence
    assert [n for n, row in enumerate(document.findall(".//tbody/tr")) if "data-chosen" in row.attrib] == [1]


def test_the_prediction_is_answered_by_the_package():
    answer = text(parse(SPEC).find(".//details/p"))
    assert answer.startswith("chased: that 4/5, chased 1/5; masked: cat, dog, ran; sum 1; output (3.2, 3.2)")


REFUSED = {
    "one mask": ({"masks": "causal_mask(5)"}, "masks", "masks is a mapping"),
    "no masks": ({"masks": {}}, "masks", "masks is a mapping"),
    "numbers": ({"masks": {"c": "np.eye(5)"}}, "masks", "'c' must be boolean"),
    "shape": ({"masks": {"c": "causal_mask(4)"}}, "masks", "(4, 4) does not fit 5 words"),
    "too few rows": ({"masks": {"c": "causal_mask(5)[:2]"}}, "masks", "(2, 5) does not fit"),
    "no values": ({"w_v": None}, None, "give v"),
    "predict what": ({"predict": "chased"}, "predict", "predict is a mapping"),
    "forbidden already": ({"predict": {"row": "cat", "forbid": "dog"}}, "predict", "already"),
    "unknown word": ({"predict": {"row": "bird", "forbid": "dog"}}, "row", "'bird'"),
}
test_what_does_not_fit_is_refused = refuses(mask_painter.render, SPEC, REFUSED)
