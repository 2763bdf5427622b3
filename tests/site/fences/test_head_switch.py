"""The head switch: its cases against exact fractions, its HTML, and what it refuses."""

from fractions import Fraction

from docs_ext.fences import head_switch
from tests.site.fences.reading import plain, read, refuses, rows

SPEC = {
    "id": "h",
    "caption": "c",
    "sentences": ["S5", "T5"],
    "positions": "EARLY5",
    "w_q": ["W_Q1", "W_Q2"],
    "w_k": "W_K",
    "w_v": "W_V",
    "w_o": "W_O",
    "asks": ["the first noun", "the last noun"],
    "selected": "chased",
}
DOUBLINGS = ((3, 2, 0, 1, 0), (1, 2, 0, 3, 0))  # of head 1 and head 2 for chased, in either order


def parse(spec):
    return read(head_switch.render(spec))


def cases(spec=SPEC):
    return head_switch._cases(spec)


def test_the_table_holds_exact_weights_and_blends_of_both_heads_and_their_average():
    drawn = parse(SPEC).findall(".//table[@class='weights']/tbody/tr")
    heads = [[Fraction(2**n, 16) for n in doublings] for doublings in DOUBLINGS]
    expected = [*heads, [(a + b) / 2 for a, b in zip(*heads, strict=True)]]
    found = [[Fraction(float(cell.get("data-weight"))).limit_denominator(99) for cell in row[1:-1]] for row in drawn]
    assert found == expected
    assert [plain(row[-1]) for row in drawn] == ["(5, 2)", "(2, 5)", "(3.5, 3.5)"]
    assert [plain(row[0]) for row in drawn] == ["head 1: the first noun", "head 2: the last noun", "average"]
    assert ["hidden" in row.attrib for row in drawn] == [False, False, True]
    assert rows(parse(SPEC), ".//tfoot/tr") == [["handed on", "[5, 2 | 2, 5] times WO", "(3, -3)"]]


def test_each_case_is_told_in_a_sentence():
    told = [head_switch.statement(cases(), order, how, 2) for order in (0, 1) for how in (0, 1)]
    assert [line.replace("\N{MINUS SIGN}", "-") for line in told] == [
        "cat that chased dog ran, heads side by side: chased receives (5, 2) and (2, 5), "
        "which the output matrix makes (3, -3). "
        "With cat and dog swapped, chased ends with (-3, 3).",
        "cat that chased dog ran, heads averaged: chased receives (3.5, 3.5). "
        "With cat and dog swapped, chased receives (3.5, 3.5).",
        "dog that chased cat ran, heads side by side: chased receives (2, 5) and (5, 2), "
        "which the output matrix makes (-3, 3). "
        "With cat and dog swapped, chased ends with (3, -3).",
        "dog that chased cat ran, heads averaged: chased receives (3.5, 3.5). "
        "With cat and dog swapped, chased receives (3.5, 3.5).",
    ]
    assert plain(parse(SPEC).find(".//output")) == told[0].replace("\N{MINUS SIGN}", "-")


def test_the_prediction_is_answered_by_the_package():
    answer = plain(parse(SPEC).find(".//details[@class='question']/p"))
    assert answer == (
        "It receives (3.5, 3.5), and (3.5, 3.5) after the swap. "
        "Side by side, and joined by WO, it is (3, -3) and (-3, 3)."
    )


REFUSED = {
    "the same sentence": ({"sentences": ["S5", "S5"]}, "sentences", "two words swapped"),
    "one head": ({"w_q": ["W_Q1"]}, "w_q", "two heads"),
    "one matrix": ({"w_q": "W_Q1"}, "w_q", "two heads"),
    "unknown matrix": ({"w_q": ["W_Q1", "W_Q9"]}, "w_q", "W_Q9"),
    "too few rows to join": ({"w_o": "W_O[:2]"}, "w_o", "(2, 2)"),
    "one asks": ({"asks": ["the first noun"]}, "asks", "two"),
    "unknown word": ({"selected": "cow"}, "selected", "'cow'"),
    "another width": ({"w_k": "np.eye(3)"}, None, "(3, 3)"),
}
test_what_does_not_fit_is_refused = refuses(head_switch.render, SPEC, REFUSED)
