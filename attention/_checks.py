"""What is refused, in the same words everywhere. A size, a number or a flag that passes comes back as Python's own."""

import math
import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from numbers import Real
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")


def count(name: str, value: int, *, minimum: int = 0, hint: str = "") -> int:
    """Refuse what is not an integer of at least `minimum`."""
    result = integer(name, value)
    if result < minimum:
        raise ValueError(f"{name} must be at least {minimum}: {result}{hint}")
    return result


def size(name: str, value: int, *, minimum: int = 0) -> int:
    """Refuse what cannot be the length of an axis, before NumPy speaks of a maximum without saying of what."""
    result = count(name, value, minimum=minimum)
    if result >= 2**48:
        raise ValueError(
            f"{name} must be less than 2**48, more than any memory holds: {result}"
        )
    return result


def integer(name: str, value: int) -> int:
    try:
        result = operator.index(value)
    except Exception:  # of objects that claim to be one, and then are not
        raise TypeError(f"{name} must be an integer: {shown(value)}") from None
    if isinstance(value, (bool, np.ma.MaskedArray)):
        raise TypeError(f"{name} must be an integer: {shown(value)}")
    if not -(2**63) <= result < 2**63:
        raise ValueError(
            f"{name} must be an integer of 64 bits"
        )  # of more, too many digits to show
    return result


def axis(value: int, array: NDArray[Any], name: str) -> int:
    """Refuse what is no axis of the array."""
    result = integer("axis", value)
    if not -array.ndim <= result < array.ndim:
        raise ValueError(f"axis {result} is not one of {name} {array.shape}")
    return result


def axes(
    value: int | tuple[int, ...], array: NDArray[Any], name: str
) -> int | tuple[int, ...]:
    """Refuse what is neither an axis nor several different ones."""
    if not isinstance(value, tuple):
        return axis(value, array, name)
    several = tuple(axis(one, array, name) for one in value)
    if len({one % array.ndim for one in several}) < len(several):
        raise ValueError(
            f"axis must not name an axis twice: axis {several}, {name} {array.shape}"
        )
    return several


def finite(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a real number: {shown(value)}")
    try:
        result = float(value)
    except OverflowError:  # an integer or a fraction
        raise ValueError(
            f"{name} must be finite, and is too large for a float"
        ) from None
    if not math.isfinite(result):
        raise ValueError(f"{name} must be finite: {value}")
    return result


def positive(name: str, value: float) -> float:
    result = finite(name, value)
    if result <= 0:
        raise ValueError(f"{name} must be positive: {value}")
    return result


def shown(value: object) -> str:
    """Show what a caller gave in a few characters, whatever it is."""
    try:
        text = repr(value)
    except Exception:  # an integer of more than 4300 digits, for one
        text = type(value).__name__
    return text if len(text) <= 80 else f"{text[:77]}..."


def flag(name: str, value: bool) -> bool:
    if value is False or value is True:
        return value
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(
            f"{name} must be True or False: {type(value).__name__}"
        )
    return bool(value)


def instance(name: str, value: T, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise TypeError(
            f"{name} must be {kind.__name__}: {type(value).__name__}"
        )
    return value


ATTN_MASK = "{} takes no attn_mask: give mask= (booleans, True means 'may attend') or bias= (numbers to add)"


def names_attn_mask(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function that has mask and bias say so to callers who know them as one, from PyTorch."""

    @wraps(function)
    def checked(*args: P.args, **options: P.kwargs) -> R:
        if "attn_mask" in options:
            raise TypeError(ATTN_MASK.format(function.__name__))
        return function(*args, **options)

    return checked


def function(name: str, value: object) -> None:
    if not callable(value):
        raise TypeError(
            f"{name} must be a function from array to array: {shown(value)}"
        )


def one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise ValueError(
            f"{name} must be {' or '.join(map(repr, choices))}: {shown(value)}"
        )


@contextmanager
def unchanged_if_refused(thing: object) -> Iterator[None]:
    """Give an object its attributes back if something is refused meanwhile, where they are replaced and not altered."""
    before = {} if thing is None else dict(vars(thing))
    try:
        yield
    except BaseException:
        if thing is not None:
            vars(thing).update(before)
        raise


def options_of(
    function: str, known: Collection[str], options: Mapping[str, object]
) -> None:
    """Refuse an option that the function does not take, before a function further down refuses it under its own name.

    Without this a misspelt option of `transformer_block` would be an error of
    `scaled_dot_product_attention`.
    """
    for name in options:
        if name == "attn_mask":
            raise TypeError(ATTN_MASK.format(function))
        if name == "enable_gqa" and name not in known:
            raise TypeError(
                f"{function} takes no enable_gqa: which heads are shared follows from the weights"
            )
        if name not in known:
            raise TypeError(
                f"{function} takes no option {name!r}; its options are {', '.join(known)}"
            )


def has_axes(layout: str, n_axes: int, **arrays: NDArray[Any]) -> None:
    """Refuse an array with fewer axes than its layout, such as '(..., n, d)', has."""
    for name, array in arrays.items():
        if array.ndim < n_axes:
            plural = "axis" if n_axes == 1 else "axes"
            raise ValueError(
                f"{name} must have at least {n_axes} {plural} {layout}: {name} {array.shape}"
            )


def same_size(what: str, axes: tuple[int, int], **pair: NDArray[Any]) -> None:
    """Refuse two arrays whose given axes differ in size; `what` says what they must share."""
    (first, a), (second, b) = pair.items()
    if a.shape[axes[0]] != b.shape[axes[1]]:
        raise ValueError(
            f"{first} and {second} must share {what}: {first} {a.shape}, {second} {b.shape}"
        )


def queries_meet_keys(query: NDArray[Any], key: NDArray[Any]) -> None:
    if (
        query.ndim >= 2 <= key.ndim and query.shape[-1] == key.shape[-1]
    ):  # a small call has little time
        return
    has_axes("(..., n, d_k)", 2, query=query, key=key)
    same_size("d_k (last axis)", (-1, -1), query=query, key=key)


def keys_have_values(key: NDArray[Any], value: NDArray[Any]) -> None:
    if value.ndim >= 2 and value.shape[-2] == key.shape[-2]:
        return
    has_axes("(..., n_k, d_v)", 2, value=value)
    same_size("n_k (axis -2)", (-2, -2), key=key, value=value)


def matrix_fits(
    name: str, tokens: NDArray[Any], weight_name: str, weight: NDArray[Any]
) -> None:
    """Refuse tokens and a matrix that do not multiply."""
    has_axes("(..., n, d_in)", 2, **{name: tokens})
    if weight.ndim != 2:
        raise ValueError(
            f"{weight_name} must have shape (d_in, d_out): {weight_name} {weight.shape}"
        )
    what = f"d_in (last axis of {name}, first of {weight_name})"
    same_size(what, (-1, 0), **{name: tokens, weight_name: weight})


def bias_fits(
    name: str, bias: NDArray[Any], weight_name: str, weight: NDArray[Any]
) -> None:
    if bias.shape != weight.shape[1:]:
        raise ValueError(
            f"{name} must have a number for each column of {weight_name}: "
            f"{name} {bias.shape}, {weight_name} {weight.shape}"
        )


def gate_fits(w_gate: NDArray[Any], w_in: NDArray[Any]) -> None:
    if w_gate.shape != w_in.shape:
        raise ValueError(
            f"w_gate must have the shape of w_in: w_gate {w_gate.shape}, w_in {w_in.shape}"
        )


def leading_axes_broadcast(n_core: int, **arrays: NDArray[Any]) -> None:
    """Refuse arrays whose axes before the last `n_core` ones (batch, heads) do not broadcast."""
    leading = {a.shape[: a.ndim - n_core] for a in arrays.values()}
    if len(leading) == 1:  # the usual case, and NumPy takes its time
        return
    try:
        np.broadcast_shapes(*leading)
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, a in arrays.items())
        raise ValueError(
            f"the leading axes of {', '.join(arrays)} must broadcast: {shapes}"
        ) from None


def fits_scores(
    name: str, array: NDArray[Any], scores_shape: tuple[int, ...]
) -> None:
    """Refuse a mask or bias that would not broadcast to the scores, or would enlarge them."""
    extra = array.ndim - len(scores_shape)
    problem = ""
    if extra > 0:
        problem = f"the scores have no axis {-array.ndim}"
        if extra == 1 and array.ndim == 4 and array.shape[1] == 1:
            problem += f"; for arrays without a heads axis use {name}[:, 0]"
    else:
        for axis in range(-array.ndim, 0):
            if array.shape[axis] not in (1, scores_shape[axis]):
                problem = f"axis {axis} has {array.shape[axis]} instead of 1 or {scores_shape[axis]}"
                break
    if problem:
        raise ValueError(
            f"{name} must broadcast to the scores: {name} {array.shape}, scores {scores_shape}; {problem}"
        )


def square_without_offset(option: str, scores_shape: tuple[int, ...]) -> None:
    n_q, n_k = scores_shape[-2:]
    if n_q != n_k:
        raise ValueError(
            f"{option} needs as many queries as keys, or an offset: scores {scores_shape}. Say which alignment you "
            f"mean: offset=0 aligns the first query with the first key, offset={n_k - n_q}, that is n_k - n_q, the "
            "last with the last, as decoding with a cache needs"
        )


def tables_turn(
    name: str,
    array: NDArray[Any],
    cos: NDArray[Any],
    sin: NDArray[Any],
    layout: str,
) -> None:
    """Refuse tables of rotary positions that cannot turn the features of `array`."""
    one_of("layout", layout, ("interleaved", "half"))
    problem = ""
    if not (array.ndim and cos.ndim):
        problem = f"{name} must have shape (..., n, d), cos and sin (..., n, rotary_dim / 2)"
    elif cos.shape != sin.shape:
        problem = "cos and sin must have the same shape"
    elif 2 * cos.shape[-1] > array.shape[-1]:
        problem = f"cos and sin turn {2 * cos.shape[-1]} features (twice their last axis), more than {name} has"
    elif not _broadcasts_to(cos.shape[:-1], array.shape[:-1]):
        problem = f"cos and sin must broadcast to {name}, with a row for each of its positions (axis -2)"
    if problem:
        raise ValueError(
            f"{problem}: {name} {array.shape}, cos {cos.shape}, sin {sin.shape}"
        )


def _broadcasts_to(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether `shape` broadcasts to `target` without enlarging it."""
    last = target[len(target) - len(shape) :]
    return len(shape) <= len(target) and (
        shape == last
        or all(a in (1, b) for a, b in zip(shape, last, strict=True))
    )
