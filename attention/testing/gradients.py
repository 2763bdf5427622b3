"""Hold somebody's gradients of attention against the package."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention import _inputs, attention_vjp
from attention.testing.calls import Kernel
from attention.testing.cases import FAR, Case
from attention.testing.checks import read_arguments, title_of
from attention.testing.errors import (
    MEAN,
    PRECISION,
    Formats,
    Verdict,
    error_of_scores,
    formats,
    judge,
    step_of,
)
from attention.testing.mistakes import MISTAKES, Mistake
from attention.testing.report import Finding, Report, Row
from attention.testing.steps import Steps
from attention.testing.weights import middle_of

Array = NDArray[Any]


class Backward(Steps):
    """The steps of the gradient, which a mistake can replace as well."""

    def __init__(
        self, case: Case, grad_output: Array, **steps: Callable[..., Any]
    ) -> None:
        super().__init__(case, **steps)
        self.grad_output = grad_output

    def for_value(self) -> Array:
        """Return the weights that carry a gradient to the values."""
        return self.weights

    def d_weights(self) -> Array:
        return np.asarray(self.grad_output @ self.values.swapaxes(-1, -2))

    def average(self) -> Array:
        """Return D, what a row gets from its weights on average."""
        rows = self.weights * self.d_weights()
        return np.asarray(rows.sum(axis=-1, keepdims=True))

    def d_scores(self) -> Array:
        gap = np.where(self.weights == 0, 0, self.d_weights() - self.average())
        return self.weights * gap

    def slope(self) -> Array | float:
        """Return the derivative of the cap."""
        cap = self.options.get("softcap")
        if cap is None:
            return 1.0
        return np.asarray(1 - (self.capped(self.scaled()) / cap) ** 2)

    def d_products(self) -> Array:
        return self.d_scores() * self.slope()

    def scale_of_query(self) -> float:
        return self.scale()

    def scale_of_key(self) -> float:
        return self.scale()

    def gathered(self, array: Array) -> Array:
        """Sum over the query heads that share a head of keys and values."""
        b, h, *rest = array.shape
        kv_heads = self.case.key.shape[1]
        split = array.reshape(b, kv_heads, h // kv_heads, *rest)
        return np.asarray(split.sum(axis=2))

    def gathered_key(self, array: Array) -> Array:
        return self.gathered(array)

    def gathered_value(self, array: Array) -> Array:
        return self.gathered(array)

    def gradients(self) -> dict[str, Array]:
        """Return the gradient of each input, by its name."""
        d, z = self.d_products(), self.grad_output
        found = {
            "query": d @ self.key() * self.scale_of_query(),
            "key": self.gathered_key(d.swapaxes(-1, -2) @ self.query())
            * self.scale_of_key(),
            "value": self.gathered_value(
                self.for_value().swapaxes(-1, -2) @ z
            ),
        }
        if self.options.get("bias") is not None:
            found["bias"] = self.d_scores()
        if self.options.get("sink") is not None:
            share = 1 - self.weights.sum(-1, keepdims=True)
            found["sink"] = -(share * self.average()).sum(axis=(0, 2, 3))
        return found

    def deviations(self, kinds: Formats) -> dict[str, Array]:
        """Return the expected error of each gradient.

        Weights, their gradients and those of the scores are rounded once
        each; D is made of a rounded output.
        """
        w, dz, v = self.weights, self.grad_output, self.values
        precision, least = PRECISION[kinds.weights]
        u = MEAN * 4.0 ** (1 - precision) / 12
        tiny = 4.0 ** (least + 1 - precision) / 12 * (w > 0)  # subnormals
        unit = 2.0 ** -PRECISION[kinds.sums][0]
        score = 4 * u + error_of_scores(self, kinds) ** 2  # of a weight
        dw, d = self.d_weights(), self.d_scores()
        seen = np.where(w == 0, 0, np.abs(dz) @ np.abs(v).swapaxes(-1, -2))
        count = unit * (4 + math.sqrt(v.shape[-1]))
        of_d = u * (dz**2 * self.output**2).sum(-1, keepdims=True)
        of_d = of_d + (count * (w * seen).sum(-1, keepdims=True)) ** 2
        each = w**2 * (of_d + (seen * count) ** 2)
        each = each + score * (d**2 + (w * np.where(w == 0, 0, dw)) ** 2)
        each = each + tiny
        lost = 2.0 ** max(PRECISION[kinds.sums][1], -500) * w.shape[-1]
        lost *= seen.max() * max(
            np.abs(self.key()).max(), np.abs(self.query()).max(), 1
        )
        slope, of_bias = np.abs(self.slope()) + 4 * unit, each
        each, d = each * slope**2, np.abs(d * slope)
        k, q = self.key(), self.query()
        of_query = each @ k**2 + (self._sum(d, unit) @ np.abs(k)) ** 2
        turned = each.swapaxes(-1, -2), self._sum(d.swapaxes(-1, -2), unit)
        of_key = turned[0] @ q**2 + (turned[1] @ np.abs(q)) ** 2
        rows = w.swapaxes(-1, -2)
        of_value = (w**2 * score + tiny).swapaxes(-1, -2) @ dz**2
        of_value = of_value + (self._sum(rows, unit) @ np.abs(dz)) ** 2
        variance = {
            "query": of_query * self.scale_of_query() ** 2,
            "key": self.gathered(of_key) * self.scale_of_key() ** 2,
            "value": self.gathered(of_value),
            "bias": of_bias,
            "sink": (of_bias.sum(-1) * w.shape[-1]).sum(axis=(0, 2)),
        }
        return {
            name: lost
            + np.sqrt(variance[name] + step_of(right, kinds.output) ** 2 / 12)
            for name, right in self.gradients().items()
        }

    def _sum(self, terms: Array, unit: float) -> Array:
        """Return what adding so many terms may lose of each."""
        return unit * (4 + math.sqrt(terms.shape[-1])) * terms


def _of(name: str, says: str, **steps: Callable[..., Any]) -> Mistake:
    return Mistake(name, says, steps)


def _one_head(index: int) -> Callable[[Backward, Array], Array]:
    def gathered(a: Backward, array: Array) -> Array:
        b, h, *rest = array.shape
        kv_heads = a.case.key.shape[1]
        split = array.reshape(b, kv_heads, h // kv_heads, *rest)
        return split[:, :, index]

    return gathered


GRADIENT_MISTAKES = [
    _of("cap-ignored", "softcap= is ignored.", capped=lambda a, s: s,
        slope=lambda a: 1.0),
    _of("average-missing", "D, the average that a row subtracts from the "
        "gradients of its weights, is missing.", average=lambda a:
        np.zeros((1, 1, 1, 1))),
    _of("average-plain", "D is a plain mean over the keys, not one by the "
        "weights.", average=lambda a: a.d_weights().mean(-1, keepdims=True)),
    _of("scale-missing-in-query", "The gradient of the query lacks the scale.",
        scale_of_query=lambda a: 1.0),
    _of("scale-missing-in-key", "The gradient of the key lacks the scale.",
        scale_of_key=lambda a: 1.0),
    _of("scale-missing-in-both", "The gradients of query and key lack the "
        "scale.", scale_of_query=lambda a: 1.0, scale_of_key=lambda a: 1.0),
    _of("scale-twice-in-query", "The gradient of the query is scaled twice.",
        scale_of_query=lambda a: a.scale() ** 2),
    _of("scale-twice-in-key", "The gradient of the key is scaled twice.",
        scale_of_key=lambda a: a.scale() ** 2),
    _of("scale-twice-in-both", "The gradients of query and key are scaled "
        "twice.", scale_of_query=lambda a: a.scale() ** 2,
        scale_of_key=lambda a: a.scale() ** 2),
    _of("first-head-of-group", "The gradients of key and value come from the "
        "first query head of a group, not from all.", gathered=_one_head(0)),
    _of("last-head-of-group", "The gradients of key and value come from the "
        "last query head of a group, not from all.", gathered=_one_head(-1)),
    *(_of(f"{which}-head-of-group-for-{name}", f"The gradient of the {name} "
          f"comes from the {which} query head of a group, not from all.",
          **{f"gathered_{name}": _one_head(index)})
      for name in ("key", "value")
      for which, index in (("first", 0), ("last", -1))),
    _of("group-averaged", "The gradients of key and value are averaged over "
        "the query heads of a group, not added.", gathered=lambda a, x:
        Backward.gathered(a, x) * a.case.key.shape[1]
        / a.case.query.shape[1]),
    _of("cap-derivative-missing", "The derivative of the cap is missing.",
        slope=lambda a: 1.0),
    _of("cap-derivative-of-scores", "The derivative of the cap is taken of "
        "scores that are not capped.", slope=lambda a: 1.0
        if a.options.get("softcap") is None else
        1 - (a.scaled() / a.options["softcap"]) ** 2),
    _of("weights-not-divided", "The gradient of the value comes from weights "
        "that are not divided by their sum.", for_value=lambda a: np.exp(
        a.scores() - a.with_sink(a.scores()).max(-1, keepdims=True))),
    _of("through-the-mask", "A gradient flows through hidden cells.",
        d_scores=lambda a: np.where(a.allowed(), Backward.d_scores(a),
        _hidden(a))),
    _of("sink-not-in-average", "Weights are divided by the sum without the "
        "sink.", weigh=lambda a: Steps.weigh(a)
        / Steps.weigh(a).sum(-1, keepdims=True)),
    _of("softmax-derivative-missing", "The gradient of the weights goes to "
        "the scores as it is, without the derivative of the softmax.",
        d_scores=lambda a: np.where(a.allowed(), a.d_weights(), 0)),
]  # fmt: skip


def _hidden(a: Backward) -> Array:
    weights = np.exp(
        a.capped(a.scaled()) + a.bias() - Steps.total(a)[..., None]
    )
    return np.asarray(weights * (a.d_weights() - a.average()))


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
    >>> print(check_gradients(wrong, is_causal=True).findings[0])
    behaves like scale-missing-in-key: The gradient of the key lacks the scale.
    """
    drawing = read_arguments(
        function, format, layout, None, refusals, sizes, seed, options
    )
    kinds = formats(format, weights_format, scores_format)
    names = ["query", "key", "value"]
    for name, asked in (("bias", return_bias), ("sink", return_sink)):
        if _inputs.flag(f"return_{name}", asked):
            if not np.any(options.get(name)):
                raise ValueError(f"return_{name} needs {name}=True")
            names.append(name)
    trials = []
    called = Kernel(function, layout, False)
    for index, drawn_case in enumerate(drawing.cases(scores_format)):
        value = np.clip(drawn_case.value, -16, 16)  # none is loud
        case = replace(drawn_case, value=value)
        rng = np.random.default_rng([seed, 1000 + index])
        drawn = rng.standard_normal(
            (*case.query.shape[:3], case.value.shape[-1])
        )
        if not empty_rows:
            drawn *= Steps(case).allowed().any(axis=-1, keepdims=True)
        trials.append(_Trial(called, case, drawing.held(drawn), kinds, names))
    findings = list(_findings(trials))
    title = f"gradients of {title_of(function, format, options)}"
    rows = [trial.row() for trial in trials]
    return Report(title, rows, findings, refusals)


class _Trial:
    """A case, and the gradients that a function gives."""

    def __init__(
        self,
        function: Kernel,
        case: Case,
        grad_output: Array,
        kinds: Formats,
        names: list[str],
    ) -> None:
        self.case, self.grad_output = case, grad_output
        self.kinds, self.names = kinds, names
        more: Any = {f"return_{name}": True for name in names[3:]}
        right = attention_vjp(
            case.query,
            case.key,
            case.value,
            grad_output,
            **case.options,
            **more,
        )
        self.right = dict(zip(names, right, strict=True))
        shapes = [gradient.shape for gradient in right]
        self.got, self.refused, self.wrong = function.gradients(
            case, grad_output, names, shapes
        )
        self.verdicts: dict[str, Verdict] = {}
        self.sigmas: dict[str, Array] = {}
        if self.got:
            self.steps = steps = Backward(case, grad_output)
            self.sigmas = {
                name: np.broadcast_to(sigma, self.right[name].shape)
                for name, sigma in steps.deviations(kinds).items()
                if name in names
            }
            self.verdicts = self.judge(self.right, self.sigmas)

    def judge(
        self, wanted: dict[str, Array], sigmas: dict[str, Array]
    ) -> dict[str, Verdict]:
        """Compare each gradient with that of attention, or of a mistake."""
        found = {}
        for name in self.names:
            got, want = self.got[name], wanted[name]
            sigma = np.broadcast_to(sigmas[name], want.shape)
            alike = name in ("bias", "sink")  # errors of a row have one sign
            free = np.full(
                want.shape[:-1], 1 if alike else want.shape[-1] ** 0.5
            )
            margin = 1.3 * self.kinds.margin  # a sum kept in the format, too
            found[name] = judge(got, want, sigma, free, margin)
        return found

    @property
    def is_wrong(self) -> bool:
        return bool(self.wrong) or not all(
            verdict.is_right for verdict in self.verdicts.values()
        )

    def row(self) -> Row:
        name, sizes = self.case.name, self.case.sizes
        if self.refused:
            return Row(name, sizes, 0.0, "refused", self.refused)
        figures = [verdict.figure for verdict in self.verdicts.values()]
        verdict = "WRONG" if self.is_wrong else "right"
        return Row(
            name,
            sizes,
            max(figures, default=math.inf),
            verdict,
            self._detail(),
        )

    def _detail(self) -> str:
        for name, verdict in self.verdicts.items():
            if not verdict.is_right:
                place = np.argwhere(verdict.bad)
                where = tuple(place[0]) if place.size else verdict.worst
                at = ", ".join(str(int(i)) for i in where)
                got, wanted = self.got[name][where], self.right[name][where]
                return f"d_{name}[{at}]: {got:.6g}, not {wanted:.6g}"
        return self.wrong

    def is_explained(self, mistake: Mistake) -> bool:
        """Say whether a mistake gives what the function gave."""
        try:
            with np.errstate(all="ignore"):
                steps = Backward(self.case, self.grad_output, **mistake.steps)
                if mistake in MISTAKES and self.is_wrong:
                    same = np.array_equal(steps.weights, self.steps.weights)
                    if same and np.array_equal(
                        steps.values, self.steps.values
                    ):
                        return False  # it changes nothing here
                wanted = steps.gradients()
                for name, sigma in self.sigmas.items():
                    got = self.got[name]
                    near = 30 * sigma + np.abs(got) / 99
                    if middle_of(np.abs(got - wanted[name]) / near) > 1:
                        return False
                sigmas = steps.deviations(self.kinds)
                verdicts = self.judge(wanted, sigmas)
        except (ValueError, IndexError, TypeError, KeyError):
            return False
        return all(
            verdicts[name].figure <= max(1, min(1.2, 0.7 * right.figure))
            for name, right in self.verdicts.items()
        )


def _findings(trials: list[_Trial]) -> Iterator[Finding]:
    """Say what is wrong: a name, or which gradients, and by which factor."""
    texts = dict.fromkeys(t.wrong for t in trials if t.wrong)
    yield from map(Finding, texts)
    taken = sorted(  # small ones first: most mistakes are excluded there
        (t for t in trials if t.verdicts),
        key=lambda t: (
            t.case.n_keys > 100 and not t.is_wrong,
            t.grad_output.size * t.case.n_keys,
        ),
    )
    wrong = [t for t in taken if t.is_wrong]
    if not wrong:
        return
    known = [t for t in taken if t.case.name not in FAR] or taken
    for mistake in (*GRADIENT_MISTAKES, *MISTAKES):
        if all(trial.is_explained(mistake) for trial in known):
            yield Finding(mistake.says, mistake.name)
            break
    else:
        yield from _summed_in_format(wrong)
        yield from map(Finding, _factors(wrong[-1]))
    bad = {n for t in wrong for n, v in t.verdicts.items() if not v.is_right}
    names = [name for name in wrong[0].names if name in bad]
    good = [name for name in wrong[0].names if name not in bad]
    also = f"; right: {', '.join(good)}" * bool(good)
    cases = ", ".join(dict.fromkeys(repr(t.case.name) for t in wrong))
    where = f"Cases: {cases}" if len(wrong) < len(taken) else "In all cases"
    yield Finding(f"Wrong gradients: {', '.join(names)}{also}. {where}.")


def _summed_in_format(wrong: list[_Trial]) -> Iterator[Finding]:
    """Name errors that are small, and only of what is added up over rows."""
    bad = {n: v for t in wrong for n, v in t.verdicts.items() if v.figure > 1}
    kinds = wrong[0].kinds
    small = all(v.figure < 3 for t in wrong for v in t.verdicts.values())
    if small and kinds.output in ("bfloat16", "float16") and len(bad) < 3:
        yield Finding(
            f"The errors in {' and '.join(bad)} are those of few roundings "
            f"too many, as if sums over blocks were kept in {kinds.output}.",
            "sum-in-format",
        )


def _factors(trial: _Trial) -> Iterator[str]:
    """Say by which factor a gradient is off, if it is one."""
    for name, verdict in trial.verdicts.items():
        if verdict.is_right:
            continue
        got, right = trial.got[name], trial.right[name]
        factor = (got * right).sum() / (right**2).sum()
        rest = np.sqrt(((got - factor * right) ** 2).sum() / (got**2).sum())
        if rest < 0.02 and abs(factor - 1) > 0.005:
            yield (
                f"The gradient of the {name} is {factor:.4g} times what it "
                f"should be ({trial.case.name})."
            )
