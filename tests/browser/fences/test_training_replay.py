"""<training-replay> under the hand: the slider shows one step of the run, and every one without a script."""

import pytest

from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/training/"
CONTRACT = [
    Widget("training-replay", PAGE, "at=99", apart=".checkpoint, output")
]  # without a script each grid says it above itself


def test_the_slider_goes_through_the_steps_of_the_page(widget):
    slider, seen = widget.get_by_label("steps of training"), []
    for _ in range(8):
        assert widget.locator(".checkpoint").count() == 1
        seen.append(int(widget.locator(".reading").text_content()))
        slider.press("ArrowRight")
    assert seen == [0, 10, 20, 30, 40, 50, 75, 100]
