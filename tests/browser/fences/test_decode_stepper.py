"""The decode stepper under the hand: its buttons go on and back, and say where they end."""

import pytest

from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/decoding/"
CONTRACT = [Widget("decode-stepper", PAGE, "step=9&sees=none")]


def test_buttons_go_on_and_back_and_say_where_they_end(widget):
    says = widget.locator("output")
    for name, seen in (
        ("Next token", ["Step 4, dog", "Step 5, ran", "This is the last step."]),
        ("Back", ["Step 4, dog", "Step 3, chased", "Step 2, that", "Step 1, cat", "This is the first step."]),
    ):
        for words in seen:
            widget.get_by_role("button", name=name).click()
            assert says.text_content().startswith(words)
