"""The decode stepper: its steps against the package's cache, what it draws, and what it refuses."""

import numpy as np

from attention import KVCache, attention_scores, attention_weights, causal_mask
from tests.site.fences.reading import Figure, rows, text

STEPPER = Figure.sound("decode-stepper")


@STEPPER.on_500_states
def test_500_steps_are_those_of_the_packages_cache(rng):
    n, window, sees = int(rng.integers(1, 7)), int(rng.integers(1, 8)), str(rng.choice(["all", "window", "first"]))
    q, k, v = rng.standard_normal((3, n, 2))
    step = int(rng.integers(1, n + 1))
    cache = KVCache(window=window if sees == "window" else None)
    for t in range(step):
        keys, values = cache.append(k[t : t + 1], v[t : t + 1])
    new, gone = slice(step - 1, step), step - len(keys)
    mask = causal_mask(1, len(keys), offset=0 if sees == "first" else len(keys) - 1)
    weights = attention_weights(q[new], keys, mask=mask)
    expected = {
        "from": gone,
        "allowed": np.pad(mask[0], (gone, n - step)),
        "scores": attention_scores(q[new], k)[0] / np.log(2),
        "weights": np.pad(weights[0], (gone, n - step)),
        "output": (weights @ values)[0],
    }
    return {"q": q, "k": k, "v": v, "window": window}, {"step": step, "sees": sees}, expected


def test_the_shelf_holds_what_is_cached_and_only_the_new_query_has_arcs():
    root = STEPPER.live(step=4, sees="window")
    slots = root.findall(".//*[@class='shelf']/div")
    cards = [[card.get("class")[5:] for card in slot.findall("span")] for slot in slots]
    assert cards == [[], [], ["key", "value"], ["key", "value", "query"], []]
    assert [text(slot.find("small")) for slot in slots] == ["pushed out", "pushed out", "cached", "new", "to come"]
    assert [text(share) for share in root.findall(".//*[@class='number']")] == ["2/3", "1/3"]
    assert [arc.get("data-key") for arc in root.findall(".//*[@data-key]")] == ["2", "3"]
    assert [text(stack) for stack in root.findall(".//p/../div/b")] == ["4", "10"]


def test_a_table_shows_all_steps():
    assert rows(STEPPER.still(), ".//details[last()]/div/table/tbody/tr") == [
        ["1", "cats", "(8, 0)", "1", "1", "1", "1"],
        ["2", "who", "(20/3, 4/3)", "1", "2", "2", "4"],
        ["3", "chased", "(80/13, 16/13)", "1", "3", "3", "9"],
        ["4", "dogs", "(40/9, 16/9)", "1", "4", "4", "16"],
        ["5", "ran", "(5, 2)", "1", "5", "5", "25"],
    ]
