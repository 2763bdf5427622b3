"""Calling a kernel with a case, and reading what it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing.cases import Case

Array = NDArray[Any]
LAYOUTS = ("bhnd", "bnhd")
_DTYPES = {"float64": np.float64, "float16": np.float16}


class Answer(NamedTuple):
    """What a kernel made of a case."""

    output: Array | None = None
    logsumexp: Array | None = None
    refused: str = ""  # the exception that it raised
    wrong: str = ""  # what is wrong with what it returned, but for numbers


class Kernel(NamedTuple):
    """Somebody's function, and how it wants its arrays."""

    function: Callable[..., Any]
    layout: str
    has_logsumexp: bool

    def __call__(self, case: Case) -> Answer:
        """Call the kernel; whatever it raises is noted, not raised."""
        arrays = self._arrays(case, case.query, case.key, case.value)
        copies = [array.copy() for array in arrays]
        try:
            with np.errstate(all="ignore"):
                returned = self.function(*arrays, **self._options(case))
        except Exception as error:
            return Answer(refused=_in_a_line(error))
        try:
            return self._read(returned, case, copies, arrays)
        except _UnreadableError as error:
            return Answer(wrong=str(error))

    def gradients(
        self,
        case: Case,
        grad_output: Array,
        names: list[str],
        shapes: list[tuple[int, ...]],
    ) -> tuple[dict[str, Array], str, str]:
        """Call a function for gradients; also say what it refused or broke."""
        given = (case.query, case.key, case.value, grad_output)
        try:
            with np.errstate(all="ignore"):
                returned = self.function(
                    *self._arrays(case, *given), **self._options(case)
                )
        except Exception as error:
            return {}, _in_a_line(error), ""
        found = {}
        try:
            if len(returned) != len(names):
                rule = f"{len(names)} gradients, of {', '.join(names)}"
                raise _UnreadableError(f"There should be {rule}.")
            for name, array, shape in zip(
                names, returned, shapes, strict=True
            ):
                gradient = read(array, f"The gradient of the {name}")
                if self.layout == "bnhd" and name in ("query", "key", "value"):
                    gradient = gradient.swapaxes(1, 2)
                if gradient.shape != shape:
                    raise _UnreadableError(
                        f"The gradient of the {name} has the wrong shape "
                        f"({case.name}): {gradient.shape}, not {shape}."
                    )
                found[name] = gradient
        except (_UnreadableError, TypeError) as error:
            return {}, "", str(error)
        return found, "", ""

    def _arrays(self, case: Case, *arrays: Array) -> list[Array]:
        dtype = _DTYPES.get(case.format, np.float32)
        return [self._laid_out(array.astype(dtype)) for array in arrays]

    def _options(self, case: Case) -> dict[str, Any]:
        dtype = _DTYPES.get(case.format, np.float32)
        return {
            name: given.astype(dtype)
            if isinstance(given, np.ndarray) and given.dtype.kind == "f"
            else given
            for name, given in case.options.items()
        }

    def _laid_out(self, array: Array) -> Array:
        if self.layout == "bnhd":
            array = array.swapaxes(1, 2)
        return np.ascontiguousarray(array)

    def _read(
        self,
        returned: Any,
        case: Case,
        before: list[Array],
        after: list[Array],
    ) -> Answer:
        for name, old, new in zip(
            ("query", "key", "value"), before, after, strict=True
        ):
            if not np.array_equal(old, new):
                return Answer(wrong=f"The kernel writes into its {name}.")
        logsumexp = None
        if self.has_logsumexp:
            if not isinstance(returned, tuple | list) or len(returned) != 2:
                kind = type(returned).__name__
                raise _UnreadableError(
                    "The kernel should return (output, log-sum-exp), and "
                    f"returns one {kind}."
                )
            returned, logsumexp = returned
        elif isinstance(returned, tuple):
            raise _UnreadableError(
                f"The kernel returns a tuple of {len(returned)}, not the "
                "output alone; if the second is the log-sum-exp, give "
                'logsumexp="e" or "2".'
            )
        b, h, n_q, _ = case.query.shape
        shape = b, h, n_q, case.value.shape[-1]
        swapped = b, n_q, h, case.value.shape[-1]
        output = read(returned, "The output")
        if output.shape != (swapped if self.layout == "bnhd" else shape):
            wanted = swapped if self.layout == "bnhd" else shape
            other = {shape: "bhnd", swapped: "bnhd"}.get(output.shape)
            hint = f', as with layout="{other}"' if other else ""
            raise _UnreadableError(
                f"The output has the shape {output.shape}, not {wanted}{hint}."
            )
        if self.layout == "bnhd":
            output = output.swapaxes(1, 2)
        if logsumexp is not None:
            logsumexp = read(logsumexp, "The log-sum-exp")
            if logsumexp.ndim == 4 and logsumexp.shape[-1] == 1:
                logsumexp = logsumexp[..., 0]
            if logsumexp.shape == (b, n_q, h) != (b, h, n_q):
                logsumexp = logsumexp.swapaxes(1, 2)
            if logsumexp.shape != (b, h, n_q):
                raise _UnreadableError(
                    f"The log-sum-exp has the shape {logsumexp.shape}, not "
                    f"{(b, h, n_q)}."
                )
        return Answer(output, logsumexp)


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
