"""Hold a kernel against the package, and say what is wrong with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from attention import _inputs
from attention.arguments import AttentionOptions
from attention.testing import diagnosis
from attention.testing.calls import LAYOUTS, Answer, Kernel
from attention.testing.cases import PROBED, SIZES, Case, Drawing
from attention.testing.errors import (
    PRECISION,
    Formats,
    Verdict,
    deviation,
    error_of_scores,
    formats,
    freedom,
    judge,
)
from attention.testing.report import Report, Row
from attention.testing.steps import Steps

Array = NDArray[Any]


class Rules(NamedTuple):
    """What a kernel promises, and how exact it is meant to be."""

    formats: Formats
    logsumexp: str | None
    sink_in_logsumexp: bool
    empty_rows: bool

    def judged(self, kernel: Kernel, case: Case) -> Trial:
        """Call a kernel with a case, and compare."""
        answer, right = kernel(case), Steps(case)
        if answer.output is None:
            return Trial(self, case, answer, right)
        output, total = self.judge(answer, right), None
        if answer.logsumexp is not None:
            total = self.judge_logsumexp(answer, right)
        return Trial(self, case, answer, right, output, total)

    def judge(self, answer: Answer, right: Steps) -> Verdict:
        """Compare an output with that of attention, or of a mistake."""
        assert answer.output is not None
        got, wanted = answer.output, right.output
        if not self.empty_rows:
            some = right.allowed().any(axis=-1, keepdims=True)
            got, wanted = np.where(some, got, 0), np.where(some, wanted, 0)
        both = np.isnan(got) & np.isnan(wanted)
        got, wanted = np.where(both, 0, got), np.where(both, 0, wanted)
        sigma, free = deviation(right, self.formats), freedom(right)
        return judge(got, wanted, sigma, free, self.formats.margin)

    def judge_logsumexp(
        self, answer: Answer, right: Steps, wanted: Array | None = None
    ) -> Verdict:
        """Compare log-sum-exps of the rows that see a key."""
        assert answer.logsumexp is not None
        total = self.logsumexp_of(right) if wanted is None else wanted
        shape = answer.logsumexp.shape
        some = np.broadcast_to(right.allowed().any(-1), shape)
        unit = 2.0 ** -PRECISION[self.formats.sums][0]
        step = 2.0 ** (1 - PRECISION[self.formats.weights][0])
        w = right.weights
        scores = (w * error_of_scores(right, self.formats)).sum(-1)
        count = 4 + math.sqrt(w.shape[-1]) + np.abs(total)
        sigma = np.hypot(
            unit * count + scores, 0.3 * step * np.sqrt((w**2).sum(-1))
        )
        got, wanted = (
            np.where(some, a, 0)[..., None] for a in (answer.logsumexp, total)
        )
        free = np.ones(shape)
        return judge(got, wanted, sigma[..., None], free, self.formats.margin)

    def logsumexp_of(self, right: Steps) -> Array:
        """Return the log-sum-exp that was asked for."""
        steps = right
        if not self.sink_in_logsumexp:
            steps = Steps(right.case, sink=lambda _: None)
        return steps.logsumexp / (math.log(2) if self.logsumexp == "2" else 1)


@dataclass(frozen=True)
class Trial:
    """A case, what the kernel answered, and how that compares."""

    rules: Rules
    case: Case
    answer: Answer
    right: Steps
    output: Verdict | None = None
    logsumexp: Verdict | None = None

    @cached_property
    def sigma(self) -> Array:
        """Return the expected error of a right output."""
        return deviation(self.right, self.rules.formats)

    @property
    def is_wrong(self) -> bool:
        """Say whether anything is wrong with the answer."""
        verdicts = [one for one in (self.output, self.logsumexp) if one]
        return bool(self.answer.wrong) or not all(v.is_right for v in verdicts)

    def row(self) -> Row:
        """Write the trial as a row of the table."""
        name = self.case.name
        if self.case.probe:
            name += ": keys read"
        if self.answer.refused:
            return Row(
                name, self.case.sizes, 0.0, "refused", self.answer.refused
            )
        figures = [v.figure for v in (self.output, self.logsumexp) if v]
        figure = max(figures, default=math.inf)
        verdict = "WRONG" if self.is_wrong else "right"
        return Row(name, self.case.sizes, figure, verdict, self._detail())

    def _detail(self) -> str:
        if not self.is_wrong:
            return ""
        if self.answer.wrong:
            return self.answer.wrong
        if self.output and not self.output.is_right:
            assert self.answer.output is not None
            return diagnosis.first_wrong(
                self.right, self.answer.output, self.output
            )
        assert self.logsumexp is not None
        b, h, i, _ = self.logsumexp.worst
        return f"log-sum-exp: sequence {b}, head {h}, row {i}"


def check(
    kernel: Callable[..., Any],
    *,
    format: str = "float32",
    layout: str = "bhnd",
    logsumexp: str | None = None,
    sink_in_logsumexp: bool = True,
    empty_rows: bool = True,
    weights_format: str | None = None,
    scores_format: str | None = None,
    refusals: float = 0.5,
    sizes: Mapping[str, int] | None = None,
    seed: int = 0,
    **options: Any,
) -> Report:
    """Hold a kernel against the package, and say what is wrong with it.

    The kernel is called as `kernel(query, key, value, **options)`. Its arrays
    are NumPy's: float64 and float16 as themselves, all other formats as
    float32 with numbers that the format holds. It may return whatever NumPy
    reads, and tensors of torch in any format, with or without gradients.

    Parameters
    ----------
    kernel : callable
        Returns the output, or the pair (output, log-sum-exp) if logsumexp is
        given.
    format : str, optional
        float64, float32, float16, bfloat16, float8_e4m3fn or float8_e5m2.
    layout : {"bhnd", "bnhd"}, optional
        Whether heads or tokens come first in arrays and output. Masks and
        biases are (batch, heads, n_q, n_k) in both.
    logsumexp : {"e", "2"}, optional
        The base of the log-sum-exp that the kernel returns, (batch, heads,
        n_q). Rows that may see no key are left out of it.
    sink_in_logsumexp : bool, optional
        Whether the log-sum-exp has the sink in it.
    empty_rows : bool, optional
        Whether a query that may see no key must get zeros; False leaves such
        rows out.
    weights_format, scores_format : str, optional
        Where the kernel rounds weights or scores to another format on
        purpose, as in `expected_error`.
    refusals : float, optional
        The share of the cases that the kernel may refuse by an exception, and
        still pass: half of them, unless you say otherwise (0: none, 1: any).
    sizes : dict, optional
        Sizes that the kernel asks for: batch, heads, kv_heads, n_q, n_k, d_k,
        d_v.
    seed : int, optional
        Draws other numbers.
    **options
        What the kernel is asked to do, by the package's names: is_causal,
        window, softcap, scale, sink, mask, bias, enable_gqa. True lets the
        cases choose the numbers of window, softcap and scale, and the arrays
        of sink, mask and bias. `offset` reaches the kernel wherever queries
        and keys differ in number and a window or is_causal needs it:
        offset="last" asks for n_k - n_q alone, offset="first" for 0.

    Returns
    -------
    report : Report
        passed, worst and findings; str(report) is a table.

    Raises
    ------
    TypeError
        If kernel is not callable, or there is no such option.
    ValueError
        If an option cannot be read.

    Examples
    --------
    A kernel that leaves the scale out:

    >>> import numpy as np
    >>> from attention import softmax
    >>> from attention.testing import check
    >>> def kernel(query, key, value):
    ...     return softmax(query @ key.swapaxes(-1, -2)) @ value
    >>> report = check(kernel)
    >>> report.passed
    False
    >>> print(report.findings[0])
    behaves like scale-missing: The scores are not divided by the root of d_k.
    """
    drawing = read_arguments(
        kernel, format, layout, logsumexp, refusals, sizes, seed, options
    )
    kinds = formats(format, weights_format, scores_format)
    rules = Rules(kinds, logsumexp, sink_in_logsumexp, empty_rows)
    called = Kernel(kernel, layout, logsumexp is not None)
    trials = []
    for case in drawing.cases(scores_format):
        trials.append(rules.judged(called, case))
        if trials[-1].answer.refused or case.name not in PROBED:
            continue
        probes = [rules.judged(called, loud) for loud, _ in case.loud()]
        trials.append(max(probes, key=lambda t: t.row().figure))
    title = title_of(kernel, format, options)
    rows = [trial.row() for trial in trials]
    wrong = [trial for trial in trials if trial.is_wrong]
    findings = diagnosis.findings(called, rules, trials) if wrong else []
    return Report(title, rows, findings, refusals)


def assert_attention(kernel: Callable[..., Any], **options: Any) -> None:
    """Fail unless a kernel computes attention.

    Parameters
    ----------
    kernel : callable
        As in `check`.
    **options
        All that `check` takes.

    Returns
    -------
    None
        If the kernel passed.

    Raises
    ------
    AssertionError
        With the report, if it did not.
    TypeError, ValueError
        As in `check`.

    Examples
    --------
    >>> from attention import tiled_attention
    >>> from attention.testing import assert_attention
    >>> assert_attention(tiled_attention, is_causal=True, softcap=20.0)
    """
    __tracebackhide__ = True
    report = check(kernel, **options)
    if not report.passed:
        raise AssertionError(f"\n{report}")


def read_arguments(
    kernel: Any,
    format: str,
    layout: str,
    logsumexp: str | None,
    refusals: float,
    sizes: Mapping[str, int] | None,
    seed: int,
    options: dict[str, Any],
) -> Drawing:
    """Refuse what cannot be read, before a kernel is called."""
    if not callable(kernel):
        raise TypeError(f"kernel must be callable: {type(kernel).__name__}")
    formats(format, None, None)
    _inputs.one_of("layout", layout, LAYOUTS)
    if logsumexp is not None:
        _inputs.one_of("logsumexp", logsumexp, ("e", "2"))
    _inputs.number("refusals", refusals)
    _inputs.options(check, options, AttentionOptions)
    for name, given in (sizes or {}).items():
        _inputs.one_of("a key of sizes", name, SIZES)
        _inputs.integer(name, given, 1)
    how = options.get("offset")
    if how is not None:
        _inputs.one_of("offset", how, ("last", "first"))
    for name in ("mask", "bias"):
        _inputs.flag(name, options.get(name, False))
    return Drawing(
        format, options, sizes or {}, _inputs.integer("seed", seed, 0)
    )


def title_of(kernel: Any, format: str, options: Mapping[str, Any]) -> str:
    """Say which kernel was checked with which options."""
    name = getattr(kernel, "__name__", type(kernel).__name__)
    given = [f"{name}={_short(value)}" for name, value in options.items()]
    return ", ".join([name, format, *given])


def _short(given: Any) -> str:
    return (
        f"array {given.shape}"
        if isinstance(given, np.ndarray)
        else repr(given)
    )
