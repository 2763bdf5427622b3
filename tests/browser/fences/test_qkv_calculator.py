"""The calculator: random numbers against the package, and what is typed, good or bad."""

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from attention import scaled_dot_product_attention, softmax
from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/line-by-line/"
# The query of a word shows only while that word asks.
CONTRACT = [
    Widget(
        *("qkv-calculator", PAGE, "q10=x&more1=9&asks=7&k00=1e999"),
        **{"silent": "[name^=q]", "apart": ".matrix"},
    )
]
WORDS = ["cat", "that", "dog"]
DEFAULT = "that: cat 4/7, that 2/7, dog 1/7; sum 1; output (40/7, 16/7)"
SHOWN = """widget => ({
  weights: [...widget.querySelectorAll("td.share[style]")].map(cell => Number(cell.style.getPropertyValue("--w"))),
  lanes: [...widget.querySelectorAll(".lanes tbody tr, .lanes tfoot tr")].map(
    row => [...row.cells].map(cell => cell.textContent.trim())),
  says: widget.querySelector("output").textContent,
  errors: [...widget.querySelectorAll(".error")].map(error => error.textContent),
  asks: widget.querySelector("[data-chosen] th").textContent,
})"""
TYPE = f"""(widget, cases) => cases.map(([q, k, v, asks]) => {{
  const type = (name, matrix) => matrix.forEach((row, i) => row.forEach((x, j) => {{
    widget.querySelector(`[name=${{name}}${{i}}${{j}}]`).value = x;
  }}));
  type("q", q); type("k", k); type("v", v);
  const radio = widget.querySelectorAll("[name=asks]")[asks];
  radio.checked = true;
  radio.dispatchEvent(new Event("input", {{bubbles: true}}));
  return ({SHOWN})(widget);
}})"""


def field(widget, name):
    return widget.locator(f"[name={name}]")


def says(widget):
    return widget.evaluate(SHOWN)["says"]


def shows(text, values):
    """Tell whether a text ends with these numbers; which of two equally near decimals it takes may differ."""
    shown = re.findall(r"-?[\d./]+", text.replace("\N{MINUS SIGN}", "-").rpartition("=")[2].rpartition("(")[2])
    return np.allclose([float(Fraction(number)) for number in shown], values, rtol=0, atol=0.0005 + 1e-9)


def test_a_hundred_random_inputs_agree_with_the_package(widget):
    rng = np.random.default_rng(6)
    cases: list[Any] = []
    for case in range(100):
        digits = int(rng.integers(0, 3))
        cases.append([*(np.round(rng.uniform(-9, 9, shape), digits) for shape in ((3, 4), (3, 4), (3, 2))), case % 3])
    typed = [[q.tolist(), k.tolist(), v.tolist(), asks] for q, k, v, asks in cases]
    for shown, (q, k, v, asks) in zip(widget.evaluate(TYPE, typed), cases, strict=True):
        weights = softmax(q[asks] @ k.T / 2 * np.log(2))
        output = scaled_dot_product_attention(q * np.log(2), k, v)[asks]
        np.testing.assert_allclose(shown["weights"], weights, rtol=0, atol=1e-12)
        assert "; sum 1; output (" in shown["says"]
        assert shows(shown["says"], output)
        assert shown["says"].startswith(f"{WORDS[asks]}: {WORDS[np.argmax(weights)]} ")
        assert shows(shown["lanes"][-1][-1], output)
        for lane, key, weight, value in zip(shown["lanes"], k, weights, v, strict=False):
            assert shows(lane[1], q[asks] @ key)
            assert shows(lane[2], q[asks] @ key / 2)
            assert shows(lane[5], weight * value)


def test_keys_alone_choose_the_word_raise_a_score_and_type(widget):
    page = widget.page
    widget.get_by_role("radio", name="that").focus()
    page.keyboard.press("ArrowRight")
    assert says(widget) == "dog: cat 1/3, that 1/3, dog 1/3; sum 1; output (4, 4)"
    assert widget.evaluate(SHOWN)["asks"] == "dog"
    page.keyboard.press("ArrowLeft")
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert says(widget) == (
        "that: cat 1/2, that 1/4, dog 1/4; sum 1; output (5, 3). "
        "Without the extra doublings: cat 4/7, that 2/7, dog 1/7. cat : that stays 2 : 1."
    )
    assert widget.evaluate(SHOWN)["lanes"][2][2:4] == ["2/√4 + 1 = 2", "22 = 4"]
    page.keyboard.press("ArrowLeft")
    assert says(widget) == DEFAULT
    page.keyboard.press("Tab")
    page.keyboard.type("3")  # cat asks something now, but it is not cat's turn
    assert field(widget, "q00").input_value() == "3"
    assert says(widget) == DEFAULT


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "Type a number, such as 0.5 or 1/2."),
        ("e", "“e” cannot be read here. Type a number, such as 0.5 or 1/2."),
        ("1/0", "“1/0” divides by 0, which gives no number."),
        ("1e999", "“1e999” is too large."),
        ("-101", "\N{MINUS SIGN}101 is out of range. Type a number from \N{MINUS SIGN}100 to 100."),
        ("201/2", "100.5 is out of range. Type a number from \N{MINUS SIGN}100 to 100."),
    ],
)
def test_what_is_not_a_number_is_named_and_the_last_good_result_stays(widget, typed, why):
    one = field(widget, "k01")
    one.fill("2")
    good = says(widget)
    assert good != DEFAULT
    one.select_text()
    widget.page.keyboard.press("Delete")
    widget.page.keyboard.insert_text(typed)  # as pasting does: in one piece
    one.press("Enter")
    assert one.input_value() == typed
    assert widget.evaluate(SHOWN)["errors"] == ["", f"k of cat, early: {why}", ""]
    assert one.get_attribute("aria-invalid") == "true"
    assert one.get_attribute("aria-describedby") == widget.locator(".error").nth(1).get_attribute("id")
    assert says(widget) == good
    one.fill("4")
    assert widget.evaluate(SHOWN)["errors"] == ["", "", ""]
    assert one.get_attribute("aria-invalid") == "false"
    assert says(widget) == DEFAULT


def test_nobody_complains_about_what_is_still_being_typed(widget):
    field(widget, "k01").evaluate("field => { field.value = '1/'; }")
    shown = widget.evaluate(
        f"widget => {{ widget.querySelector('form').dispatchEvent(new Event('input')); return ({SHOWN})(widget); }}"
    )
    assert shown["errors"] == [""] * 3
    widget.locator(".error", has_text="“1/” cannot be read here").wait_for()  # once the hand rests
