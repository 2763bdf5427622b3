"""The explorer of encodings under the hand: its hands point where they should, and the result stays in sight."""

import numpy as np
import pytest

from attention import sinusoidal_encoding
from tests.browser.widget import Widget, assert_in_sight

pytestmark = pytest.mark.nightly

PAGE = "learn/order/"
CONTRACT = [Widget("pe-explorer", PAGE, "p0=32&p1=-1&d=5")]
ANGLES = """hands => hands.map(hand => {
  const {a, b} = new DOMMatrix(getComputedStyle(hand).transform);
  return Math.atan2(b, a);
})"""


def test_hands_point_to_the_right_by_their_sine_and_up_by_their_cosine(widget):
    widget.get_by_label("8", exact=True).check()
    widget.get_by_role("slider", name="first position").press("ArrowRight")
    widget.page.wait_for_timeout(50)  # motion is reduced to 1 ms
    second, first = (widget.locator(f".dial .{which}").evaluate_all(ANGLES) for which in ("second", "first"))
    for i in range(4):  # from the top, clockwise
        pe = sinusoidal_encoding(5, 8)[:, 2 * i : 2 * i + 2]
        assert [np.sin(first[i]), np.cos(first[i])] == pytest.approx(pe[2], abs=1e-4)
        assert [np.sin(second[i]), np.cos(second[i])] == pytest.approx(pe[4], abs=1e-4)


@pytest.mark.usefixtures("on_phone")
def test_on_a_phone_the_dot_product_is_in_sight(widget):
    assert_in_sight(widget, ".total")
