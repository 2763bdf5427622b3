"""How far an honest kernel may be from the exact result, and why.

A kernel that computes in a narrow format rounds its weights and its output to
the format, and adds in a wider one. Each rounding has a step, and a number
lies anywhere between two steps, so its error has a variance of step² / 12.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention.arguments import AttentionOptions
from attention.formats import round_to_format
from attention.testing.cases import Case
from attention.testing.steps import Steps

Array = NDArray[Any]
PRECISION = {  # significant bits, exponent of the smallest normal number
    "float64": (53, -1022),
    "float32": (24, -126),
    "float16": (11, -14),
    "bfloat16": (8, -126),
    "float8_e4m3fn": (4, -6),
    "float8_e5m2": (3, -14),
}
MEAN = 0.541  # of 1 / m², if the logarithm of m is uniform from 1 to 2
_LUCK = 1e-9  # how often a right kernel may be refused, were errors normal
_TINY = 1e-300
_MARGIN = 1.12  # for what the model leaves out; see the calibration


class Formats(NamedTuple):
    """Where a kernel rounds, and to what."""

    inputs: str
    weights: str
    output: str
    scores: str | None  # None: they are kept in the format that it adds in

    @property
    def margin(self) -> float:
        """What the model leaves out, most of it where steps are coarse."""
        if self.inputs == "float64":
            return 2 * _MARGIN  # what it is compared with is rounded, too
        return _MARGIN * (1.2 if PRECISION[self.weights][0] < 8 else 1)

    @property
    def sums(self) -> str:
        """The format that it adds in."""
        return "float64" if self.inputs == "float64" else "float32"


def formats(
    format: str, weights_format: str | None, scores_format: str | None
) -> Formats:
    """Read the formats of a kernel."""
    for name, given in {
        "format": format,
        "weights_format": weights_format,
        "scores_format": scores_format,
    }.items():
        if given is not None or name == "format":
            _inputs.one_of(name, given, tuple(PRECISION))
    output = "bfloat16" if format.startswith("float8") else format
    return Formats(format, weights_format or format, output, scores_format)


def rounded(numbers: Array, format: str) -> Array:
    """Return the nearest numbers of a format, in float64."""
    if format == "float64":
        return numbers
    if format == "float32":
        return numbers.astype(np.float32).astype(np.float64)
    return round_to_format(numbers.astype(np.float64), format)


def cut(numbers: Array, format: str) -> Array:
    """Round towards zero."""
    near = rounded(numbers, format)
    precision = PRECISION.get(format, (11, 0))[0]  # tf32 has 11
    less = rounded(near * (1 - 2.0**-precision), format)
    return np.where(np.abs(near) > np.abs(numbers), less, near)


def deviation(steps: Steps, formats: Formats) -> Array:
    """Return the standard deviation of an honest error of the output.

    The weights get a relative error each, and those far below the largest of
    their row an absolute one. An error of a score moves the output by its
    weight times what the value differs from the output.
    """
    w, v, z = steps.weights, steps.values, steps.output
    unit = _unit(formats.sums)
    smallest = 2.0 ** max(PRECISION[formats.sums][1], -500)  # its square > 0
    precision, least = PRECISION[formats.weights]
    tallest = np.maximum(
        w.max(axis=-1, keepdims=True, initial=0),
        1 - w.sum(axis=-1, keepdims=True) if steps.sink() is not None else 0,
    )
    if precision > 8:  # it may have been divided before it was rounded
        tallest = np.ones_like(tallest)
    relative = MEAN * 4.0 ** (1 - precision) / 12 * w**2
    absolute = (tallest * 2.0 ** (least + 1 - precision)) ** 2 / 12
    absolute = absolute + unit**2  # out - share * (out - part), of a merge
    variance = (relative + absolute * (w > 0)) @ v**2

    score = error_of_scores(steps, formats)
    moved = (w * score) ** 2
    spread = moved @ v**2 - 2 * z * (moved @ v)
    spread += z**2 * moved.sum(axis=-1, keepdims=True)
    variance += np.maximum(spread, 0)

    n_keys = w.shape[-1]
    added = unit * (4 + math.sqrt(n_keys)) * (w @ np.abs(v))
    lost = smallest * np.abs(v).sum(axis=-2, keepdims=True)
    variance += added**2 + step_of(z, formats.output) ** 2 / 12
    # the last is what a small exponential may lose
    return np.asarray(np.sqrt(variance) + lost)


def deviation_of_sums(steps: Steps, formats: Formats) -> Array:
    """Return that of the log-sum-exp."""
    w, total = steps.weights, steps.logsumexp
    step = 2.0 ** (1 - PRECISION[formats.weights][0])
    scores = (w * error_of_scores(steps, formats)).sum(-1)
    count = 4 + math.sqrt(w.shape[-1]) + np.abs(total)
    size = _unit(formats.sums) * count + scores
    of_weights = 0.3 * step * np.sqrt((w**2).sum(-1))
    return np.asarray(np.hypot(size, of_weights))


def deviations_of_gradients(a: Steps, kinds: Formats) -> dict[str, Array]:
    """Return that of each gradient.

    Weights, their gradients and those of the scores are rounded once each; D
    is made of a rounded output.
    """
    w, dz, d = a.weights, a.grad_output(), a.d_scores()
    unit = _unit(kinds.sums)
    precision, least = PRECISION[kinds.weights]
    u = MEAN * 4.0 ** (1 - precision) / 12
    tiny = 4.0 ** (least + 1 - precision) / 12 * (w > 0)  # subnormals
    score = 4 * u + error_of_scores(a, kinds) ** 2  # of a weight
    seen = np.where(w == 0, 0, np.abs(dz) @ np.abs(a.values).swapaxes(-1, -2))
    each = _variance_of_d_scores(a, unit, u, score, seen) + tiny
    k, q = a.key(), a.query()
    lost = 2.0 ** max(PRECISION[kinds.sums][1], -500) * a.n_keys
    lost *= seen.max() * max(np.abs(k).max(), np.abs(q).max(), 1)
    slope, of_bias = a.slope(a.scaled()), each
    shared, sizes = a.over_bias(each), a.over_bias(np.abs(d))
    n_shared = each.size / max(shared.size, 1)
    added = unit * (4 + math.sqrt(n_shared)) * (n_shared > 1)
    if slope is not None:  # 1 - tanh², which cancels
        each = each * (np.abs(slope) + 4 * unit) ** 2 + (4 * unit * d) ** 2
        d = d * slope
    scale = a.scale() ** 2
    each = each + tiny * max(0, 1 / scale - 1)  # rounded before or after it
    turned = (x.swapaxes(-1, -2) for x in (each, d, w**2 * score + tiny, w))
    each_t, d_t, value_t, w_t = turned
    of_query = _variance_of_product(unit, each, d, k) * scale
    of_key = _variance_of_product(unit, each_t, d_t, q)
    of_value = _variance_of_product(unit, value_t, w_t, dz)
    variance = {
        "d_query": of_query,
        "d_key": a.gathered(of_key) * scale,
        "d_value": a.gathered(of_value),
        "d_bias": shared + (added * sizes) ** 2,
        "d_sink": (of_bias.sum(-1) * a.n_keys).sum(axis=(0, 2)),
    }
    return {
        name: lost
        + np.sqrt(variance[name] + step_of(right, kinds.output) ** 2 / 12)
        for name, right in a.gradients().items()
    }


def _variance_of_product(
    unit: float, variance: Array, terms: Array, by: Array
) -> Array:
    """Return that of terms @ by, which is added up in steps of such a unit."""
    lost = unit * (4 + math.sqrt(terms.shape[-1]))
    more = (lost * np.abs(terms) @ np.abs(by)) ** 2
    return np.asarray(variance @ by**2 + more)


def _variance_of_d_scores(
    a: Steps, unit: float, u: float, score: Array, seen: Array
) -> Array:
    """Return that of dS = P (dP - D), before the cap.

    score is the relative variance of a weight, seen what dP is added up from.
    """
    w, dz, d = a.weights, a.grad_output(), a.d_scores()
    count = unit * (4 + math.sqrt(a.d_v))
    of_d = u * (dz**2 * a.output**2).sum(-1, keepdims=True)
    of_d = of_d + (count * (w * seen).sum(-1, keepdims=True)) ** 2
    each = w**2 * (of_d + (seen * count) ** 2)
    dw = np.where(w == 0, 0, a.d_weights())
    return np.asarray(each + score * (d**2 + (w * dw) ** 2))


def error_of_scores(steps: Steps, formats: Formats) -> Array:
    """Return the standard deviation of an honest error of each score.

    A kernel that keeps its scores in a format may subtract the largest of a
    row there as well, and then rounds the difference.
    """
    unit = _unit(formats.sums)
    size = steps.score_sizes()  # what is added up for each score
    error = unit * (4 + size * (1 + math.sqrt(steps.d_k) / 1.5))
    if formats.scores is not None:
        scores = steps.with_sink(steps.scores())
        top = scores.max(axis=-1, keepdims=True)
        gap = np.where(steps.allowed(), top - scores[..., : steps.n_keys], 0)
        step = 2.0 ** (1 - PRECISION[formats.scores][0])
        size = np.maximum(np.abs(steps.scaled()), np.abs(steps.full()))
        error = error + step * np.maximum(size, np.abs(gap))
    return error


def step_of(numbers: Array, format: str) -> Array:
    """Return the distance of neighbours in a format, around each number."""
    precision, least = PRECISION[format]
    _, exponent = np.frexp(numbers)
    step = np.ldexp(1.0, np.maximum(exponent - 1, least) - precision + 1)
    return np.where(numbers == 0, 0, step)


def _unit(format: str) -> float:
    return float(2.0 ** -PRECISION[format][0])


class Verdict(NamedTuple):
    """How a result compares with what it should be."""

    rows: Array  # the error of each row, where 1 is the most allowed
    whole: float  # that of all rows together
    bad: Array  # of bool, shape of the result: which numbers are wrong
    worst: tuple[int, ...]  # where

    @property
    def figure(self) -> float:
        """Return the worst error, in units of what is allowed."""
        return float(max(self.rows.max(initial=0), self.whole))

    @property
    def is_right(self) -> bool:
        """Say whether the whole result is within what is allowed."""
        return self.figure <= 1


def freedom(steps: Steps) -> Array:
    """Return how many independent errors the numbers of each row have.

    At most one for each feature; fewer if few keys have all the weight, or
    the values are alike.
    """
    w, v = steps.weights**2, steps.values
    n_keys = w.sum(axis=-1) ** 2 / ((w**2).sum(axis=-1) + _TINY) + 1
    products = v.swapaxes(-1, -2) @ v  # their trace² / trace of the square
    total = np.trace(products, axis1=-2, axis2=-1) ** 2
    alike = (products**2).sum(axis=(-1, -2)) / (total + _TINY)
    few = 1 / n_keys / v.shape[-1] ** 0.5
    return np.asarray(1 / (alike[..., None] + few))


def judge(
    got: Array, wanted: Array, sigma: Array, free: Array, margin: float
) -> Verdict:
    """Compare in units of the expected error: each row, and all rows at once.

    The mean square of d independent errors is like chi-square over d: the
    fewer they are, and the more rows, the larger the largest of them.
    """
    with np.errstate(all="ignore"):
        ratio = np.abs(got - wanted) / sigma
        same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
        ratio = np.where(same, 0, np.where(np.isnan(ratio), np.inf, ratio))
        free = np.nan_to_num(free, nan=1.0)
        size = np.sqrt((ratio**2).mean(axis=-1))
        most = margin * largest(free, max(size.size, 1))
        whole = float(np.sqrt((size**2).mean()) if size.size else 0)
        whole /= margin * float(largest(free.sum(), 1))
    worst = np.argwhere(ratio == ratio.max(initial=0))[:1].ravel()
    bad = (size > most)[..., None] & (ratio > most[..., None] / 2)
    if not bad.any() and whole > 1:
        bad = ratio > 2
    return Verdict(size / most, whole, bad, tuple(worst.tolist()))


def largest(free: Array | float, n_rows: int) -> Array:
    """Return the largest root mean square that chance may give."""
    z = _normal_quantile(_LUCK / n_rows)
    part = 2 / (9 * free)  # Wilson and Hilferty: chi-square's cube root
    return np.asarray(np.maximum(1 - part + z * np.sqrt(part), 1) ** 1.5)


def _normal_quantile(tail: float) -> float:
    """Return the z that a standard normal number exceeds so rarely."""
    z = math.sqrt(-2 * math.log(tail))
    for _ in range(30):  # of its tail, exp(-z²/2) / (z √(2π))
        z = math.sqrt(
            -2 * math.log(tail) - math.log(2 * math.pi) - 2 * math.log(z)
        )
    return z


def expected_error(
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    format: str,
    weights_format: str | None = None,
    scores_format: str | None = None,
    **options: Unpack[AttentionOptions],
) -> Array:
    r"""Say how far from exact an honest kernel's output is, on average.

    $$\sigma^2 = \sum_j w_j^2 v_j^2 \frac{0.54 \, u^2}{12} + \frac{s^2}{12} +
    \sum_j w_j^2 \delta_j^2 (v_j - z)^2 + \Big(a \sum_j w_j \lvert v_j \rvert
    \Big)^2$$

    A kernel rounds its weights $w$ to a format whose steps are $u$ relative to
    the power of two below, and its output $z$, whose step there is $s$. Its
    scores have an error $\delta$ and its sums one of $a$, both from the wider
    format that it adds in, float32 or, for float64, float64.

    Parameters
    ----------
    query, key, value : array_like
        As in `scaled_dot_product_attention`, with an axis of heads, (batch,
        heads, n, d); numbers that the format holds.
    format : str
        The format of the inputs and of the output: float64, float32, float16,
        bfloat16, float8_e4m3fn or float8_e5m2. With the last two the output is
        bfloat16.
    weights_format : str, optional
        The format in which the weights meet the values; that of the inputs.
    scores_format : str, optional
        The format in which the scores are kept; by default float32 or float64.
    **options
        As in `scaled_dot_product_attention`.

    Returns
    -------
    deviation : ndarray of the output's shape
        The standard deviation of each number's error. The root of the mean
        square of a row's errors, in these units, is about 1 for a right
        kernel.

    Raises
    ------
    TypeError
        As in `scaled_dot_product_attention`.
    ValueError
        As in `scaled_dot_product_attention`; if there is no such format.

    Examples
    --------
    Two keys with equal scores: rounding 3/2 to bfloat16, with steps of 1/128
    there, costs 0.0023, and rounding the weights nearly as much.

    >>> import numpy as np
    >>> from attention.testing import expected_error
    >>> query, key = np.zeros((1, 1, 1, 4)), np.zeros((1, 1, 2, 4))
    >>> value = np.array([1.0, 2.0]).reshape(1, 1, 2, 1)
    >>> expected_error(query, key, value, format="bfloat16").round(4)
    array([[[[0.0029]]]])
    """
    kinds = formats(format, weights_format, scores_format)
    case = Case.of(query, key, value, dict(options), format)
    return deviation(Steps(case), kinds)
