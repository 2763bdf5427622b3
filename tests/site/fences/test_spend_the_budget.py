"""Spend the budget: the distance by counting, what is seen before and after, and what does not fit."""

import json
from collections import Counter

from tests.site.fences.reading import Figure

BUDGET = Figure.sound("spend-the-budget")
NEAREST = "a" * 4 + "d" * 12  # which a rule that takes the nearest noun might lay


@BUDGET.on_500_states
def test_500_hands_are_as_far_from_the_weights_as_counting_says(rng):
    n, blocks = int(rng.integers(1, 17)), int(rng.integers(2, 33))
    laid, theirs = ([int(word) for word in rng.integers(n, size=size)] for size in (rng.integers(blocks + 1), blocks))
    common = Counter(laid) & Counter(theirs)  # what can be paired off, block for block
    expected = {"mine": [laid.count(word) for word in range(n)], "left": blocks - len(laid)}
    expected |= {"distance": len(laid) - common.total()}
    expected |= {"astray": [laid.count(word) - common[word] for word in range(n)]}
    data = {"words": ["w"] * n, "blocks": blocks, "weights": [theirs.count(word) for word in range(n)]}
    return data, {"laid": "".join(map("abcdefghijklmnop".__getitem__, laid))}, expected


def test_hands_and_places_move_blocks_and_never_more_than_there_are():
    root = BUDGET.live(laid="aabbbbbbbbbbbbb")  # one is left
    hands = [
        [json.loads(button.get("data-set", "{}")).get("laid") for button in cell.iter("button")]
        for cell in root.findall(".//td[@class='hand']")
    ]
    assert hands[0] == ["aaa" + "b" * 13, "a" + "b" * 13]
    assert hands[4] == ["aabbbbbbbbbbbbbe", None]
    places = root.find(".//tbody/tr/td[@class='lane']").iter("i")
    assert [json.loads(place.get("data-set"))["laid"].count("a") for place in places] == [1, 1, *[3] * 14]
    full = BUDGET.live(laid="b" * 16).find(".//td[@class='hand']")
    assert ["data-set" in button.attrib for button in full.iter("button")] == [False, False]


def test_then_both_are_seen_side_by_side():
    root = BUDGET.live(laid=NEAREST, shown="yes")
    places = [
        [place.get("class") or "" for place in lane.iter("i")] for lane in root.findall(".//tbody//td[@class='lane']")
    ]
    assert places[0] == 4 * ["laid"] + 12 * [""] + 8 * ["weight"] + 8 * [""]
    assert places[3] == 2 * ["laid"] + 10 * ["laid astray"] + 4 * [""] + 2 * ["weight"] + 14 * [""]
