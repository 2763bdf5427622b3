"""The decode stepper: its steps against the package's cache, its HTML, and what it refuses."""

import numpy as np

from attention import KVCache, attention_scores, attention_weights, causal_mask
from docs_ext.extensions import fences
from docs_ext.fences import decode_stepper
from docs_ext.html import renderer
from tests.site.fences.reading import HEAD, read, refuses, rows, text

SCRIPT = "widgets/decode-stepper.js"
SPEC = HEAD | {"id": "d", "caption": "c", "window": 2, "step": 3}


def parse(spec):
    return read(fences.draw("decode-stepper", spec))


def live(**state):
    given = {"id": "d", "title": "c", **decode_stepper.data(SPEC)}
    return read(renderer.call(SCRIPT, "html", given, state, {"problems": {}, "message": ""})["text"])


def test_500_steps_are_those_of_the_packages_cache():
    rng, told = np.random.default_rng(0), 0
    while told < 500:
        n, window, sees = int(rng.integers(1, 7)), int(rng.integers(1, 8)), str(rng.choice(["all", "window", "first"]))
        q, k, v = rng.standard_normal((3, n, 2))
        cache = KVCache(window=window if sees == "window" else None)
        for t in range(1, n + 1):
            given, state = {"q": q, "k": k, "v": v, "window": window}, {"step": t, "sees": sees}
            shown = renderer.call(SCRIPT, "compute", given, state)
            new = slice(t - 1, t)
            keys, values = cache.append(k[new], v[new])
            mask = causal_mask(1, len(keys), offset=0 if sees == "first" else len(keys) - 1)
            weights = attention_weights(q[new], keys, mask=mask)
            kept = slice(shown["from"], t)
            assert t - shown["from"] == len(keys)
            assert shown["allowed"][kept] == mask[0].tolist()
            assert sum(shown["allowed"]) == mask.sum()
            scores = attention_scores(q[new], keys)[0] / np.log(2)
            np.testing.assert_allclose(shown["scores"][kept], scores, rtol=0, atol=1e-12)
            np.testing.assert_allclose(shown["weights"][kept], weights[0], rtol=0, atol=1e-12)
            np.testing.assert_allclose(shown["output"], (weights @ values)[0], rtol=0, atol=1e-12)
            told += 1


def test_the_cells_say_what_is_cached_new_and_to_come():
    root = live(step=4, sees="window")
    shown = rows(root)[:5]
    assert shown[2] == ["chased", "cached", "(0, 0, 1, 0)", "0", "1/2", "(0, 0)", "(0, 0)"]
    assert [row[1] for row in shown] == ["pushed out", "pushed out", "cached", "new", "to come"]
    assert [any(row[2:]) for row in shown] == [False, False, True, True, False]
    assert text(root.find(".//output")) == (
        "Step 4, dog: chased 1/2, dog 1/2; output (0, 4). Keys computed so far: 4, without a cache 10. Keys kept: 2."
    )
    root = live(step=2, sees="first")
    assert [row[4] for row in rows(root)[:5]] == ["1", "masked", "", "", ""]
    assert text(root.find(".//output")).startswith("Step 2, that, wrongly under a top-left mask: cat 1; output (8, 0).")


def test_a_table_shows_all_steps():
    assert rows(parse(SPEC), ".//details/div/table/tbody/tr") == [
        ["1", "cat", "(8, 0)", "1", "1", "1", "1"],
        ["2", "that", "(20/3, 4/3)", "1", "2", "2", "4"],
        ["3", "chased", "(80/13, 16/13)", "1", "3", "3", "9"],
        ["4", "dog", "(3, 3)", "1", "4", "4", "16"],
        ["5", "ran", "(5, 2)", "1", "5", "5", "25"],
    ]


def test_the_prediction_is_answered_in_numbers():
    assert text(parse(SPEC).find(".//details[@class='question']/p")) == (
        "One in each step, 5 in all: the others are in the cache. "
        "Without a cache step 3 computes 3 keys, and all steps together 15."
    )


REFUSED = {
    "beyond the text": ({"step": 6}, "step", "from 1 to 5"),
    "before it": ({"step": 0}, "step", "from 1 to 5"),
    "a flag": ({"step": True}, "step", "whole number"),
    "half a token": ({"window": 2.5}, "window", "whole number"),
    "a window that keeps all": ({"window": 6}, "window", "from 1 to 5"),
    "no values": ({"w_v": None}, None, "give v"),
    "other words": ({"tokens": "S7"}, "x", "7 words"),
}
test_what_does_not_fit_is_refused = refuses(decode_stepper.data, SPEC, REFUSED)
