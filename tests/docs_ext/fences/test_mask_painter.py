"""The painter's static grid: its numbers against exact fractions, its presets, and what it refuses."""

import json
from fractions import Fraction

import pytest

pytest.importorskip("html5lib", reason="html5lib is not installed: pip install -e .[dev]")

import html5lib

from docs_ext.fences import mask_painter
from docs_ext.spec.errors import SpecError

SPEC = {
    "id": "p",
    "caption": "c",
    "tokens": "S5",
    "x": "embed(S5, EARLY5)",
    "w_q": "W_Q1",
    "w_k": "W_K",
    "w_v": "W_V",
    "masks": {"causal": "causal_mask(5)", "padding": "padding_mask(4, 5)", "none": "np.ones((5, 5), bool)"},
    "predict": {"row": "chased", "forbid": "cat"},
}


def parse(spec):
    return html5lib.parseFragment(mask_painter.render(spec), namespaceHTMLElements=False)


def rows(spec):
    return parse(spec).findall(".//tbody/tr")


def test_the_grid_stands_under_the_first_mask():
    found = [
        [Fraction(cell.get("data-weight")).limit_denominator(99) for cell in row.findall("td")[:-1]]
        for row in rows(SPEC)
    ]
    doublings = [[0] * 5, [3, 2, 0, 1, 0], [3, 2, 0, 1, 0], [0] * 5, [3, 2, 0, 1, 0]]
    for i, scores in enumerate(doublings):
        powers = [2**score if j <= i else 0 for j, score in enumerate(scores)]
        assert found[i] == [Fraction(power, sum(powers)) for power in powers]
    assert ["data-masked" in cell.attrib for cell in rows(SPEC)[1].findall("td")] == [
        False,
        False,
        True,
        True,
        True,
        False,
    ]
    outputs = ["".join(row.find("td[@class='output']").itertext()) for row in rows(SPEC)]
    assert outputs == ["(8, 0)", "(20/3, 4/3)", "(80/13, 16/13)", "(3, 3)", "(5, 2)"]


def test_a_mask_is_written_row_by_row_and_a_single_row_serves_all():
    masks = json.loads(parse(SPEC).find(".//mask-painter").get("data-masks"))
    assert masks == {"causal": "1000011000111001111011111", "padding": "11110" * 5, "none": "1" * 25}
    assert next(iter(masks)) == "causal"


def test_the_sentence_and_the_outline_belong_to_the_chosen_row():
    document = parse(SPEC | {"selected": "that"})
    sentence = "that: cat 2/3, that 1/3; masked: chased, dog, ran; sum 1; output (20/3, 4/3)"
    assert "".join(document.find(".//output").itertext()) == sentence
    assert ["data-chosen" in row.attrib for row in document.findall(".//tbody/tr")] == [
        False,
        True,
        False,
        False,
        False,
    ]


def test_the_prediction_is_answered_by_the_package():
    answer = "".join(parse(SPEC).find(".//details/p").itertext())
    assert answer.startswith("chased: that 4/5, chased 1/5; masked: cat, dog, ran; sum 1; output (3.2, 3.2)")


def test_words_are_escaped_and_a_word_that_is_there_twice_is_numbered():
    html = mask_painter.render(
        SPEC | {"tokens": ["<s>", "that", "chased", "<s>", "ran"], "predict": {"row": 2, "forbid": 0}}
    )
    assert "<s>" not in html
    assert "&lt;s&gt; (2nd)" in html


@pytest.mark.parametrize(
    ("change", "key", "message"),
    [
        pytest.param({"masks": "causal_mask(5)"}, "masks", "masks is a mapping", id="one mask"),
        pytest.param({"masks": {}}, "masks", "masks is a mapping", id="no masks"),
        pytest.param({"masks": {"c": "np.eye(5)"}}, "masks", "'c' must be boolean", id="numbers"),
        pytest.param({"masks": {"c": "causal_mask(4)"}}, "masks", r"\(4, 4\) does not fit 5 words", id="shape"),
        pytest.param({"masks": {"c": "causal_mask(5)[:2]"}}, "masks", r"\(2, 5\) does not fit", id="too few rows"),
        pytest.param({"w_v": None}, None, "give v", id="no values"),
        pytest.param({"predict": "chased"}, "predict", "predict is a mapping", id="predict what"),
        pytest.param({"predict": {"row": "cat", "forbid": "dog"}}, "predict", "already", id="forbidden already"),
        pytest.param({"predict": {"row": "bird", "forbid": "dog"}}, None, "'bird'", id="unknown word"),
    ],
)
def test_what_does_not_fit_is_refused(change, key, message):
    with pytest.raises(SpecError, match=message) as error:
        mask_painter.render(SPEC | change)
    if key:
        assert error.value.key == key
