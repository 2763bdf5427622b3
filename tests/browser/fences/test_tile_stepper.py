"""The tile stepper under the hand: steps go round."""

import pytest

from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/memory/"
CONTRACT = [Widget("tile-stepper", PAGE, "order=sideways&size=9&step=0")]


def test_step_and_back_go_round(widget):
    says = widget.locator("output")
    assert "After step 3 of 3:" in says.text_content()
    for name, steps in (("Step", (1, 2, 3, 1)), ("Back", (3, 2, 1, 3))):
        for step in steps:
            widget.get_by_role("button", name=name, exact=True).click()
            assert f"After step {step} of 3:" in says.text_content()
    widget.get_by_role("slider", name="words in a tile").fill("1")
    assert "After step 5 of 5:" in says.text_content()  # all steps stay all
