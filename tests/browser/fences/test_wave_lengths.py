"""The wavelengths: every rule's frequencies and counts against Python, by mouse, keys and typing."""

import numpy as np
import pytest

from docs_ext.fences.wave_lengths import BASES, FEATURES, RULES, Head, change, statement
from tests.browser.widget import Widget, assert_in_sight, setting

pytestmark = pytest.mark.nightly

PAGE = "learn/distance/"
CONTRACT = [Widget("wave-lengths", PAGE, "rule=magic&s=9&n=1&base=1&d=12")]
SHOWN = """widget => ({
  says: widget.querySelector("output").textContent,
  after: [...widget.querySelectorAll(".pairs path")].map(e => Number(e.dataset.after)),
  lines: [...widget.querySelectorAll(".pairs path")].map(e => e.getAttribute("d")),
  fresh: widget.querySelectorAll(".pairs .new").length,
  rows: [...widget.querySelectorAll("tbody tr")].map(row => [...row.querySelectorAll("td")].map(e => e.textContent)),
  chosen: [...widget.querySelectorAll("tr[data-chosen]")].map(row => row.dataset.rule),
  error: widget.querySelector(".error").textContent,
})"""
SET = setting(SHOWN, "change")


def shown(widget):
    return widget.evaluate(SHOWN)


def test_wavelengths_counts_and_words_are_pythons(widget):
    rng = np.random.default_rng(0)
    static = widget.evaluate("async () => (await (await fetch(location.pathname)).text())")
    assert all(f'd="{line}"' in static for line in shown(widget)["lines"])  # the drawing of the build
    for _ in range(240):
        k, power = int(rng.integers(0, 7)), int(rng.integers(9, 18))
        base, features = int(np.exp(rng.uniform(*np.log(BASES)))), int(rng.choice(FEATURES))
        rule, head = str(rng.choice(list(RULES))), Head(2**k, 2**power, base, features)
        now = widget.evaluate(SET, {"rule": rule, "s": k, "n": power, "base": str(base), "d": features})
        made = {name: change(name, head) for name in RULES}
        np.testing.assert_allclose(now["after"], made[rule].after, rtol=1e-12, atol=0)
        assert now["fresh"] == made[rule].new.sum()
        assert now["says"] == statement(rule, head, made[rule])
        assert now["chosen"] == [rule]
        counted = [[one.new.sum(), one.kept, one.between, one.whole] for one in made.values()]
        assert [list(map(int, row[:4])) for row in now["rows"]] == counted
        read = [[float(x) for x in row[4:]] for row in now["rows"]]
        np.testing.assert_allclose(read, [[one.degrees, one.scores] for one in made.values()], rtol=0, atol=0.051)


def test_a_rule_is_chosen_by_pointer_and_by_keys(widget):
    widget.get_by_label("no rule").check()
    assert shown(widget)["fresh"] == 18
    widget.get_by_label("no rule").press("ArrowDown")
    assert shown(widget)["chosen"] == ["interpolation"]
    assert shown(widget)["fresh"] == 0
    assert widget.page.url.endswith("#~waves.rule=interpolation")


def test_a_base_may_be_typed_and_one_that_cannot_be_read_is_told(widget):
    base = widget.get_by_label("base", exact=True)
    base.fill("500000")
    base.press("Tab")
    before = shown(widget)["after"]
    assert before == pytest.approx(change("yarn", Head(4, 4096, 500000, 128)).after.tolist(), rel=1e-12)
    base.fill("1")
    base.press("Tab")
    assert "out of range" in shown(widget)["error"]
    assert shown(widget)["after"] == before
    base.fill("1e4")
    base.press("Tab")
    assert shown(widget)["error"] == ""


@pytest.mark.usefixtures("on_phone")
def test_on_a_phone_the_counts_of_new_angles_are_in_sight(widget):
    assert_in_sight(widget, "tbody tr:first-child td:nth-child(2)")
