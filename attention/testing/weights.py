"""What a kernel's weights say: recovered key by key, and read for causes.

Where each value is loud in a feature of its own, the output holds the weights
themselves. Which of them are there says who reads whom; their logarithms,
less the right ones, say what was done to the scores and to the sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing.calls import Kernel
from attention.testing.cases import Case, loudness
from attention.testing.errors import PRECISION, Formats
from attention.testing.steps import Steps

Array = NDArray[Any]


class Recovered(NamedTuple):
    """A case, and the weights that a kernel gives the keys of it."""

    right: Steps
    weights: Array  # (batch, heads, n_q, n_k)
    allowed: Array
    ones: Array  # what it makes of values that are all one, (..., d_v)

    @property
    def whole(self) -> Array:
        """Return the sum of the weights of each row."""
        return np.asarray(self.ones.mean(axis=-1))

    @property
    def log_ratio(self) -> Array:
        """Return ln(weight / right weight), nan where either is too small."""
        w, r = self.weights, self.right.weights
        seen = self.allowed & (w > 0) & (r > 1e-30) & np.isfinite(w)
        with np.errstate(all="ignore"):
            return np.where(seen, np.log(w / r), np.nan)


def recover(kernel: Kernel, case: Case) -> Recovered | None:
    """Recover all weights of a case; None if the kernel does not answer."""
    right = Steps(case)
    shape = right.weights.shape
    found = np.zeros(shape)
    for loud, keys in case.loud(n_most=case.n_keys):
        output = kernel(loud).output
        if output is None:
            return None
        found[..., keys] = output[..., : keys.size] / loudness(case.format)
    whole = kernel(replace(case, value=np.ones_like(case.value))).output
    if whole is None:
        return None
    allowed = np.broadcast_to(right.allowed(), shape)
    return Recovered(right, found, allowed, whole)


def sentences(
    kernel: Kernel, found: Recovered, formats: Formats
) -> Iterator[str]:
    """Say what the weights show, causes that hide others first."""
    noise = _noise(found, formats)
    for say in (
        _features, _places, _reads, _others, _sums, _scores, _runs, _rounding,
        _unused, _example,
    ):  # fmt: skip
        said = list(say(kernel, found, noise))
        yield from said
        if said:
            return


# --- who reads whom ----------------------------------------------------------


def _features(kernel: Kernel, found: Recovered, noise: float) -> Iterator[str]:
    """Name features of the output that are wrong where others are right."""
    total = found.right.weights.sum(axis=-1, keepdims=True)
    off = ~(np.abs(found.ones - total) <= 8 * noise * total + 1e-30)
    bad, good = off.all(axis=(0, 1, 2)), ~off.any(axis=(0, 1, 2))
    if bad.any() and good.any() and (bad | good).all():
        which = _run("feature", np.flatnonzero(bad), bad.size)
        yield f"The output is wrong in {which}."


def _places(kernel: Kernel, found: Recovered, noise: float) -> Iterator[str]:
    """Find rows, or keys, that have the weights of other rows or keys."""
    w, right = found.weights, found.right.weights
    for name, got, wanted in (
        ("Row", w, right),
        ("Key", w.swapaxes(-1, -2), right.swapaxes(-1, -2)),
    ):
        n = got.shape[-2]
        if not 3 <= n <= 400 or got.shape[-1] < 9:
            continue
        got, wanted = got[0, 0], wanted[0, 0]
        size = np.abs(wanted).sum(axis=-1)
        gap = np.abs(got[:, None] - wanted[None]).sum(axis=-1)
        near = gap.argmin(axis=-1)
        fits = gap[np.arange(n), near] < 0.02 * size[near]
        same = gap[np.arange(n), np.arange(n)] < 0.02 * size
        moved = np.flatnonzero(fits & ~same)
        if moved.size > n / 3:
            i = int(moved[0])
            yield (
                f"{name} {i} gets what {name.lower()} {near[i]} should get; "
                f"so do others, in all {moved.size} of {n}."
            )


def _reads(kernel: Kernel, found: Recovered, noise: float) -> Iterator[str]:
    """Name cells that are read and should not be, and the other way round."""
    w, right = found.weights, found.right
    forbidden = (w != 0) & ~found.allowed
    missing = (w == 0) & found.allowed & (right.weights > 1e-5)
    for cells, what, also in (
        (forbidden, "reads", "may not see it"),
        (missing, "does not read", "may see it"),
    ):
        if not cells.any():
            continue
        b, h, i, j = (int(n) for n in np.argwhere(cells)[0])
        first = np.broadcast_to(right.offset(), (w.shape[0], 1, 1, 1))[
            b
        ].item()
        place = f", position {i + first}," * bool(first)
        yield (
            f"Row {i}{place} {what} key {j}, although it {also} "
            f"({right.case.name}, sequence {b}, head {h})"
            f"{_pattern(found, cells)}."
        )


def _pattern(found: Recovered, cells: Array) -> str:
    """Say what such cells have in common: keys, or a distance."""
    some = cells.any(axis=(0, 1))
    empty = (cells | ~found.allowed | (found.weights == 0)).all(axis=-1)
    rows = np.flatnonzero(empty.all(axis=(0, 1)) & some.any(axis=-1))
    if rows.size and (found.weights[..., rows, :] == 0).all():
        return f"; {_run('row', rows, empty.shape[-1])} read no key at all"
    keys = np.flatnonzero(some.any(axis=0))
    of_keys = np.broadcast_to(found.right.scaled(), cells.shape) * 0 == 0
    whole = (cells == found.allowed)[..., keys].all() and of_keys.any()
    if whole and keys.size < cells.shape[-1]:
        return f"; no row reads {_run('key', keys, cells.shape[-1])}"
    distance = np.broadcast_to(found.right.distance(), cells.shape)[cells]
    near, far = int(distance.min()), int(distance.max())
    every = found.right.distance() == near
    if near == far and not (cells == (every & found.allowed)).all():
        n_rows = np.count_nonzero(some.any(axis=-1))
        return f"; so it is in {n_rows} of {cells.shape[-2]} rows"
    if near == far:
        where = "after" if near > 0 else "before"
        return f"; so it is with all keys {abs(near)} {where} the query" * (
            near != 0
        ) + "; so it is with each query's own key" * (near == 0)
    return f"; such keys are {near} to {far} from their query"


def _others(kernel: Kernel, found: Recovered, noise: float) -> Iterator[str]:
    """Say which head and sequence values and keys come from."""
    case = found.right.case
    b, kv_heads = case.value.shape[:2]
    n_heads = case.query.shape[1]
    if b * kv_heads == 1:
        return
    tags = 1.0 + np.arange(b * kv_heads).reshape(b, kv_heads, 1, 1)
    value = np.broadcast_to(tags, case.value.shape)
    output = kernel(replace(case, value=value)).output
    if output is None:
        return
    with np.errstate(all="ignore"):
        ratio = output / found.whole[..., None]
        tag = np.array([[middle_of(one) for one in s] for s in ratio])
    own = (tags[:, :, 0, 0] - 1).repeat(n_heads // kv_heads, axis=1)
    yield from _from_elsewhere(tag - 1, own, kv_heads, "values")
    with np.errstate(all="ignore"):
        yield from _from_elsewhere(_keys_of(found), own, kv_heads, "keys")


def _from_elsewhere(
    read: Array, own: Array, kv_heads: int, what: str
) -> Iterator[str]:
    near = np.abs(read - np.rint(read)) < 0.05
    wrong = np.argwhere(near & (np.rint(read) != own))
    if not wrong.size:
        return
    s, h = (int(n) for n in wrong[0])
    batch, head = divmod(int(np.rint(read[s, h])), kv_heads)
    right, right_head = divmod(int(own[s, h]), kv_heads)
    there = f" of sequence {batch}, not {right}" if batch != right else ""
    instead = f", not of head {right_head}" if head != right_head else ""
    yield (
        f"Query head {h} of sequence {s} reads the {what} of head {head}"
        f"{instead}{there}; so do others, in all {len(wrong)} of {own.size}."
        if len(wrong) > 1
        else f"Query head {h} of sequence {s} reads the {what} of head {head}"
        f"{instead}{there}."
    )


def _keys_of(found: Recovered) -> Array:
    """Find the keys whose scores fit the weights of each head, or nan."""
    right, w = found.right, found.weights
    case = right.case
    b, kv_heads = case.key.shape[:2]
    groups = case.query.shape[1] // kv_heads
    best = np.full(w.shape[:2], np.nan)
    seen = found.allowed & (w > 0)
    logs = np.where(seen, np.log(np.where(seen, w, 1)), np.nan)
    logs = logs - np.broadcast_to(right.bias(), w.shape)
    for s, h in np.ndindex(*w.shape[:2]):
        own = s * kv_heads + h // groups
        fits = [
            _slope(
                logs[s, h],
                right.capped(case.query[s, h] @ k.T * right.scale()),
            )
            for k in case.key.reshape(b * kv_heads, *case.key.shape[2:])
        ]
        good = [n for n, (_, rest) in enumerate(fits) if rest < 0.1]
        if own not in good and good:
            best[s, h] = good[0]
    return best


def _slope(logs: Array, scores: Array) -> tuple[float, float]:
    """Fit logs = slope · scores in all rows; also say what is left of them."""
    some = np.where(np.isnan(logs), np.nan, scores)
    y, x = _centred(logs), _centred(some)
    slope = np.nansum(x * y) / np.nansum(x * x)
    rest = np.nansum((y - slope * x) ** 2) / np.nansum(y * y)
    return float(slope), float(np.sqrt(rest))


# --- how much each key gets --------------------------------------------------


def _noise(found: Recovered, formats: Formats) -> float:
    """Return what rounding alone makes of the logarithm of a weight."""
    coarse = min(
        PRECISION[name][0]
        for name in (formats.weights, formats.output, formats.sums)
    )
    unit = 2.0 ** -PRECISION[formats.sums][0]
    sizes = float(found.right.score_sizes().max())
    return 2.0**-coarse * 1.5 + unit * sizes * 4


def _sums(kernel: Kernel, found: Recovered, noise: float) -> Iterator[str]:
    """Say what is wrong if each row has right weights times one number."""
    ratio = found.log_ratio
    with np.errstate(all="ignore"):
        rows = _mean(ratio)
        spread = np.fmax.reduce(np.abs(ratio - rows[..., None]), axis=None)
    if (
        not spread < 4 * noise
        or not np.fmax.reduce(np.abs(rows), axis=None) > 2 * noise
    ):
        return
    factor = np.exp(rows)
    low, high = (
        float(np.fmin.reduce(factor, axis=None)),
        float(np.fmax.reduce(factor, axis=None)),
    )
    if high - low < 4 * noise * high:
        what = (
            f"{high:.4g} times"
            if abs(high - 1) > 1e-3
            else (f"{high - 1:+.2g} of itself off")
        )
        yield f"Every weight is {what} what it should be."
        return
    if high - low < 0.1 and _mean(np.abs(rows).ravel()) < 0.03:
        yield _small_sums(rows)
        return
    extra = np.exp(found.right.logsumexp) * (1 / factor - 1)
    if _spread(extra.ravel()) < 0.02 * abs(_mean(extra.ravel())):
        yield (
            "The sum of each row has "
            f"{_mean(extra.ravel()):.4g} too much, as if there were that many "
            f"more keys of score 0 ({found.right.case.name})."
        )
        return
    sink = found.right.sink()
    if sink is not None:
        scores = found.right.scores()
        keys = np.exp(scores).sum(axis=-1)
        taken = np.exp(found.right.logsumexp) / factor - keys
        times = taken / np.exp(sink[..., 0])
        top = np.maximum(scores.max(axis=-1), -1e300)
        if np.allclose(taken / np.exp(sink[..., 0] + top), 1, rtol=0.02):
            yield (
                "The exponential of the sink is added without subtracting "
                "the maximum of the row from it."
            )
            return
        if _spread(times.ravel()) < 0.02 * _mean(times.ravel()):
            yield f"The sink counts {_mean(times.ravel()):.4g} times."
            return
        if (_spread(taken) < 0.02 * _mean(taken)).all():
            used = np.log(_mean(taken)[0])
            h = int(np.abs(used - sink[:, 0, 0]).argmax())
            yield (
                f"The sink of head {h} is taken for {used[h]:.4g}, not for "
                f"{sink[h, 0, 0]:.4g}."
            )
            return
    yield (
        "The weights of each row are right among themselves, but their sum "
        f"is not: rows are {low:.4g} to {high:.4g} times what they should be."
    )


def _small_sums(rows: Array) -> str:
    """Say what small errors of whole rows look like: a part, or all."""
    size = _size(rows)
    off = np.abs(rows) > size / 4
    if off.mean() < 0.2:
        b, h, i = (int(n) for n in np.argwhere(off)[0])
        return (
            f"Few rows are wrong, the first being row {i} of sequence {b}, "
            f"head {h}: its weights are {np.exp(rows[b, h, i]):.5g} times "
            "what they should be."
        )
    known = rows[~np.isnan(rows)]
    if (known < 0).mean() > 0.95:
        return (
            f"Weights are too small by {size:.2g} of themselves, in all rows, "
            "as if they, their sum or the output were cut off and not rounded."
        )
    return f"The weights of whole rows are off by {size:.2g} of themselves."


def _scores(kernel: Kernel, found: Recovered, noise: float) -> Iterator[str]:
    """Say by which numbers the scores and the bias are multiplied."""
    right, w = found.right, found.weights
    seen = found.allowed & (w > 0) & (right.weights > 1e-12)
    with np.errstate(all="ignore"):
        logs = np.where(seen, np.log(w), np.nan)
    bias = np.broadcast_to(right.bias(), w.shape)
    raw = np.broadcast_to(right.scaled(), w.shape)
    has_bias = bool(np.any(bias))
    for scores, how in ((right.capped(raw), ""), (raw, "uncapped ")):
        columns = [scores, bias] if has_bias else [scores]
        centred = [_centred(np.where(seen, c, np.nan)) for c in columns]
        y, ok = _centred(logs)[seen], seen[seen]
        matrix = np.stack([c[seen] for c in centred], axis=-1)
        factors = np.linalg.lstsq(matrix[ok], y[ok], rcond=None)[0]
        rest = np.abs(y - matrix @ factors).max(initial=0)
        if rest > 8 * noise + 1e-3 * np.abs(factors - 1).max():
            continue
        if how and abs(factors[0] - 1) <= noise / 8:
            largest = np.abs(raw[seen]).max()
            yield (
                f"The scores are not capped ({right.case.name}, where the "
                f"largest is {largest:.3g})."
            )
        elif abs(factors[0] - 1) > noise / 8:
            yield (
                f"The {how}scores are multiplied by "
                f"{factors[0] * right.scale():.4g}, not by "
                f"{right.scale():.4g}: {factors[0]:.4g} times the scale "
                f"({right.case.name}, d_k = {right.d_k})."
            )
        if has_bias and abs(factors[1] - 1) > noise / 8:
            yield f"The bias is multiplied by {factors[1]:.4g}."
        return

    first = _slope(logs[..., :4], right.capped(raw)[..., :4])
    if first[1] < 1e-3 + 4 * noise and abs(first[0] - 1) > max(
        1e-3, 4 * noise
    ):
        yield (
            f"Among neighbours the scores are multiplied by {first[0]:.4g} "
            "times the scale, but not among all keys."
        )


def _centred(array: Array) -> Array:
    with np.errstate(all="ignore"):
        mean = _mean(array)[..., None]
    return array - np.where(np.isnan(mean), 0, mean)


def _runs(kernel: Kernel, found: Recovered, noise: float) -> Iterator[str]:
    """Say which runs of keys are right only among themselves."""
    ratio = found.log_ratio
    step = np.abs(np.diff(ratio, axis=-1)) > 6 * noise
    known = ~np.isnan(np.diff(ratio, axis=-1))
    often = step.sum(axis=(0, 1, 2)) / np.maximum(known.sum(axis=(0, 1, 2)), 1)
    ends = np.flatnonzero(often > 0.02) + 1
    if 0 < ends.size <= ratio.shape[-1] / 4:
        starts = [0, *ends.tolist()][:4]
        shown = ", ".join(f"from {n}" for n in starts)
        yield (
            "Runs of keys have right weights among themselves, but too much "
            "or too little against each other, as if parts were rescaled or "
            f"merged wrongly: runs {shown}{' …' * (ends.size > 3)}."
        )


def _rounding(kernel: Kernel, found: Recovered, noise: float) -> Iterator[str]:
    """Say which step is rounded, if errors look like chance."""
    ratio = found.log_ratio
    with np.errstate(all="ignore"):
        rows = _mean(ratio)
        inner = ratio - rows[..., None]
        each, of_row = _size(inner), _size(rows)
        scores = np.abs(
            np.where(np.isnan(ratio), np.nan, found.right.scaled())
        )
        middle = middle_of(scores)
        grows = _size(inner[scores > middle]) / _size(inner[scores <= middle])
        total = found.right.weights.sum(axis=-1)
        whole = _size(np.log(found.whole / total))
        n_keys = np.median(found.allowed.sum(axis=-1))
    honest = 0.25 * noise  # of weights and output that are rounded once
    chance = each / n_keys**0.5
    if max(each, of_row, whole) > 0.3:
        return
    if of_row > 2 * each or of_row > 0.5 * whole > 2 * chance:
        yield _small_sums(rows)
        return
    if each > 1.2 * honest and grows > 1.35:
        size = max(each**2 - honest**2, 0) ** 0.5
        what, size = "Each score", size / float(middle)
    elif whole > 0.5 * each:
        what, size = "The output, or what it is added up in,", each
    elif each > 1.2 * honest:
        what, size = "Each weight", each
    else:
        return
    yield (
        f"{what} has a relative error of {size:.2g}, as if it was kept in "
        f"{_format_of(size)}."
    )


def _unused(kernel: Kernel, found: Recovered, noise: float) -> Iterator[str]:
    """Find features of queries that change nothing."""
    case = found.right.case
    before, unused = kernel(case).output, list[int]()
    if before is None:
        return
    for feature in range(case.query.shape[-1]):
        query = case.query.copy()
        query[..., feature] *= -1
        after = kernel(replace(case, query=query)).output
        if after is not None and np.array_equal(before, after):
            unused.append(feature)
    if unused:
        n = case.query.shape[-1]
        which = _run("feature", np.array(unused), n)
        yield f"The scores do not depend on {which} of the queries."


def _example(kernel: Kernel, found: Recovered, noise: float) -> Iterator[str]:
    """Show the weight that is most wrong."""
    right = found.right
    gap = np.nan_to_num(np.abs(found.weights - right.weights), nan=np.inf)
    b, h, i, j = (int(n) for n in np.unravel_index(gap.argmax(), gap.shape))
    if gap.max() > 0:
        yield (
            f"Row {i} gives key {j} the weight "
            f"{found.weights[b, h, i, j]:.4g}, not "
            f"{right.weights[b, h, i, j]:.4g} ({right.case.name}, sequence "
            f"{b}, head {h})."
        )


def middle_of(array: Array) -> Any:
    """Return the median of what is not nan; nan if there is nothing."""
    numbers = array[~np.isnan(array)]
    return np.median(numbers) if numbers.size else np.nan


def _mean(array: Array) -> Any:
    """Return the mean over the last axis of what is not nan; nan if none."""
    some = ~np.isnan(array)
    with np.errstate(all="ignore"):
        total = np.where(some, array, 0).sum(axis=-1)
        return total / some.sum(axis=-1)


def _spread(array: Array) -> Any:
    """Return the standard deviation over the last axis, as `_mean`."""
    return np.sqrt(_mean((array - _mean(array)[..., None]) ** 2))


def _size(array: Array) -> float:
    finite = array[np.isfinite(array)]
    return float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0


def _format_of(size: float) -> str:
    """Name the format whose rounding makes such errors."""
    precision = 1 - np.log2(size / 0.2123)
    near = {"bfloat16": 8, "float16 or tf32": 11, "an 8-bit format": 3.5}
    near["float32"] = 24
    return min(near, key=lambda name: abs(near[name] - precision))


def _run(what: str, numbers: Array, n: int) -> str:
    """Write a list of indices shortly."""
    first, last = int(numbers[0]), int(numbers[-1])
    if first == last:
        return f"{what} {first} of {n}"
    some = (
        "" if last - first + 1 == numbers.size else f"{numbers.size} of the "
    )
    return f"{some}{what}s {first} to {last} of {n}"
