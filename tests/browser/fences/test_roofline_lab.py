"""The roofline lab: random settings against the fence that wrote the page, points and roofs included."""

import numpy as np
import pytest

from docs_ext.fences import roofline_lab
from docs_ext.fences.roofline_lab import Machine, duration, statement, work
from tests.browser.widget import Widget, setting

pytestmark = pytest.mark.nightly

PAGE = "learn/speed/"
CONTRACT = [Widget("roofline-lab", PAGE, "machine=3&pass=train&batch=11&context=8&kv=6")]
START = {"machine": 0, "pass": "step", "batch": 0, "context": 13, "kv": 3}
SHOWN = """lab => ({
  cells: [...lab.querySelectorAll(".steps tbody tr, .steps tfoot tr")].map(
    row => [...row.querySelectorAll("td")].map(cell => cell.textContent)),
  points: [".ridge", "g.matrices", "g.attention"].map(
    part => lab.querySelector(part).getAttribute("transform").match(/[\\d.]+/g).map(Number)),
  ridge: lab.querySelector(".ridge").textContent.trim(),
  chosen: [...lab.querySelectorAll(".roof")].map(roof => roof.hasAttribute("data-chosen")),
  readings: [...lab.querySelectorAll(".reading")].map(e => e.textContent),
  says: lab.querySelector("output").textContent,
})"""
SET = setting(SHOWN)
DATA = "lab => Object.fromEntries(Object.entries(lab.dataset).map(([name, text]) => [name, JSON.parse(text)]))"


def assert_agrees(shown, data, case):
    name, *numbers = data["machines"][case["machine"]]
    machine, prefill = Machine(*numbers), case["pass"] == "prefill"
    batch, n, shared = (2 ** case[key] for key in ("batch", "context", "kv"))
    parts = work(data["model"] | {"n_kv_heads": shared}, batch, n, n if prefill else 1, machine.itemsize)
    cells = roofline_lab._cells(machine, parts)
    assert shown["cells"] == [*cells["rows"].values(), cells["total"]]
    assert shown["says"] == statement(name, machine, parts, batch, n, prefill=prefill)
    assert shown["chosen"] == [i == case["machine"] for i in range(len(data["machines"]))]
    assert shown["readings"] == [f"{batch:,}", f"{n:,}", f"{shared} of 32"]
    ridge = (roofline_lab._across(machine.ridge), roofline_lab._up(machine.peak / 1e9))
    expected = [ridge, *(roofline_lab._point(machine, part) for part in parts.values())]
    np.testing.assert_allclose(shown["points"], expected, rtol=1e-12)


def test_any_setting_shows_what_python_computes(widget):
    rng = np.random.default_rng(5)
    data = widget.evaluate(DATA)
    cases = [
        {"machine": int(m), "pass": ("step", "prefill")[p], "batch": int(b), "context": int(c), "kv": int(k)}
        for m, p, b, c, k in rng.integers([0, 0, 0, 9, 0], [3, 2, 11, 18, 6], (250, 5))
    ]
    for case in cases:
        shown = widget.evaluate(SET, case)
        assert_agrees(shown, data, case)


def test_a_mouse_chooses_machine_and_pass(widget):
    widget.get_by_label("H100").check()
    widget.get_by_label("the prefill").check()
    shown = widget.evaluate(SHOWN)
    assert_agrees(shown, widget.evaluate(DATA), START | {"machine": 1, "pass": "prefill"})
    assert shown["says"].startswith("H100: the prefill for 1 text of 8,192 tokens")
    assert duration(0.5) == "500 ms"
