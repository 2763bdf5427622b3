"""What a kernel's weights say: recovered key by key, and read for causes.

Where each value is loud in a feature of its own, the output holds the weights
themselves. Which of them are there says who reads whom; their logarithms,
less the right ones, say what was done to the scores and to the sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing.calls import Kernel
from attention.testing.cases import loudness
from attention.testing.errors import PRECISION
from attention.testing.places import run
from attention.testing.steps import Steps
from attention.testing.trials import Trial

Array = NDArray[Any]


class Recovered(NamedTuple):
    """A case, and the weights that a kernel gives the keys of it."""

    right: Steps
    weights: Array  # (batch, heads, n_q, n_k)
    allowed: Array
    wrong: Array  # of bool: which rows of the case are wrong
    noise: float  # what rounding alone makes of the logarithm of a weight

    @property
    def log_ratio(self) -> Array:
        """Return ln(weight / right weight), nan where either is too small."""
        w, r = self.weights, self.right.weights
        seen = self.allowed & (w > 0) & (r > 1e-30) & np.isfinite(w)
        return np.where(seen, np.log(w / r), np.nan)

    @property
    def factors(self) -> Array:
        """Return by how much each row that is wrong is too large."""
        return np.exp(mean(self.log_ratio[self.wrong]))


def recover(kernel: Kernel, trial: Trial) -> Recovered | None:
    """Recover all weights of a case; None if the kernel does not answer."""
    case, right, formats = trial.case, trial.right, trial.rules.formats
    found = np.zeros(right.weights.shape)
    shapes = {name: x.shape for name, x in trial.answer.results.items()}
    for loud, keys in case.loud(n_most=right.n_keys):
        output = kernel(loud, shapes).results.get("output")
        if output is None:
            return None
        found[..., keys] = output[..., : keys.size] / loudness(case.format)
    allowed = np.broadcast_to(right.allowed(), found.shape)
    some = formats.weights, formats.output, formats.sums
    coarse = min(PRECISION[name][0] for name in some)
    unit = 2.0 ** -PRECISION[formats.sums][0]
    noise = 2.0**-coarse * 1.5 + unit * float(right.score_sizes().max()) * 4
    wrong = trial.verdicts["output"].rows > 1
    wrong |= ~wrong.any()
    return Recovered(right, found, allowed, wrong, noise)


def sentences(found: Recovered) -> Iterator[str]:
    """Say what the weights show, causes that hide others first."""
    for say in (_reads, _sums, _scores, _runs, _rounding, _example):
        said = list(say(found))
        yield from said
        if said:
            return


def _reads(found: Recovered) -> Iterator[str]:
    """Name cells that are read and should not be, and the other way round."""
    w, right = found.weights, found.right
    forbidden = (w != 0) & ~found.allowed
    missing = (w == 0) & found.allowed & (right.weights > 1e-5)
    small = missing & (right.weights > np.median(right.weights[missing]))
    if missing.any() and not forbidden.any() and not small.any():
        return
    for cells, what, also in (
        (forbidden, "reads", "may not see it"),
        (missing, "does not read", "may see it"),
    ):
        if not cells.any():
            continue
        b, h, i, j = (int(n) for n in np.argwhere(cells)[0])
        offset = np.broadcast_to(right.offset(), (w.shape[0], 1, 1, 1))
        first = offset[b].item()
        place = f", position {i + first}," * bool(first)
        yield (
            f"Row {i}{place} {what} key {j}, although it {also} "
            f"({right.case.name}, sequence {b}, head {h})"
            f"{_pattern(found, cells)}{_doubled(found) * (cells is missing)}."
        )


def _doubled(found: Recovered) -> str:
    """Say which keys count twice, if there are any."""
    rows = found.log_ratio.reshape(-1, found.right.n_keys)
    keys = np.array([middle_of(key) for key in (rows - _middles(rows)).T])
    twice = np.flatnonzero(np.abs(keys - np.log(2)) < 0.02)
    if not twice.size:
        return ""
    return f"; {run('key', twice, keys.size)} count twice in their place"


def _middles(rows: Array) -> Array:
    return np.array([middle_of(row) for row in rows])[:, None]


def _pattern(found: Recovered, cells: Array) -> str:
    """Say what such cells have in common: keys, or a distance."""
    seen = found.allowed | cells
    some = cells.any(axis=(0, 1))
    keys = np.flatnonzero(some.any(axis=0))
    if (cells == seen)[..., keys].all() and keys.size < cells.shape[-1]:
        return f"; so it is with {run('key', keys, cells.shape[-1])}"
    rows = np.flatnonzero(some.any(axis=-1))
    if (cells == seen)[..., rows, :].all():
        return f"; so it is in {run('row', rows, cells.shape[-2])}"
    positions = found.right.positions()
    distance = np.arange(cells.shape[-1]) - positions
    distance = np.broadcast_to(distance, cells.shape)
    near, far = int(distance[cells].min()), int(distance[cells].max())
    if near < far or not (cells == (distance == near) & seen).all():
        return f"; such keys are {near} to {far} from their query"
    where = "after" if near > 0 else "before"
    return (
        f"; so it is with all keys {abs(near)} {where} the query"
        if near
        else "; so it is with each query's own key"
    )


def _sums(found: Recovered) -> Iterator[str]:
    """Say what is wrong if each row has right weights times one number."""
    ratio, factor = found.log_ratio[found.wrong], found.factors
    spread = np.fmax.reduce(np.abs(ratio - np.log(factor)[:, None]), axis=None)
    low, high = (float(f.reduce(factor)) for f in (np.fmin, np.fmax))
    largest = max(abs(low - 1), abs(high - 1))
    if not spread < 4 * found.noise or largest < 2 * found.noise:
        return
    if high - low < 4 * found.noise * high:
        yield f"Every weight is {factor.mean():.7g} times what it should be."
        return
    right = found.right
    scores = right.with_sink(right.scores())
    total = np.exp(right.logsumexp)[found.wrong]
    extra = total * (1 / factor - 1)
    units: list[tuple[str, Array]] = [
        ("a key of score 0", np.ones_like(total)),
        ("its largest term", np.exp(scores.max(axis=-1))[found.wrong]),
        ("its sum", total),
    ]
    sink = right.sink()
    if sink is not None:
        sinks = np.broadcast_to(np.exp(sink[..., 0]), right.logsumexp.shape)
        units.insert(0, ("the exponential of its sink", sinks[found.wrong]))
    for name, unit in units:
        times = extra / unit
        middle = middle_of(times)
        if middle_of(np.abs(times - middle)) < 0.02 * abs(middle):
            yield (
                f"The sum of each row is too large by {middle:.4g} times "
                f"{name} ({right.case.name})."
            )
            return
    yield (
        "The weights of each row are right among themselves, but their sum "
        f"is not: rows are {low:.4g} to {high:.4g} times what they should be."
    )


def _scores(found: Recovered) -> Iterator[str]:
    """Say by which numbers scores and bias are multiplied, or how bent."""
    right, w, noise = found.right, found.weights, found.noise
    seen = found.allowed & (w > 0) & (right.weights > 1e-12)
    seen = seen & found.wrong[..., None]
    logs = np.where(seen, np.log(w), np.nan)
    bias = right.bias()
    scaled = np.broadcast_to(right.scaled(), w.shape)
    capped = right.capped(scaled)
    columns = [scaled if capped is None else capped]
    columns += [] if bias is None else [np.broadcast_to(bias, w.shape)]
    centred = [_centred(np.where(seen, c, np.nan)) for c in columns]
    y = _centred(logs)[seen]
    matrix = np.stack([c[seen] for c in centred], axis=-1)
    factors = np.linalg.lstsq(matrix, y, rcond=None)[0]
    rest = np.abs(y - matrix @ factors).max(initial=0)
    if rest <= 8 * noise + 1e-3 * np.abs(factors - 1).max():
        if abs(factors[0] - 1) > noise / 8:
            yield (
                f"The scores are multiplied by "
                f"{factors[0] * right.scale():.4g}, not by "
                f"{right.scale():.4g}: {factors[0]:.4g} times the scale "
                f"({right.case.name}, d_k = {right.d_k})."
            )
        if bias is not None and abs(factors[1] - 1) > noise / 8:
            yield f"The bias is multiplied by {factors[1]:.4g}."
        return
    ratio = _centred(found.log_ratio)
    top = right.scores().max(axis=-1, keepdims=True)
    for what, x in (("exp", right.scores() - top), ("cap", scaled)):
        if what == "cap" and capped is None:
            continue
        if _explained(x[seen], ratio[seen]) > 0.8:
            of = "largest score of a row" if what == "exp" else "score"
            yield (
                f"The {what} is not exact: weights are off by up to "
                f"{np.abs(ratio[seen]).max():.2g} of themselves, by a curve "
                f"that depends on the {of} alone ({right.case.name})."
            )
            return


def _explained(x: Array, y: Array, n: int = 256) -> float:
    """Return how much of y a curve of x explains."""
    good = np.isfinite(y) & np.isfinite(x)
    if good.sum() < 4 * n:
        return 0.0
    y = y[good][np.argsort(x[good])]
    rest = np.diff(y)
    return float(1 - np.mean(rest**2) / 2 / np.var(y))


def _runs(found: Recovered) -> Iterator[str]:
    """Say which keys count too much or too little in all rows."""
    ratio = found.log_ratio[found.wrong]
    ratio = ratio - _middles(ratio)
    keys = np.array([middle_of(key) for key in ratio.T])
    rest = np.nanmax(np.abs(ratio - keys))
    off = np.abs(keys) > 6 * found.noise
    if rest < 6 * found.noise and 0 < off.sum() < keys.size / 2:
        some = np.flatnonzero(off)
        factors = np.exp(keys[some])
        what = run("key", some, keys.size).capitalize()
        count = "counts" if some.size == 1 else "count"
        yield (
            f"{what} {count} {factors.min():.4g} to {factors.max():.4g} times "
            f"({found.right.case.name})."
        )
        return
    step = np.abs(np.diff(ratio, axis=-1)) > 6 * found.noise
    often = (
        step.sum(axis=0) / np.maximum((~np.isnan(ratio)).sum(axis=0), 1)[1:]
    )
    ends = np.flatnonzero(often > 0.02) + 1
    if 0 < ends.size <= ratio.shape[-1] / 4:
        shown = ", ".join(f"from {n}" for n in [0, *ends.tolist()][:4])
        yield (
            "Runs of keys have right weights among themselves, but too much "
            "or too little against each other, as if parts were rescaled or "
            f"merged wrongly: runs {shown}{' …' * (ends.size > 3)}."
        )


def _rounding(found: Recovered) -> Iterator[str]:
    """Say which step is rounded, if errors look like chance."""
    ratio = found.log_ratio[found.wrong]
    inner = ratio - np.log(found.factors)[:, None]
    each, rows = _size(inner), _size(np.log(found.factors))
    scores = np.abs(np.broadcast_to(found.right.scaled(), found.weights.shape))
    scores = scores[found.wrong]
    middle = middle_of(scores[np.isfinite(ratio)])
    grows = _size(inner[scores > middle]) / _size(inner[scores <= middle])
    honest = 0.25 * found.noise  # of weights and output that are rounded once
    if max(each, rows) > 0.3:
        return
    if rows > 2 * each:
        yield f"The weights of whole rows are off by {rows:.2g} of themselves."
        return
    if each < 1.2 * honest:
        yield (
            "Each weight is right: the error comes where they meet the values "
            "and are added up."
        )
        return
    what = "Each score" if grows > 1.35 else "Each weight"
    size = max(each**2 - honest**2, 0) ** 0.5 / (middle if grows > 1.35 else 1)
    precision = 1 - np.log2(size / 0.2123)
    near = {"bfloat16": 8, "float16 or tf32": 11, "an 8-bit format": 3.5}
    format = min(near, key=lambda name: abs(near[name] - precision))
    yield (
        f"{what} has a relative error of {size:.2g}, as if it was kept in "
        f"{format}."
    )


def _example(found: Recovered) -> Iterator[str]:
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


def mean(array: Array) -> Any:
    """Return the mean over the last axis of what is not nan; nan if none."""
    some = ~np.isnan(array)
    return np.where(some, array, 0).sum(axis=-1) / some.sum(axis=-1)


def _centred(array: Array) -> Array:
    of_row = mean(array)[..., None]
    return array - np.where(np.isnan(of_row), 0, of_row)


def _size(array: Array) -> float:
    finite = array[np.isfinite(array)]
    return float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0
