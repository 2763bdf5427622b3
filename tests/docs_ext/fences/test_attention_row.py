"""One row of attention as lanes, and computed tables: their numbers against exact fractions, and what they refuse."""

import pytest

pytest.importorskip("html5lib", reason="html5lib is not installed: pip install -e .[dev]")

import html5lib

from docs_ext.fences import attention_row, computed_table
from docs_ext.spec.errors import SpecError

SPEC = {
    "id": "r",
    "caption": "c",
    "tokens": "S5",
    "x": "embed(S5, EARLY5)",
    "w_q": "W_Q1",
    "w_k": "W_K",
    "w_v": "W_V",
    "query": "ran",
    "unit": {"name": "doublings", "size": "np.log(2)"},
}


def cells(html, part="tbody"):
    root = html5lib.parseFragment(html, namespaceHTMLElements=False)
    return [[" ".join("".join(cell.itertext()).split()) for cell in row] for row in root.findall(f".//{part}/tr")]


def test_a_lane_shows_key_score_weight_value_and_their_product():
    assert cells(attention_row.render(SPEC)) == [
        ["cat", "(2, 4, 0, 2)", "3", "1/2", "(8, 0)", "(4, 0)"],
        ["that", "(2, 2, 1, 0)", "2", "1/4", "(4, 4)", "(1, 1)"],
        ["chased", "(0, 0, 1, 0)", "0", "1/16", "(0, 0)", "(0, 0)"],
        ["dog", "(2, 0, 0, \N{MINUS SIGN}2)", "1", "1/8", "(0, 8)", "(0, 1)"],
        ["ran", "(0, 0, 1, 0)", "0", "1/16", "(0, 0)", "(0, 0)"],
    ]
    assert cells(attention_row.render(SPEC), "tfoot") == [["sum", "", "", "1", "", "(5, 2)"]]


def test_the_head_names_the_unit_of_the_scores():
    assert "score, doublings" in cells(attention_row.render(SPEC), "thead")[0]
    assert (
        "score" in cells(attention_row.render({key: item for key, item in SPEC.items() if key != "unit"}), "thead")[0]
    )


def test_a_bar_is_as_long_as_its_weight():
    root = html5lib.parseFragment(attention_row.render(SPEC), namespaceHTMLElements=False)
    widths = [cell.get("style") for cell in root.findall(".//tbody/tr/td[@class='share']")]
    assert [round(float(width.removeprefix("--w:")), 12) for width in widths] == [1 / 2, 1 / 4, 1 / 16, 1 / 8, 1 / 16]


def test_a_masked_lane_says_so_and_hands_nothing_over():
    causal = cells(attention_row.render(SPEC | {"query": "that", "options": {"is_causal": True}}))
    assert [row[3] for row in causal] == ["2/3", "1/3", "masked", "masked", "masked"]
    assert [row[5] for row in causal[2:]] == ["", "", ""]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"w_v": None}, "need values", id="no values"),
        pytest.param({"query": "bird"}, "query must be a word or an index", id="unknown word"),
        pytest.param({"unit": "doublings"}, "unit is a mapping", id="unit without size"),
        pytest.param({"w_k": "W_V"}, "must share d_k", id="shapes"),
    ],
)
def test_lanes_refuse_what_they_cannot_show(change, message):
    with pytest.raises(ValueError, match=message):
        attention_row.render(SPEC | change)


def test_a_computed_table_holds_what_the_expression_gives():
    data = '[{"word": word, "weight": w} for word, w in zip(S5, attend(embed(S5, EARLY5), W_Q1)[0][4])]'
    html = computed_table.render({"id": "t", "caption": "a < b", "data": data})
    assert cells(html) == [["cat", "0.5"], ["that", "0.25"], ["chased", "0.0625"], ["dog", "0.125"], ["ran", "0.0625"]]
    assert "a &lt; b" in html


def test_a_table_of_typed_numbers_is_refused():
    with pytest.raises(SpecError, match="data is an expression"):
        computed_table.render({"id": "t", "caption": "c", "data": [{"weight": 0.5}]})
