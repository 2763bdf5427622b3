"""Widgets drawn while the pages are built: by their own scripts, in V8, which the formulas need too.

A script of docs/assets/js/widgets exports `first(data)`, a state, and `html(data, state, live)`; in a browser it draws
every later state. Tests call its other functions, above all `compute(data, state)`, and compare them with the package.
"""

import atexit
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from py_mini_racer import JSEvalException, JSParseException, MiniRacer

from docs_ext.html.modules import library

SCRIPTS = Path(__file__).parents[2] / "docs/assets/js"
_DRAW = """
globalThis.draw = (name, data) => {
  const first = call(name, "first", [data]);
  return `${call(name, "html", [data, first, null])}`;
};
"""


def draw(tag: str, data: dict[str, Any]) -> Markup:
    """Return what a widget shows before anybody touches it; its data are `plain`."""
    return Markup(_called("draw", f"widgets/{tag}.js", data))


def call(module: str, function: str, *given: Any) -> Any:
    """Call a function of a module, such as widgets/rotation-dial.js."""
    return _called("call", module, function, plain(given))


def drawn(module: str, function: str, *given: Any) -> Markup:
    """Return the HTML that a function of a module draws, for a figure that answers nothing."""
    return Markup(call(module, function, *given)["text"])


def _called(function: str, module: str, *given: Any) -> Any:
    try:
        return engine().call(function, module, *given)
    except (JSEvalException, JSParseException) as error:
        what = str(error).splitlines()[0].split(": ", 1)[-1]  # after the place in the joined text, before the trail
        raise ValueError(f"{module}: {what}") from None


def plain(given: Any) -> Any:
    """Return what JSON can hold of something with arrays in it; nan and infinity it cannot.

    >>> plain({"q": np.eye(2), "words": ("a", "b")})
    {'q': [[1.0, 0.0], [0.0, 1.0]], 'words': ['a', 'b']}
    """
    return json.loads(json.dumps(given, default=_listed, allow_nan=False))


def _listed(item: Any) -> Any:
    if isinstance(item, np.ndarray | np.generic):
        return item.tolist()
    raise TypeError(f"no {type(item).__name__} can be handed to a script: {item!r}")


@cache
def engine() -> MiniRacer:
    """Load all widgets, once; who sees that a script was edited clears the cache."""
    names = [
        path.relative_to(SCRIPTS).as_posix()
        for folder in ("lib", "widgets")
        for path in (SCRIPTS / folder).glob("*.js")
    ]
    loaded = MiniRacer()
    loaded.eval(library(SCRIPTS, *names) + _DRAW)
    atexit.register(loaded.close)  # left to the interpreter's end it now and then waits for a thread that is gone
    return loaded
