"""The roofline lab under the hand: a pointer chooses, and the table stays in sight."""

import pytest

from tests.browser.widget import Widget, assert_in_sight

pytestmark = pytest.mark.nightly

PAGE = "learn/speed/"
CONTRACT = [Widget("roofline-lab", PAGE, "machine=3&pass=train&batch=11&context=8&kv=6")]


def test_a_mouse_chooses_machine_and_pass(widget):
    widget.get_by_label("H100").check()
    widget.get_by_label("the prefill").check()
    assert widget.locator("output").text_content().startswith("H100: the prefill for 1 text of 8,192 tokens")
    assert widget.locator(".roof[data-chosen]").text_content() == "H100"


@pytest.mark.usefixtures("on_phone")
def test_on_a_phone_the_times_are_in_sight(widget):
    assert_in_sight(widget, "tfoot td:nth-child(5)")
