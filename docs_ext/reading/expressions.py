"""Expressions in fences: numbers come from the tested package, never from an author's keyboard.

An expression is Python, and runs while the page is being built, with all rights of whoever builds: to read files, to
use the network, anything. Nothing confines it. So pages are code: write an expression only where you might commit a
module, read those of others before you build, and build what strangers send without secrets, as the workflows do.
"""

import math
import pickle
import re
from collections.abc import Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import Any

import numpy as np

import attention.testing
from attention import example
from docs_ext.disk_cache import kept
from docs_ext.errors import SpecError, did_you_mean
from docs_ext.reading.consoles import page
from docs_ext.reading.page import load
from docs_ext.records import caches, measured, translations
from docs_ext.records.facts import fact
from docs_ext.records.recorded import recorded

_PAGE = re.compile(r"""\bpage\(["']([\w-]+)["']\)""")


@cache
def _names() -> dict[str, Any]:
    public = {name: value for name, value in vars(example).items() if not name.startswith("_")}
    package = {name: getattr(attention, name) for name in attention.__all__}
    return public | package | _records() | {"math": math, "np": np, "page": page, "testing": attention.testing}


def _records() -> dict[str, Any]:
    functions = (*caches.FUNCTIONS, *measured.FUNCTIONS, *translations.FUNCTIONS, recorded, fact)
    return {function.__name__: function for function in functions}


def evaluate(text: str, names: Mapping[str, Any] = MappingProxyType({})) -> Any:
    """Evaluate an expression over `names` and what every fence knows.

    Those are `np`, `math`, `testing`, the public names of `attention` and `attention.example`, the functions of
    `docs_ext.records.caches`, `measured` and `translations`; `page`, for `page("training").losses` is what the
    consoles of that page call `losses`; `recorded()`, what a trained model did; and `fact("vaswani2017", "heads")`, a
    number that a source states.

    >>> evaluate("softmax(np.log([1, 3]))")
    array([0.25, 0.75])
    >>> evaluate("2 * n", {"n": 3})
    6

    What a page computes is kept until that page, the code or NumPy changes.
    """
    pages = _PAGE.findall(text)  # one may train something
    if names or not pages or any(f"{name}(" in text for name in _records()):
        return _evaluate(text, names)
    sources = (load(f"learn/{stem}.md").text for stem in pages)
    return pickle.loads(kept(partial(_pickled, text), text, *sources))


def _pickled(text: str) -> bytes:
    return pickle.dumps(_evaluate(text, {}))


def _evaluate(text: str, names: Mapping[str, Any]) -> Any:
    known = {**_names(), **names}  # a copy: eval adds __builtins__ to it
    try:
        return eval(text.strip(), known)
    except Exception as error:
        hint = did_you_mean(error.name, known) if isinstance(error, NameError) and error.name else ""
        raise SpecError(f"cannot evaluate {text.strip()!r}: {type(error).__name__}: {error}{hint}") from error


def value(spec: Any, key: str) -> Any:
    """Return `spec[key]` with every string in it evaluated."""
    try:
        return _evaluated(spec[key])
    except SpecError as error:
        raise SpecError(str(error), key=key) from error


def _evaluated(item: Any) -> Any:
    match item:
        case str():
            return evaluate(item)
        case list():
            return [_evaluated(part) for part in item]
        case dict():
            return {name: _evaluated(part) for name, part in item.items()}
        case _:
            return item


def array(spec: Any, key: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return `spec[key]` as a matrix of floats."""
    try:
        result = np.asarray(value(spec, key), float)
    except (TypeError, ValueError) as error:
        if isinstance(error, SpecError):
            raise
        raise SpecError(f"{key} must be a matrix of numbers: {error}", key=key) from error
    if result.ndim != 2:
        raise SpecError(f"{key} must have two axes: shape {result.shape}", key=key)
    return result
