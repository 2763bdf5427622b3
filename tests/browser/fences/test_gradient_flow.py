"""Gradient flow under the hand: the slopes stay in sight."""

import pytest

from tests.browser.widget import Widget, assert_in_sight

pytestmark = pytest.mark.nightly

PAGE = "learn/gradients/"
CONTRACT = [Widget("gradient-flow", PAGE, "push=5&n=5&divide=maybe")]


@pytest.mark.usefixtures("on_phone")
def test_on_a_phone_the_slopes_are_in_sight(widget):
    for row in range(1, 6):
        assert_in_sight(widget, f"tbody tr:nth-child({row}) .slope .text")
