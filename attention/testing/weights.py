"""What a kernel's weights say: recovered key by key, and read for causes.

Where each value is loud in a feature of its own, the output holds the weights
themselves. Which of them are there says who reads whom; their logarithms,
less the right ones, say what was done to the scores and to the sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention.testing.cases import loudness
from attention.testing.errors import PRECISION, Formats
from attention.testing.places import run
from attention.testing.steps import Steps
from attention.testing.trials import Trial

Array = NDArray[Any]
CHANCE = 4  # noises between two numbers that are alike but for rounding
STEP = 6  # noises from one key to the next, where another part begins
NEEDED = 1e-5  # a weight that no format loses
LEAST = 1e-30  # a right weight below is compared with nothing
MOST_KEYS = 330  # of a case whose weights are recovered
FEW = 50  # weights, of which nothing is said
TAIL = 6  # deviations: nothing that is off by chance is so far
ROUNDED = 0.42  # deviation of what is rounded, in units of 2 ** -bits
NEAR = 0.35  # bits: what is so near a format may come of it
ROWS, BINS = 60, 32  # rows that are looked at, and classes of a number in them
EXPLAINED = 0.93  # of the variance, if one number decides alone


class Recovered(NamedTuple):
    """A case, and what a kernel makes of its rows that are wrong."""

    right: Steps
    weights: Array  # (batch, heads, n_q, n_k)
    allowed: Array
    wrong: Array  # of bool: which rows of the case are wrong
    ratio: Array  # of those, ln(weight / right weight); nan if too small
    noise: float  # what rounding alone makes of such a logarithm


def recover(trial: Trial) -> Recovered | None:
    """Recover all weights of a case, once; None if there is no answer."""
    return trial.right.once("recovered", lambda: _recovered(trial))


def _recovered(trial: Trial) -> Recovered | None:
    case, right, formats = trial.case, trial.right, trial.rules.formats
    w = np.zeros(right.weights.shape)
    for loud, keys in case.loud(n_most=right.n_keys):
        output = trial.again(value=loud.value).get("output")
        if output is None:
            return None
        w[..., keys] = output[..., : keys.size] / loudness(case.format)
    unit = 2.0 ** -PRECISION[formats.sums][0]
    noise = 2.0 ** -fewest_bits(formats) * 1.5
    noise += unit * float(right.score_sizes().max()) * 4
    wrong = trial.verdicts["output"].rows > 1
    wrong |= ~wrong.any()
    return compared(right, w, wrong, noise)


def compared(
    right: Steps, weights: Array, wrong: Array, noise: float
) -> Recovered:
    """Compare weights with the right ones, in the rows that are wrong."""
    allowed = np.broadcast_to(right.allowed(), weights.shape)
    large = (weights > 0) & (right.weights > LEAST)
    seen = allowed & large & np.isfinite(weights)
    ratio = np.where(seen, np.log(weights / right.weights), np.nan)[wrong]
    return Recovered(right, weights, allowed, wrong, ratio, noise)


def recoverable(trials: list[Trial]) -> list[Trial]:
    """Return the wrong cases whose weights may be recovered."""
    return [
        t
        for t in trials
        if "output" in t.wrong
        and t.is_plain
        and 1 < t.right.n_keys <= MOST_KEYS
    ]


def fewest_bits(formats: Formats) -> int:
    """Return the bits of the coarsest format that a weight goes through."""
    some = formats.weights, formats.output, formats.sums
    return min(PRECISION[name][0] for name in some)


def sentences(found: Recovered) -> Iterator[str]:
    """Say what the weights show, causes that hide others first."""
    yield from _first(found, _reads, _sums, _scores, _parts)


def hints(found: Recovered) -> Iterator[str]:
    """Say what the errors look like."""
    yield from _first(found, _depends, _noise)


def _first(
    found: Recovered, *says: Callable[[Recovered], Iterator[str]]
) -> Iterator[str]:
    for say in says:
        said = list(say(found))
        yield from said
        if said:
            return


def _reads(found: Recovered) -> Iterator[str]:
    """Name cells that are read and should not be, and the other way round."""
    w, right = found.weights, found.right
    forbidden = (w != 0) & ~found.allowed
    missing = (w == 0) & found.allowed & (right.weights > NEEDED)
    for cells, what, also in (
        (forbidden, "reads", "may not see it"),
        (missing, "does not read", "may see it"),
    ):
        if not cells.any():
            continue
        b, h, i, j = (int(n) for n in np.argwhere(cells)[0])
        first = np.resize(right.offset(), len(w))[b]
        place = f", position {i + first}," * bool(first)
        yield (
            f"Row {i}{place} {what} key {j}, although it {also} "
            f"({right.case.name}, sequence {b}, head {h})"
            f"{_pattern(right, cells, found.allowed | cells)}."
        )


def _pattern(right: Steps, cells: Array, seen: Array) -> str:
    """Say what such cells have in common: keys, rows or a distance."""
    some = np.asarray(cells.any(axis=(0, 1)))
    keys = np.flatnonzero(some.any(axis=0))
    rows = np.flatnonzero(some.any(axis=1))
    if (cells == seen)[..., keys].all() and keys.size < right.n_keys:
        return f"; so it is with {run('key', keys, right.n_keys)}"
    if (cells == seen)[..., rows, :].all():
        return f"; so it is in {run('row', rows, right.n_queries)}"
    distance = np.broadcast_to(right.keys - right.positions(), cells.shape)
    near, far = int(distance[cells].min()), int(distance[cells].max())
    return f"; such keys are {near} to {far} from their query"


def _sums(found: Recovered) -> Iterator[str]:
    """Say what is wrong if each row has right weights times one number."""
    rows = mean(found.ratio)
    spread = np.fmax.reduce(np.abs(found.ratio - rows[:, None]), axis=None)
    factor = np.exp(rows)
    low, high = np.fmin.reduce(factor), np.fmax.reduce(factor)
    noise = found.noise
    if (
        not spread < CHANCE * noise
        or max(abs(low - 1), abs(high - 1)) < 2 * noise
    ):
        return
    if high - low < CHANCE * noise * high:
        yield f"Every weight is {mean(factor):.7g} times what it should be."
        return
    yield (
        "The weights of each row are right among themselves, but their sum "
        f"is not: rows are {low:.4g} to {high:.4g} times what they should be."
    )


def _scores(found: Recovered) -> Iterator[str]:
    """Say by which numbers scores and bias are multiplied."""
    right, noise, shape = found.right, found.noise, found.weights.shape
    scaled, bias = right.scaled(), right.bias()
    capped = right.capped(scaled)
    columns = [scaled if capped is None else capped]
    columns += [] if bias is None else [bias]
    x = [np.broadcast_to(one, shape)[found.wrong] for one in columns]
    y = found.ratio + np.log(right.weights[found.wrong])
    factors, gaps = _fitted(y, x)
    rest = np.abs(gaps).max(initial=0)
    if rest > 2 * CHANCE * noise + 1e-3 * np.abs(factors - 1).max():
        return
    if abs(factors[0] - 1) > noise / 8:
        got, scale = told(factors[0] * right.scale(), right.scale())
        yield (
            f"The scores are multiplied by {got}, not by {scale}: "
            f"{told(factors[0], 1)[0]} times the scale ({right.case.name}, "
            f"d_k = {right.d_k})."
        )
    if bias is not None and abs(factors[1] - 1) > noise / 8:
        yield f"The bias is multiplied by {factors[1]:.4g}."


def _parts(found: Recovered) -> Iterator[str]:
    """Say that keys are weighed rightly among themselves, part by part."""
    starts, n_keys = starts_of_parts(found), found.right.n_keys
    if starts is None:
        return
    parts = np.split(found.ratio, starts, axis=-1)
    each = np.stack([mean(part) for part in parts], axis=-1)
    gap = np.abs(np.diff(each, axis=-1))
    row, i = np.unravel_index(np.nanargmax(gap), gap.shape)
    bounds = [0, *starts, n_keys]
    b, h, q = np.argwhere(found.wrong)[row]
    yield (
        "Within parts of the keys (new ones begin at "
        f"{first_few(starts)}) the weights are right among themselves, but "
        "not beside those of other "
        f"parts: row {q} gives keys {bounds[i]} to {bounds[i + 1] - 1} "
        f"{np.exp(each[row, i] - each[row, i + 1]):.4g} times the weight "
        f"that they should have beside keys {bounds[i + 1]} to "
        f"{bounds[i + 2] - 1} ({found.right.case.name}, sequence {b}, "
        f"head {h})."
    )


def starts_of_parts(found: Recovered) -> Array | None:
    """Say where parts of the keys begin that are right in themselves."""
    ratio, n_keys = found.ratio, found.right.n_keys
    step = np.abs(np.diff(ratio, axis=-1))
    starts = np.flatnonzero((step > STEP * found.noise).any(axis=0)) + 1
    few = np.diff(starts).min(initial=n_keys)  # keys of a part
    if not 0 < starts.size < n_keys / 6 or few < 4:
        return None
    parts = np.split(ratio, starts, axis=-1)
    most, least = np.fmax.reduce, np.fmin.reduce  # all may be nan
    spread = [most(p, axis=-1) - least(p, axis=-1) for p in parts]
    is_right = most(spread, axis=None) < 2 * CHANCE * found.noise
    return starts if is_right else None


def first_few(numbers: Array) -> str:
    """Write numbers, the first four of them."""
    return ", ".join(map(str, numbers[:4])) + ", ..." * (numbers.size > 4)


def _suspects(right: Steps) -> Iterator[tuple[str, Array]]:
    """Give numbers, one for each score, that may decide how wrong it is."""
    scaled, bias = right.scaled(), right.bias()
    yield "the score", scaled
    if bias is not None:
        yield "the bias", bias
    yield "the distance from query to key", right.keys - right.positions()
    yield "the number of the key", right.keys
    so_far = np.maximum.accumulate(right.scores(), axis=-1) / np.log(2)
    for n in (right.n_keys, 64, 32, 128, 16):
        last = np.minimum((right.keys // n + 1) * n, right.n_keys) - 1
        what = "the fraction of the score in base 2, less the largest so "
        what += f"far (blocks of {n} keys; is exp made of a polynomial?)"
        yield what, (right.full() / np.log(2) - so_far[..., last]) % 1


def _depends(found: Recovered) -> Iterator[str]:
    """Say what alone decides how wrong a score is."""
    rows = np.linspace(0, len(found.ratio) - 1, ROWS).astype(int)
    ratio = found.ratio[np.unique(rows)]
    seen = np.isfinite(ratio)
    y = _centred(ratio)[seen]
    if not y.size or y.std() < 2 * found.noise:
        return
    own = np.log(found.right.weights[found.wrong][np.unique(rows)])
    if (
        _centred(ratio + own)[seen].std()
        < 0.5 * _centred(np.where(seen, own, np.nan))[seen].std()
    ):
        return  # the weights hardly know of the scores: they are others
    best, most = "", EXPLAINED
    for what, x in _suspects(found.right):
        x = np.broadcast_to(x, found.weights.shape)[found.wrong]
        x = x[np.unique(rows)]
        shares = np.linspace(0, 1, BINS + 1)[1:-1]
        edges = np.unique(np.quantile(x[seen], shares))
        bins = np.searchsorted(edges, x)
        columns = [bins == i for i in range(1, edges.size + 1)]
        if y.size < 4 * (len(ratio) + len(columns)):
            continue  # so few numbers would fit anything
        share = 1 - _fitted(ratio, columns)[1].var() / y.var()
        if share > most:
            best, most = what, share
    if best:
        yield (
            f"How wrong a score is depends on {best} alone: scores are off by "
            f"up to {np.abs(y).max():.2g} ({found.right.case.name})."
        )


def _noise(found: Recovered) -> Iterator[str]:
    """Say that weights are wrong by chance, as if they were rounded."""
    y = _centred(found.ratio)
    y = y[np.isfinite(y)]
    if y.size < FEW or np.abs(y).max() > TAIL * y.std():
        return
    bits = -np.log2(y.std() / ROUNDED)
    format = {8: "bfloat16", 11: "float16 or TF32", 4: "float8_e4m3fn",
              3: "float8_e5m2"}.get(round(bits))  # fmt: skip
    if format and abs(bits - round(bits)) < NEAR:
        yield (
            f"Each weight is off by chance, by about {y.std():.1%}, as if "
            f"something were rounded to {format} on the way "
            f"({found.right.case.name})."
        )


def example(found: Recovered) -> Iterator[str]:
    """Show the weight that is most wrong."""
    right = found.right
    gap = np.nan_to_num(np.abs(found.weights - right.weights), nan=np.inf)
    b, h, i, j = (int(n) for n in np.unravel_index(gap.argmax(), gap.shape))
    if gap.max() > 0:
        both = found.weights[b, h, i, j], right.weights[b, h, i, j]
        got, wanted = told(*both)
        yield (
            f"Row {i} gives key {j} the weight {got}, not {wanted} "
            f"({right.case.name}, sequence {b}, head {h})."
        )


def told(got: float, wanted: float) -> list[str]:
    """Write two numbers with as many digits as tell them apart."""
    shown = [[f"{x:.{n}g}" for x in (got, wanted)] for n in range(4, 18)]
    return next((two for two in shown if two[0] != two[1]), shown[-1])


def middle_of(array: Array) -> Any:
    """Return the median of what is not nan; nan if there is nothing."""
    numbers = array[~np.isnan(array)]
    return np.median(numbers) if numbers.size else np.nan


def mean(array: Array) -> Any:
    """Return the mean over the last axis of what is not nan; nan if none."""
    some = ~np.isnan(array)
    return np.where(some, array, 0).sum(axis=-1) / some.sum(axis=-1)


def _fitted(array: Array, columns: list[Array]) -> tuple[Array, Array]:
    """Fit numbers by multiples of columns, each row but for a constant.

    Returns the multiples, and what is left of the numbers that are not nan.
    """
    seen = np.isfinite(array)
    y = _centred(array)[seen]
    x = [_centred(np.where(seen, one, np.nan))[seen] for one in columns]
    matrix = np.stack(x, axis=-1)
    factors = np.linalg.lstsq(matrix, y, rcond=None)[0]
    return factors, y - matrix @ factors


def _centred(array: Array) -> Array:
    of_row = mean(array)[..., None]
    return array - np.where(np.isnan(of_row), 0, of_row)
