"""The softmax lab under the hand: a pointer moves its sliders, and both of its forms answer."""

import pytest

from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/scores-and-softmax/"
CONTRACT = [
    Widget("softmax-lab", PAGE, "s0=99&s1=x&s2=0.5&t=&format=int8&toString=1", apart=".score, .plain"),
    Widget("softmax-lab", "learn/scaling/", "n=8"),
]


def test_it_works_by_pointer(widget):
    slider, says = widget.get_by_label("score of dog"), widget.locator("output")
    box = slider.bounding_box()
    slider.click(position={"x": box["width"] - 2, "y": box["height"] / 2})
    assert says.text_content().startswith("cat 8/270, that 4/270, chased 1/270, dog 256/270")
    widget.get_by_label("float64").check()
    assert "float64 ends at 1.7977e+308;" in says.text_content()
