"""The softmax lab: weights against the package, the plain form against NumPy."""

import numpy as np
import pytest

from attention import softmax
from tests.browser.widget import Widget, setting

pytestmark = pytest.mark.nightly

SCORES, SCALING = "learn/scores-and-softmax/", "learn/scaling/"
PAGE = SCORES
CONTRACT = [
    Widget("softmax-lab", SCORES, "s0=99&s1=x&s2=0.5&t=&format=int8&toString=1", apart=".score, .plain"),
    Widget("softmax-lab", "learn/scaling/", "n=8"),
]
SHOWN = """lab => ({
  says: lab.querySelector("output").textContent,
  plain: lab.querySelector(".plain")?.textContent,
  weights: [...lab.querySelectorAll("td.share[style]")].map(cell => Number(cell.style.getPropertyValue("--w"))),
  texts: [...lab.querySelectorAll(".share .text")].map(e => e.textContent),
  powers: [...lab.querySelectorAll(".power, .total, .slope")].map(e => e.textContent),
})"""
SET = setting(SHOWN)


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


@pytest.mark.parametrize(("dtype", "first", "t"), [("float16", 12, -3), ("float32", 89, -6), ("float64", 710, -9)])
def test_every_format_overflows_at_its_own_temperature(lab, dtype, first, t):
    lab.evaluate(SET, {"format": dtype, "t": t + 1})
    assert f"whose power of e is beyond it is {first}." in shown(lab)["plain"]
    assert "the plain softmax works" in shown(lab)["plain"]
    lab.evaluate(SET, {"t": t})
    assert "the plain softmax gives nan" in shown(lab)["plain"]
    assert shown(lab)["powers"][0] == "inf"
    assert float(shown(lab)["texts"][0]) > 0.99


def test_the_lab_works_by_pointer(lab):
    slider = lab.get_by_label("score of dog")
    box = slider.bounding_box()
    slider.click(position={"x": box["width"] - 2, "y": box["height"] / 2})
    assert shown(lab)["says"].startswith("cat 8/270, that 4/270, chased 1/270, dog 256/270")
    lab.get_by_label("float64").check()
    assert shown(lab)["plain"].startswith("float64 ends at 1.7977e+308;")


def test_scaling_keeps_the_weight_that_saturates_raw(open_page):
    scaling = ready(open_page(SCALING), "scaling")
    for power in range(8):
        now = scaling.evaluate(SET, {"n": power})
        raw, scaled = softmax([2 ** (power / 2), 0]), softmax([1, 0])
        np.testing.assert_allclose(now["weights"], [raw[0], scaled[0]], rtol=0, atol=1e-12)
        assert now["texts"] == [f"{raw[0]:.5f}", "0.73106"]
        assert now["powers"] == [f"{2 * raw[0] * raw[1]:.5f}", "0.39322"]
        assert now["says"].startswith(f"{2**power} features: raw, the better key gets {raw[0]:.5f} and")
