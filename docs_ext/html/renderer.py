"""Widgets drawn while the pages are built: by their own scripts, in V8, which the formulas need too.

A script of docs/assets/js/widgets exports `first(data)`, a state, and `html(data, state, live)`; in a browser it draws
every later state. Tests call its other functions, above all `compute(data, state)`, and compare them with the package.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from py_mini_racer import JSEvalException, JSParseException, MiniRacer

from docs_ext.html.modules import read_modules
from docs_ext.reading.v8 import started

_FOLDER = "docs/assets/js"
SCRIPTS = Path(__file__).parents[2] / _FOLDER
_LIBRARY = Path(__file__).with_suffix(".js").read_text("utf-8")


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
    load()
    return _run(function, module, *given)


def _run(function: str, module: str, *given: Any) -> Any:
    path = f"{_FOLDER}/{module}"
    try:
        return engine().call(function, module, *given)
    except (JSEvalException, JSParseException) as error:
        place, _, what = str(error).splitlines()[0].partition(": ")
        if function == "load":  # which has no name yet
            place = f"{path}:{place.rpartition(':')[2]}"
        elif not place.startswith(_FOLDER):
            place = path
        caller = re.search(rf"{path}:\d+", str(error))
        raise ValueError(f"{place}: {what}{f' (for {caller[0]})' if caller and path not in place else ''}") from None


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
    """Start the engine, once."""
    return started(_LIBRARY)


@cache
def load() -> None:
    """Load all scripts, once; who sees that one was edited clears the cache. A ValueError says which is wrong."""
    names = [path.relative_to(SCRIPTS).as_posix() for path in SCRIPTS.rglob("*.js")]
    try:
        modules = read_modules(SCRIPTS, *names)
    except ValueError as error:
        raise ValueError(f"{_FOLDER}/{error}") from None
    for name, module in modules.items():
        _run("load", name, f"{_FOLDER}/{name}", module.code.rstrip(), module.exports)
