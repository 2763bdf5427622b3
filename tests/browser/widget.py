"""How far a widget differs from the others in what it owes its reader; test_contract.py holds each to the rest."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Widget:
    """Where a widget stands, and in what it differs from the others, with the reason."""

    tag: str
    page: str
    wrong: str = ""  # a state that the address cannot mean; "" for a widget that keeps nothing there
    reset: str = "Reset"  # the button's name; "" for none
    native: bool = False  # its controls are the browser's own and work without scripts
    silent: str = "none"  # fields that show nothing by themselves
    roving: str = "none"  # fields that arrow keys reach, behind one stop of Tab
    fetches: bool = False  # what it shows may come later
    apart: str = "none"  # what shows with scripts alone, or without them alone


def assert_in_sight(widget, selector):
    """Assert that a part of a widget has words, and that they lie within its frame."""
    part, frame = widget.locator(selector), widget.bounding_box()
    words = part.evaluate("""part => {
      const range = document.createRange();
      range.selectNodeContents(part);
      return range.getBoundingClientRect().toJSON();
    }""")
    assert part.inner_text() != ""
    assert frame["x"] < words["left"] < words["right"] < frame["x"] + frame["width"]
