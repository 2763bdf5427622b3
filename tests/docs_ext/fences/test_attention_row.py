"""One row of attention as lanes: its numbers against exact fractions, and what it refuses."""

from docs_ext.fences import attention_row
from tests.docs_ext.fences.reading import HEAD, read, refuses, rows

SPEC = {
    "id": "r",
    "caption": "c",
    **HEAD,
    "query": "ran",
    "unit": {"name": "doublings", "size": "np.log(2)"},
}


def cells(spec, part="tbody"):
    return rows(read(attention_row.render(spec)), f".//{part}/tr")


def test_a_lane_shows_key_score_weight_value_and_their_product():
    assert cells(SPEC) == [
        ["cat", "(2, 4, 0, 2)", "3", "1/2", "(8, 0)", "(4, 0)"],
        ["that", "(2, 2, 1, 0)", "2", "1/4", "(4, 4)", "(1, 1)"],
        ["chased", "(0, 0, 1, 0)", "0", "1/16", "(0, 0)", "(0, 0)"],
        ["dog", "(2, 0, 0, -2)", "1", "1/8", "(0, 8)", "(0, 1)"],
        ["ran", "(0, 0, 1, 0)", "0", "1/16", "(0, 0)", "(0, 0)"],
    ]
    assert cells(SPEC, "tfoot") == [["sum", "", "", "1", "", "(5, 2)"]]


def test_the_head_names_the_unit_of_the_scores():
    assert "score, doublings" in cells(SPEC, "thead")[0]
    assert "score" in cells({key: item for key, item in SPEC.items() if key != "unit"}, "thead")[0]


def test_a_bar_is_as_long_as_its_weight():
    root = read(attention_row.render(SPEC))
    widths = [cell.get("style") for cell in root.findall(".//tbody/tr/td[@class='share']")]
    assert [round(float(width.removeprefix("--w:")), 12) for width in widths] == [1 / 2, 1 / 4, 1 / 16, 1 / 8, 1 / 16]


def test_a_masked_lane_says_so_and_hands_nothing_over():
    causal = cells(SPEC | {"query": "that", "options": {"is_causal": True}})
    assert [row[3] for row in causal] == ["2/3", "1/3", "masked", "masked", "masked"]
    assert [row[5] for row in causal[2:]] == ["", "", ""]


REFUSED = {
    "no values": ({"w_v": None}, None, "need values"),
    "unknown word": ({"query": "bird"}, "query", "query must be a word or an index"),
    "unit without size": ({"unit": "doublings"}, "unit", "unit is a mapping"),
    "shapes": ({"w_k": "W_V"}, None, "must share d_k"),
}
test_lanes_refuse_what_they_cannot_show = refuses(attention_row.render, SPEC, REFUSED)
