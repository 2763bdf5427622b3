"""The precision lab under the hand: what a word receives stays in sight, however long the sentence."""

import pytest

from tests.browser.widget import Widget, assert_in_sight

pytestmark = pytest.mark.nightly

PAGE = "learn/bits/"
CONTRACT = [Widget("precision-lab", PAGE, "operands=float12&scores=x&softmax=8&output=none&copies=15")]


@pytest.mark.usefixtures("on_phone")
def test_on_a_phone_what_is_received_is_in_sight(widget):
    assert_in_sight(widget, "output >> nth=0")
    widget.get_by_label("copies of the sentence").press("End")
    assert_in_sight(widget, ".reading")  # the longest it can be
