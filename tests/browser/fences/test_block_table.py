"""The block table under the hand: buttons make moves, and Undo takes them back."""

import pytest

from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/shared-caches/"
CONTRACT = [Widget("block-table", PAGE, f"moves=AtBe moves=Ax moves=AtA moves={13 * 'At'}")]


def press(widget, name):
    widget.get_by_role("button", name=name, exact=True).click()


def says(widget):
    return widget.locator("output").text_content()


def test_buttons_make_the_moves_and_undo_takes_them_back(widget):
    seen = [says(widget)]
    for name in ("A writes", "B writes", "B writes", "B forks", "A ends", "C writes", "C ends"):
        press(widget, name)
        seen.append(says(widget))
    assert [text.split(".")[0] for text in seen[3:6]] == [
        "B writes B4 into block 3, which was free",
        "B forks to C, which gets a copy of the table and of no block",
        "A ends",
    ]
    press(widget, "C forks")
    assert says(widget).startswith("C is not there.")
    for text in reversed(seen[:-1]):
        press(widget, "Undo")
        assert says(widget) == text
    for _ in range(5):
        press(widget, "Undo")  # there is nothing more in the end
    assert says(widget).startswith("Nobody has written yet. Blocks in use: 0 of 6;")
