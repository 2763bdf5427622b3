"""The next word: the model in the page against the one in NumPy, what is shown of it, and what somebody may type."""

from random import Random

import numpy as np
import pytest

from attention import attention_weights, softmax
from attention.little_model import WORDS, Switches, forward, load, next_words, record
from docs_ext.html import renderer
from examples.little_model.measuring import settings
from tests.site.fences.reading import Figure, rows, says, text
from tests.tables import each_row

FIGURE = Figure.sound("next-word")
MODEL = {"record": {part: record()[part] for part in ("words", "model", "weights")}}
OFF = {"nothing": "everything on"}
OFF |= {off: f"{off} off" for off in ("attention", "mask", "positions", "MLP", "norms", "residual")}


def live(**state):
    return FIGURE.live(FIGURE.given | MODEL, **state)


def written(most, by_chance=False, **state):
    start = FIGURE.call("first", FIGURE.given) | state
    return FIGURE.call("written", FIGURE.given | MODEL, start, most, by_chance)["text"]


def best(words, setting="everything on"):
    return next(iter(next_words(" ".join(words), settings()[setting])[0]))


def assert_same(ids, off, head):
    """Compare the scores and all weights in the page with NumPy's, for the same weights."""
    switches = settings()[OFF.get(off, f"head 1.{head} off")]
    scores, _, traces = forward(ids, load(np.float64), switches)
    weights = [attention_weights(trace.query, trace.key, is_causal=switches.mask) for trace in traces]
    state = {"text": " ".join(WORDS[i] for i in ids), "row": 0, "layer": 1, "head": head, "off": off, "heat": 15}
    shown = FIGURE.call("compute", FIGURE.given | MODEL, state)
    np.testing.assert_allclose(shown["found"]["scores"], scores[-1], atol=1e-10)
    np.testing.assert_allclose(shown["found"]["weights"], weights, atol=1e-12)
    np.testing.assert_allclose(shown["shares"], softmax(scores[-1] / 1.5), atol=1e-12)
    assert shown["order"][0] == scores[-1].argmax()


def test_the_page_and_numpy_agree_on_300_random_texts():
    rng = Random(0)
    for i in range(300):
        ids = [rng.randrange(len(WORDS)) for _ in range(1 + i % 32)]
        off = rng.choice([*OFF, "head"]) if i % 2 else "nothing"
        assert_same(ids, off, rng.randrange(4))


def test_the_page_shows_the_recorded_answer_and_the_weights_of_its_head():
    shares, weights = next_words("cats who chased dogs")
    root = FIGURE.still()
    shown = [row[0] for row in rows(root.find(".//table[@class='steps next']"))]
    assert shown == list(shares)[:6]
    percents = [float(row[1].strip(" <>%")) for row in rows(root.find(".//table[@class='steps next']"))]
    assert percents == pytest.approx([100 * share for share in list(shares.values())[:6]], abs=1)
    bars = [float(bar.get("style").removeprefix("--w:")) for bar in root.findall(".//span[@class='bar']")]
    np.testing.assert_allclose(bars, list(shares.values())[:6], atol=5e-5)
    assert f"after cats who chased dogs is {next(iter(shares))}, {100 * max(shares.values()):.0f}%, then" in says(root)
    for drawn, row in ((root, weights[1][1][-1]), (live(layer=0, head=0, row=3), weights[0][0][3])):
        paths = drawn.findall(".//{*}path[@data-key]")
        arcs = {int(path.get("data-key")): float(path.get("stroke-width")) for path in paths}
        seen = {i: max(28 * weight, 1.5) for i, weight in enumerate(row) if weight >= 0.01}
        assert arcs == pytest.approx(seen, abs=1e-3)


def test_what_a_switch_costs_is_what_was_measured():
    accuracy = record()["accuracy"]
    for off, setting in {**OFF, "head": "head 0.2 off"}.items():
        table = rows(live(off=off, layer=0, head=2).find(".//table[@class='steps tasks']"))
        for row, task in zip(table, ("agreement", "having", "singing", "order"), strict=True):
            measured = [accuracy["everything on"][task], *([accuracy[setting][task]] if off != "nothing" else [])]
            assert row[1:] == [percent(share) for share in measured]


def percent(share):
    return "<1%" if 0 < share < 0.005 else ">99%" if 0.995 <= share < 1 else f"{int(100 * share + 0.5)}%"


def test_it_writes_the_likeliest_words_or_draws_them_and_keeps_to_40():
    words = ["cats", "who", "chased", "dogs"]
    while words[-1] != ".":
        words.append(best(words))
    assert written(12) == " ".join(words)
    assert written(1) == " ".join(words[:5])
    full = ["two", *["cats", "run", "."] * 13]
    assert written(1, text=" ".join(full)).split()[:-1] == full[1:]
    assert written(5, True, seed=3) == written(5, True, seed=3) != written(5, True, seed=4)
    assert written(5, text="") == ""


def test_a_draw_takes_each_word_as_often_as_its_share_says():
    shares = np.array([0.5, 0, 0.3, 0.2])
    places = [renderer.call("lib/little-model.js", "drawn", shares, seed) for seed in range(1000)]
    np.testing.assert_allclose(np.bincount(places, minlength=4) / 1000, shares, atol=0.05)
    assert 1 not in places


@each_row("typed, expected", "next_word.toml", "typed")
def test_what_is_typed_is_read_or_refused(typed, expected):
    found = renderer.call("lib/little-model.js", "readWords", typed, WORDS)
    assert (expected in found["problem"] and not found["words"]) or " ".join(found["words"]) == expected
    assert len(found["problem"]) < 200


def test_a_strip_shows_four_bars_with_attention_and_without_and_leads_to_the_page():
    root = FIGURE.still(strip="learn/from-text-to-next-word/")
    off = Switches(heads=np.zeros((2, 4)))
    for kind, switches in (("on", None), ("off", off)):
        shown = [row[0] for row in rows(root.find(f".//div[@class='{kind}']"))]
        assert shown == list(next_words("cats who chased dogs", switches)[0])[:4]
    assert text(root.find(".//label")) == "attention off"
    assert root.find(".//a").get("href") == "learn/from-text-to-next-word/"
    assert "cats who chased dogs" in text(root)
