"""The strips of X times three matrices under the hand: one matrix at a time on a phone."""

import pytest

pytestmark = pytest.mark.nightly

PAGE = "learn/queries-keys-values/"
# The cells with a mark: the row of X, the column of which matrix, and where the two meet.
MARKED = """strips => {
  const marked = (selector, width, place) => [...new Set([...strips.querySelectorAll(selector)]
    .filter(e => parseFloat(getComputedStyle(e).outlineWidth) >= width).map(place))];
  const row = e => e.parentElement.sectionRowIndex;
  const column = e => `${e.closest(".panel").className} ${e.cellIndex - 1}`;
  return [...marked(".given tbody td", 2, row), ...marked(".panel > .strips tbody td", 2, column),
    ...marked(".made tbody td", 3, e => `${row(e)} ${column(e)}`)];
}"""
SEEN = """strips => [...strips.querySelectorAll(".panel")]
  .filter(e => getComputedStyle(e.firstElementChild).clipPath === "none").map(e => e.className.split(" ")[1])"""


def assert_shows(widget, row, role, column, says):
    place = f"panel {role} {column}"
    assert widget.evaluate(MARKED) == [row, place, f"{row} {place}"]
    assert widget.locator("output").text_content().startswith(f"The {role} of {says}: ")


@pytest.mark.usefixtures("on_phone")
def test_a_phone_shows_one_matrix_and_a_tap_or_a_key_the_next(widget):
    assert widget.evaluate(SEEN) == ["key"]
    widget.locator(".which label").nth(2).click()
    assert widget.evaluate(SEEN) == ["value"]
    assert_shows(widget, 0, "value", 0, "cats, cats")
    widget.locator(".panel input:checked").focus()
    widget.page.keyboard.press("ArrowLeft")
    assert widget.evaluate(SEEN) == ["key"]
    assert_shows(widget, 0, "key", 3, "cats, which")
