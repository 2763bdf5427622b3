"""How far each widget differs from the others in what it owes its reader; test_contract.py holds it to the rest.

Its rows stand in fences/rotation_dial.toml for the widget rotation-dial, one for each page on which it is tried.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "fences"


@dataclass(frozen=True)
class Widget:
    """Where a widget stands, and in what it differs from the others."""

    tag: str
    page: str
    wrong: str = ""  # a state that the address cannot mean; "" for a widget that keeps nothing there
    reset: str = "Reset"  # the button's name; "" for none
    native: bool = False  # its controls are the browser's own and work without scripts
    roving: str = "none"  # fields that arrow keys reach, behind one stop of Tab
    fetches: str = ""  # the record that what it shows may need, and that comes later
    asks: str = ""  # the field or button that asks for it
    result: str = ""  # what a phone shows without a scroll to the side


WIDGETS = [
    Widget(path.stem.replace("_", "-"), **row)
    for path in sorted(FOLDER.glob("*.toml"))
    for row in tomllib.loads(path.read_text("utf-8"))["widget"]
]
