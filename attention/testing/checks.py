"""Hold a kernel against the package, and say what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from attention import _inputs
from attention.arguments import AttentionOptions
from attention.testing import diagnosis
from attention.testing.calls import LAYOUTS, Kernel
from attention.testing.cases import PROBED, SIZES, Case, Drawing
from attention.testing.errors import formats
from attention.testing.report import Report, Row
from attention.testing.steps import Steps
from attention.testing.trials import Rules, Trial, base_of


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
        biases are (batch, heads, n_q, n_k) in both; in some cases the first,
        the second, the third, the first two or the second and third are 1.
    logsumexp : {"e", "2"}, optional
        The base of the log-sum-exp that the kernel returns, (batch, heads,
        n_q). A row that may see no key has minus infinity, or its sink.
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
        of sink, mask and bias. mask and bias may also be functions (n_heads,
        n_queries, n_keys, offset=...), as bias=alibi_bias. Their arrays get
        four axes, and the kernel may ignore them and make its own, so such a
        bias comes in float32, or float64. `offset` reaches the kernel wherever
        queries and keys differ in number and a window or is_causal needs it,
        or a function if you ask for an offset: offset="last" asks for
        n_k - n_q alone, offset="first" for 0.

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
    drawing = _read_arguments(
        kernel, format, layout, logsumexp, refusals, sizes, seed, options
    )
    names = ("output", "log-sum-exp")[: 1 if logsumexp is None else 2]
    rules = Rules(
        formats(format, weights_format, scores_format), names,
        base_of(logsumexp), sink_in_logsumexp, empty_rows,
    )  # fmt: skip
    called = _called(kernel, layout, sizes)
    cases = drawing.cases(scores_format)
    title = _title_of(kernel, format, options)
    return _report(title, called, rules, cases, refusals)


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


def check_gradients(
    function: Callable[..., Any],
    *,
    format: str = "float32",
    layout: str = "bhnd",
    empty_rows: bool = True,
    weights_format: str | None = None,
    scores_format: str | None = None,
    refusals: float = 0.5,
    sizes: Mapping[str, int] | None = None,
    seed: int = 0,
    return_bias: bool = False,
    return_sink: bool = False,
    **options: Any,
) -> Report:
    """Hold somebody's gradients of attention against the package.

    The function is called as `function(query, key, value, grad_output,
    **options)` and returns the gradients of query, key and value.

    Parameters
    ----------
    function : callable
        Returns (d_query, d_key, d_value), then those of bias and sink if they
        are asked for.
    format, layout, weights_format, scores_format : str, optional
        As in `check`.
    refusals, sizes, seed : optional
        As in `check`.
    empty_rows : bool, optional
        Whether queries that may see no key must give no gradient; False gives
        such rows a grad_output of zeros.
    return_bias, return_sink : bool, optional
        Whether the gradients of bias and sink come along.
    **options
        As in `check`.

    Returns
    -------
    report : Report
        passed, worst and findings; str(report) is a table.

    Raises
    ------
    TypeError
        As in `check`.
    ValueError
        As in `check`; if the gradient of a bias or sink is asked for and the
        function is given none.

    Examples
    --------
    >>> from attention import attention_vjp
    >>> from attention.testing import check_gradients
    >>> def wrong(query, key, value, grad_output, **options):
    ...     d_q, d_k, d_v = attention_vjp(
    ...         query, key, value, grad_output, **options
    ...     )
    ...     return d_q, d_k / query.shape[-1] ** -0.5, d_v
    >>> check_gradients(wrong, is_causal=True).findings[0].name
    'scale-missing-in-key'
    """
    drawing = _read_arguments(
        function, format, layout, None, refusals, sizes, seed, options
    )
    names = ["d_query", "d_key", "d_value"]
    for name, asked in (("bias", return_bias), ("sink", return_sink)):
        if _inputs.flag(f"return_{name}", asked):
            if not np.any(options.get(name)):
                raise ValueError(f"return_{name} needs {name}=True")
            names.append(f"d_{name}")
    kinds = formats(format, weights_format, scores_format)
    rules = Rules(kinds, tuple(names))
    cases = []
    for index, case in enumerate(drawing.cases(scores_format, True)):
        rng = np.random.default_rng([seed, 1000 + index])
        shape = *case.query.shape[:3], case.value.shape[-1]
        drawn = rng.standard_normal(shape)
        drawn[..., 0] += case.name == "many queries"
        if not empty_rows:
            drawn *= Steps(case).allowed().any(axis=-1, keepdims=True)
        value = np.clip(case.value, -16, 16)  # none is loud
        grad = drawing.held(drawn)
        cases.append(replace(case, value=value, grad_output=grad))
    title = f"gradients of {_title_of(function, format, options)}"
    called = _called(function, layout, sizes)
    return _report(title, called, rules, cases, refusals)


def _called(
    function: Callable[..., Any], layout: str, sizes: Mapping[str, int] | None
) -> Kernel:
    """Keep a kernel that asks for heads or tokens from the other layout.

    Nothing but `sizes` may stand between its loads and other memory.
    """
    fixed = not {"heads", "kv_heads", "n_q", "n_k"}.isdisjoint(sizes or {})
    return Kernel(function, layout, layout if fixed else "")


def _report(
    title: str,
    kernel: Kernel,
    rules: Rules,
    cases: Iterable[Case],
    refusals: float,
) -> Report:
    """Try every case, and say what came of it."""
    rows, trials = list[Row](), list[Trial]()
    for case in cases:
        tried = [rules.tried(kernel, case)]
        refused = bool(tried[0].answer.refused)
        probed = case.name in PROBED and case.grad_output is None
        if probed and not refused:
            probes = [rules.tried(kernel, x, True) for x, _ in case.loud()]
            tried.append(max(probes, key=lambda t: t.figure))
        worst = max(tried, key=lambda t: t.figure)
        shown = tried[0] if tried[0].is_wrong else worst
        verdict = "WRONG" if worst.is_wrong else "right"
        verdict = "refused" if refused else verdict
        row = case.name, case.sizes, worst.figure, verdict, shown.detail()
        rows.append(Row(*row))
        trials += tried
    wrong = any(row.verdict == "WRONG" for row in rows)
    findings = diagnosis.findings(trials) if wrong else []
    return Report(title, rows, findings, refusals)


def _read_arguments(
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
    for name in ("scale", "softcap"):
        asked = options.get(name)
        if asked is not None and not isinstance(asked, bool):
            _inputs.number(name, asked, positive=name == "softcap")
    for name in ("mask", "bias"):
        asked = options.get(name)
        if not (asked is None or isinstance(asked, bool) or callable(asked)):
            rule = f"{name} must be True or False, or a function (n_heads, "
            rule += "n_queries, n_keys, offset=...) that returns an array"
            raise TypeError(f"{rule}: {asked!r}")
    return Drawing(
        format, options, sizes or {}, _inputs.integer("seed", seed, 0)
    )


def _title_of(kernel: Any, format: str, options: Mapping[str, Any]) -> str:
    """Say which kernel was checked with which options."""
    name = getattr(kernel, "__name__", type(kernel).__name__)
    given = [f"{name}={_short(value)}" for name, value in options.items()]
    return ", ".join([name, format, *given])


def _short(given: Any) -> str:
    if isinstance(given, np.ndarray):
        return f"array {given.shape}"
    return str(getattr(given, "__name__", repr(given)))
