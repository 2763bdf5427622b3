"""Calling a kernel with a case, and reading what it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing.cases import Case

Array = NDArray[Any]
LAYOUTS = ("bhnd", "bnhd")
_DTYPES = {"float64": np.float64, "float16": np.float16}


class Answer(NamedTuple):
    """What a kernel made of a case."""

    results: dict[str, Array]  # by name: (batch, heads, n, d), float64
    refused: str = ""  # the exception that it raised
    wrong: str = ""  # what is wrong with what it returned, but for numbers


class Kernel(NamedTuple):
    """Somebody's function, and how it wants its arrays."""

    function: Callable[..., Any]
    layout: str
    only: str = ""  # the one layout that its sizes allow

    def __call__(
        self, case: Case, shapes: Mapping[str, tuple[int, ...]]
    ) -> Answer:
        """Call it for results of such shapes; what it raises is noted."""
        if self.only not in ("", self.layout):
            return Answer({}, refused=f"It has sizes for {self.only} alone.")
        dtype = _DTYPES.get(case.format, np.float32)
        given = {"query": case.query, "key": case.key, "value": case.value}
        if case.grad_output is not None:
            given["grad_output"] = case.grad_output
        arrays = [self._turned(a.astype(dtype)) for a in given.values()]
        options = {
            name: option.astype(dtype)
            if isinstance(option, np.ndarray) and option.dtype == np.float64
            else option
            for name, option in case.options.items()
        }
        copies = [array.copy() for array in arrays]
        try:
            with np.errstate(all="ignore"):
                returned = self.function(*arrays, **options)
        except Exception as error:
            return Answer({}, refused=_in_a_line(error))
        for name, old, new in zip(given, copies, arrays, strict=True):
            if not np.array_equal(old, new):
                return Answer({}, wrong=f"The kernel writes into its {name}.")
        try:
            return Answer(self._read(returned, shapes, case.name))
        except _UnreadableError as error:
            return Answer({}, wrong=str(error))

    def _turned(self, array: Array) -> Array:
        if self.layout == "bnhd" and array.ndim == 4:
            array = array.swapaxes(1, 2)
        return np.ascontiguousarray(array)

    def _read(
        self,
        returned: Any,
        shapes: Mapping[str, tuple[int, ...]],
        case: str,
    ) -> dict[str, Array]:
        several = isinstance(returned, tuple) or len(shapes) > 1
        several = several and np.iterable(returned)
        some: Any = returned if several else (returned,)
        if len(some) != len(shapes):
            kind = type(returned).__name__
            kind += f" of {len(some)}" * several
            names = ", ".join(name.replace("_", " ") for name in shapes)
            hint = '; for a log-sum-exp as well give logsumexp="e" or "2"'
            raise _UnreadableError(
                f"The kernel returns one {kind}, where it should return "
                f"{names}{hint * (len(shapes) == 1)}."
            )
        found = {}
        for (name, shape), array in zip(shapes.items(), some, strict=True):
            what = f"The {name}".replace("d_", "gradient of the ")
            result = read(array, what)
            if name == "log-sum-exp":
                found[name] = _turned_sums(result, shape, what)
                continue
            per_token = len(shape) == 4 and name != "d_bias"
            turned = self.layout == "bnhd" and per_token
            b, h, n, *d = (*shape, 0, 0)[: max(len(shape), 3)]
            asked = (b, n, h, *d) if turned else shape
            if result.shape != asked:
                other = {shape: "bhnd", (b, n, h, *d): "bnhd"}
                hint = f', as with layout="{other.get(result.shape)}"'
                hint *= result.shape in other and per_token
                raise _UnreadableError(
                    f"{what} has the shape {result.shape}, not {asked}{hint} "
                    f"({case})."
                )
            found[name] = result.swapaxes(1, 2) if turned else result
        return found


def _turned_sums(sums: Array, shape: tuple[int, ...], what: str) -> Array:
    """Take log-sum-exps with rows before heads, or a last axis of one."""
    b, h, n, _ = shape
    if sums.shape == (b, n, h) != (b, h, n):
        sums = sums.swapaxes(1, 2)
    if sums.shape not in ((b, h, n), shape):
        raise _UnreadableError(
            f"{what} has the shape {sums.shape}, not {(b, h, n)}."
        )
    return sums.reshape(shape)


class _UnreadableError(Exception):
    """What a kernel returned is no result; the message says why."""


def read(array: Any, what: str) -> Array:
    """Read anything that NumPy reads, or could if its numbers were wider."""
    try:
        if hasattr(array, "detach"):  # a tensor of torch, in any format
            array = array.detach().cpu()
            array = array.double() if array.dtype.is_floating_point else array
        result = np.asarray(array)
        if result.dtype.isbuiltin == 2 or result.dtype.kind in "fiu":
            return result.astype(np.float64)
    except Exception as error:
        raise _UnreadableError(
            f"{what} is nothing that NumPy reads: {_in_a_line(error)}"
        ) from None
    raise _UnreadableError(f"{what} holds no real numbers: {result.dtype}.")


def _in_a_line(error: BaseException, most: int = 100) -> str:
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return said if len(said) <= most else f"{said[:most]} …"
