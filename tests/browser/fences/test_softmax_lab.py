"""The softmax lab under mouse and keys, in the address bar, across instant navigation, and without scripts."""

import re

import numpy as np
import pytest

from attention import softmax
from attention.example import S5
from tests.browser.conftest import follow

SCORES, SCALING = "learn/scores-and-softmax/", "learn/scaling/"
PAGE = SCORES
SHOWN = """lab => ({
  says: lab.querySelector("output").textContent,
  plain: lab.querySelector(".plain")?.textContent,
  weights: [...lab.querySelectorAll("td.share[style]")].map(cell => Number(cell.style.getPropertyValue("--w"))),
  texts: [...lab.querySelectorAll(".share .text")].map(e => e.textContent),
  powers: [...lab.querySelectorAll(".power, .total, .slope")].map(e => e.textContent),
})"""
SET = """(lab, values) => {
  const form = lab.querySelector("form");
  for (const [name, value] of Object.entries(values)) form.elements.namedItem(name).value = value;
  form.dispatchEvent(new Event("input"));
  return (SHOWN)(lab);
}""".replace("SHOWN", SHOWN)
DEFAULT = "cat 8/16, that 4/16, chased 1/16, dog 2/16, ran 1/16; sum 1."


def ready(page, mode="scores"):
    lab = page.locator(f"softmax-lab[data-mode*={mode}]")
    lab.locator("form").wait_for()
    return lab


def shown(lab):
    return lab.evaluate(SHOWN)


@pytest.fixture
def lab(page):
    yield ready(page)
    ready(page).get_by_role("button", name="Reset").click()


@pytest.fixture
def scaling(open_page):
    return ready(open_page(SCALING), "scaling")


def plain_softmax(scores, dtype):
    """As NumPy computes it without subtracting anything."""
    with np.errstate(all="ignore"):
        e = np.exp(scores.astype(dtype))
        return e / e.sum()


def test_weights_agree_with_the_package_and_the_plain_form_with_numpy(lab):
    rng = np.random.default_rng(0)
    failures = 0
    for _ in range(50):
        doublings, t = rng.integers(0, 9, 5), int(rng.integers(-9, 4))
        dtype = str(rng.choice(["float16", "float32", "float64"]))
        now = lab.evaluate(SET, {f"s{i}": int(d) for i, d in enumerate(doublings)} | {"t": t, "format": dtype})
        scores = np.log(2) * doublings / 2.0**t
        np.testing.assert_allclose(now["weights"], softmax(scores), rtol=0, atol=1e-12)
        plain = plain_softmax(scores, dtype)
        if abs(plain.sum() - 1) < 0.01:
            assert "the plain softmax works" in now["plain"]
        else:
            failures += 1
            expected = ", ".join("nan" if np.isnan(w) else f"{w:.3f}" for w in plain)
            assert f"the plain softmax gives {expected}. The stable one" in now["plain"]
        assert f" {scores.max():.2f}: " in now["plain"]
    assert 10 < failures < 50


def test_fractions_show_what_each_word_stands_at(lab):
    assert shown(lab)["says"] == DEFAULT
    lab.evaluate(SET, {"s0": 4})
    assert shown(lab)["texts"] == ["16/24", "4/24", "1/24", "2/24", "1/24"]
    lab.evaluate(SET, {"t": -1})  # half the temperature: twice the doublings
    assert shown(lab)["powers"] == ["256", "16", "1", "4", "1", "278"]
    lab.evaluate(SET, {"t": 1})
    assert shown(lab)["texts"][0] == f"{softmax(np.log(2) * np.array([4, 2, 0, 1, 0]) / 2)[0]:.3f}"


@pytest.mark.parametrize(("dtype", "first", "t"), [("float16", 12, -3), ("float32", 89, -6), ("float64", 710, -9)])
def test_every_format_overflows_at_its_own_temperature(lab, dtype, first, t):
    lab.evaluate(SET, {"format": dtype, "t": t + 1})
    assert f"whose exponential is beyond it is {first}." in shown(lab)["plain"]
    assert "the plain softmax works" in shown(lab)["plain"]
    lab.evaluate(SET, {"t": t})
    assert "the plain softmax gives nan" in shown(lab)["plain"]
    assert shown(lab)["powers"][0] == "inf"
    assert float(shown(lab)["texts"][0]) > 0.99


def test_the_lab_works_by_pointer(lab):
    slider = lab.get_by_label("score of dog, in doublings")
    box = slider.bounding_box()
    slider.click(position={"x": box["width"] - 2, "y": box["height"] / 2})
    assert shown(lab)["says"].startswith("cat 8/270, that 4/270, chased 1/270, dog 256/270")
    lab.get_by_label("float64").check()
    assert shown(lab)["plain"].startswith("float64 ends at 1.7977e+308;")


def test_the_lab_works_by_keys_alone(lab):
    page = lab.page
    lab.locator("input[name=t]").focus()
    page.keyboard.press("ArrowLeft")
    assert lab.get_by_label("temperature").get_attribute("aria-valuetext") == "1/2"
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert shown(lab)["plain"].startswith("float32")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # reset
    assert shown(lab)["says"] == DEFAULT
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowUp")
    assert shown(lab)["says"].startswith("cat 16/24")


def test_the_address_keeps_the_state_until_reset(lab, open_page, server):
    page = lab.page
    assert "#" not in page.url
    lab.locator("input[name=s3]").press("ArrowRight")
    lab.locator("input[name=t]").press("ArrowLeft")
    lab.get_by_label("float32").check()
    assert set(page.url.partition("#~")[2].split("&")) == {"lab.s3=2", "lab.t=-1", "lab.format=float32"}
    afresh = ready(open_page(page.url.removeprefix(server)))
    assert shown(afresh) == shown(lab)
    lab.get_by_role("button", name="Reset").click()
    assert shown(lab)["says"] == DEFAULT
    assert page.url == server + SCORES


def test_an_address_that_says_nothing_sensible_shows_the_default(open_page):
    lab = ready(open_page(f"{SCORES}#~lab.s0=99&lab.s1=x&lab.s2=0.5&lab.t=&lab.format=int8&lab.toString=1&a.s0=4"))
    assert shown(lab)["says"] == DEFAULT
    assert shown(lab)["plain"].startswith("float16")


def test_both_labs_survive_instant_navigation(lab):
    page = lab.page
    page.evaluate("window.marker = 'still here'")
    for _ in range(3):
        lab.locator("input[name=s0]").press("ArrowRight")
        follow(page, page.locator(".md-sidebar--primary a[href$='scaling/']").first)
        scaling = ready(page, "scaling")
        scaling.locator("input[name=n]").press("ArrowLeft")
        assert shown(scaling)["texts"][0] == f"{softmax([32**0.5, 0])[0]:.5f}"
        follow(page, page.locator(".md-sidebar--primary a[href$='scores-and-softmax/']").first)
        lab = ready(page)
        assert shown(lab)["says"] == DEFAULT
        assert lab.locator("form").count() == 1
    assert page.evaluate("window.marker") == "still here"


def test_going_back_shows_what_was_left(lab):
    page = lab.page
    lab.locator("input[name=s0]").press("ArrowRight")
    follow(page, page.locator(".md-sidebar--primary a[href$='scaling/']").first)
    follow(page, page.go_back)
    page.locator("softmax-lab output", has_text="cat 16/24").wait_for()


def test_scaling_keeps_the_weight_that_saturates_raw(scaling):
    for power in range(8):
        now = scaling.evaluate(SET, {"n": power})
        raw, scaled = softmax([2 ** (power / 2), 0]), softmax([1, 0])
        np.testing.assert_allclose(now["weights"], [raw[0], scaled[0]], rtol=0, atol=1e-12)
        assert now["texts"] == [f"{raw[0]:.5f}", "0.73106"]
        assert now["powers"] == [f"{2 * raw[0] * raw[1]:.5f}", "0.39322"]
        assert now["says"].startswith(f"{2**power} features: raw, the better key gets {raw[0]:.5f} and")


def test_the_size_is_kept_in_the_address_and_by_the_keys(scaling, open_page, server):
    page = scaling.page
    scaling.locator("input[name=n]").press("Home")
    assert page.url == f"{server}{SCALING}#~lab.n=0"
    assert shown(ready(open_page(f"{SCALING}#~lab.n=0"), "scaling")) == shown(scaling)
    assert shown(scaling)["texts"] == ["0.73106", "0.73106"]
    scaling.get_by_role("button", name="Reset").click()
    assert page.url == server + SCALING
    assert shown(scaling)["texts"][0] == "0.99966"


def test_controls_are_large_enough_for_a_finger_and_the_page_is_not_wider_than_a_phone(open_page):
    lab = ready(open_page(SCORES, viewport={"width": 360, "height": 800}))
    for control in lab.locator("label, button, td input").all():
        assert control.bounding_box()["height"] >= 23.9
    assert lab.page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("name", [SCORES, SCALING])
def test_without_scripts_the_default_stands_there(open_page, name):
    lab = open_page(name, java_script_enabled=False).locator("softmax-lab")
    text = lab.inner_text()
    assert lab.locator("input").count() == 0
    words = [*S5, "8/16", DEFAULT] if name == SCORES else ["0.99966", "0.73106", "0.00067"]
    assert all(word in text for word in words)
    lab.locator("summary").click()
    assert re.search("becomes 16/24" if name == SCORES else "stays at 0.731", lab.locator("details").inner_text())
