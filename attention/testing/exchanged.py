"""Results in other places, rows that take another's inputs, and wrong sums.

Each says of a kernel's results what they are instead, and is tried in every
number of every case; probes.toml lists the places.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.testing.calls import Kernel
from attention.testing.errors import judge
from attention.testing.report import Finding
from attention.testing.steps import Steps
from attention.testing.trials import Trial

Array = NDArray[Any]
TILES = (64, 32, 16, 8, 128, 4)


@cache
def table(group: str) -> dict[str, Callable[..., Any]]:
    """Return the rules of a group of probes.toml, by their sentences."""
    text = Path(__file__).with_name("probes.toml").read_text("utf-8")
    return {
        says.format(m=m) if "{m}" in says else says: eval(
            f"lambda b, h, i, B, H, G, g, n, N, o, f, d: ({rule})",
            {"np": np, "m": m},
        )
        for says, rule in tomllib.loads(text)[group].items()
        for m in (TILES if "{m}" in says else (0,))
    }


def where(rule: Callable[..., Any], a: Steps, shape: tuple[int, ...]) -> Any:
    """Say where a rule points, for a result of such a shape."""
    n_heads, kv_heads = shape[1], a.case.key.shape[1]
    b, h, i = np.ogrid[tuple(slice(n) for n in shape[:3])]
    return rule(
        b, h, i, shape[0], n_heads, kv_heads, max(1, n_heads // kv_heads),
        shape[2], a.n_keys, a.offset()[..., 0],
        np.arange(shape[-1]), shape[-1],
    )  # fmt: skip


def fits(trial: Trial, steps: Steps) -> bool:
    """Say whether a kernel's output is what such steps return."""
    got = {"output": trial.answer.results["output"]}
    fit = trial.rules.judge(got, steps)["output"]
    return fit.figure <= 1.2


def moved(
    kernel: Kernel, trials: list[Trial], wrong: list[Trial]
) -> Iterator[Finding]:
    """Say whether right rows, or right features, stand in other places."""
    ordered = [*wrong, *(t for t in trials if not t.is_wrong)]
    for name, array in wrong[0].answer.results.items():
        if array.ndim < 4 or all(t.verdicts[name].is_right for t in wrong):
            continue
        what = name.replace("d_", "gradient of the ")
        for group, says in (
            ("rows", "row i of head h"),
            ("features", "feature f"),
        ):
            for text, rule in table(group).items():
                if all(_is_there(t, name, group, rule) for t in ordered):
                    yield Finding(
                        f"The {what} is right, but stands in other places: "
                        f"{says} holds what should be in {text}.",
                        f"{group}-exchanged",
                    )
                    break


def _is_there(
    trial: Trial, name: str, group: str, rule: Callable[..., Any]
) -> bool:
    """Say whether each number is that of the place to which a rule points."""
    got, right = trial.answer.results[name], trial.wanted[name]
    place = where(rule, trial.right, got.shape)
    index = (..., place) if group == "features" else place
    try:
        wanted, sigma = right[index], trial.sigmas[name][index]
    except IndexError:
        return False
    free = np.ones(got.shape[:-1])
    margin = trial.rules.formats.margin
    return judge(got, wanted, sigma, free, margin).is_right


def taken(
    kernel: Kernel, trials: list[Trial], wrong: list[Trial]
) -> Iterator[Finding]:
    """Say whether rows take the query, the bias or the mask of other rows."""
    order = sorted(wrong, key=lambda t: t.right.weights.size)
    order += [t for t in trials if not t.is_wrong]
    given = trials[0].case.options
    for name, group, says in (
        ("query", "inputs", "Row i of head h takes the query of row"),
        ("bias", "inputs", "Row i of head h takes the bias of row"),
        ("mask", "inputs", "Row i of head h takes the mask of row"),
        ("positions", "positions", "Row i of head h is masked as if its "
                                   "position were"),
    ):  # fmt: skip
        if name not in ("query", "positions") and name not in given:
            continue
        if name == "positions" and given.keys().isdisjoint(
            {"is_causal", "window"}
        ):
            continue
        place = "position" if name == "positions" else name
        for text, rule in table(group).items():
            for within in (False, True)[: 1 + (name == "positions")]:
                if all(fits(t, _steps(t, name, rule, within)) for t in order):
                    also = ", though at most its last query's" * within
                    yield Finding(
                        f"{says} {text}{also}.", f"{place}-of-another-row"
                    )
                    return


def _steps(
    trial: Trial, name: str, rule: Callable[..., Any], within: bool
) -> Steps:
    """Let each row take what a rule says."""
    shape = trial.case.query.shape
    place = where(rule, trial.right, shape)

    def change(a: Steps, x: Array) -> Array:
        if name == "positions":
            last = x[:, :, -1:] if within else np.inf
            full = np.broadcast_to(place, shape[:3])[..., None]
            return np.asarray(np.minimum(full, last))
        full = np.broadcast_to(x, (*shape[:3], x.shape[-1]))
        return np.asarray(full[place])

    return Steps(trial.case, {name: change})


def sums(
    kernel: Kernel, trials: list[Trial], wrong: list[Trial]
) -> Iterator[Finding]:
    """Say what the denominator holds too often, if that is all."""
    left: dict[str, list[tuple[Trial, Array, Array]]] = {}
    for k, trial in enumerate(trials):
        measured = _excess(trial)
        if measured is None:
            return
        found = dict(_counted(trial, *measured))
        if k:
            left = {
                u: [*left[u], (trial, *found[u])] for u in left if u in found
            }
        else:
            left = {u: [(trial, *found[u])] for u in found}
    for unit, rows in left.items():
        if sum(int((sure & (n != 0)).sum()) for _, n, sure in rows) < 10:
            continue
        yield _denominator(unit, rows)
        return


def _excess(trial: Trial) -> tuple[Array, Array, Array] | None:
    """Return the excess of each row's sum over the right one, and its error.

    None unless each row is the right one times a number.
    """
    got, right = trial.answer.results["output"], trial.wanted["output"]
    sigma = trial.sigmas["output"]
    size = np.square(right).sum(-1)
    some = (size > 0) & np.isfinite(got).all(-1)
    factor = np.where(some, (got * right).sum(-1) / np.where(some, size, 1), 1)
    free, margin = np.ones(factor.shape), trial.rules.formats.margin
    c = factor[..., None]
    fit = judge(got, c * right, sigma * np.maximum(c, 1), free, margin)
    if fit.figure > 1 or (factor[some] <= 0).any():
        return None
    error = 5 * np.sqrt(np.square(sigma).sum(-1) / np.where(some, size, 1))
    return 1 / factor - 1, np.where(some, error / factor**2, np.inf), some


def _counted(
    trial: Trial, excess: Array, error: Array, some: Array
) -> Iterator[tuple[str, tuple[Array, Array]]]:
    """Give the units of which each row's excess is a whole multiple."""
    a = Steps(trial.case)
    scores, sink, total = a.scores(), a.sink(), a.logsumexp
    units: dict[str, Any] = {"exp(0), that is 1,": np.zeros(1)}
    if sink is not None:
        s, top = sink[..., 0], scores.max(axis=-1)
        units["exp(sink)"] = s
        gap = np.where(s > top, s - top, 0)
        units["late"] = np.where(gap > 0, s + np.log(np.expm1(gap)), -np.inf)
    for name, unit in units.items():
        size = np.exp(np.minimum(total - unit, 700))
        n = np.where(some, excess * size, 0)
        tolerance = np.where(some, error * size, np.inf)
        whole = np.rint(np.nan_to_num(n, posinf=0, neginf=0))
        if name == "late":
            whole = np.where(unit > -np.inf, 1.0, 0.0)
            zero = (whole == 0) & ~(np.abs(excess) <= error)
            n, tolerance = n * whole, np.where(zero, 0, tolerance)
            whole = np.where(zero, 2.0, whole)
        sure = tolerance < 0.2
        fine = (np.abs(n - whole) <= tolerance) | (tolerance > 0.5)
        if fine.all() and (whole[sure] >= 0).all():
            yield name, (whole, sure)


def _denominator(unit: str, rows: list[tuple[Trial, Array, Array]]) -> Finding:
    """Write what is counted too often, and how often."""
    if unit == "late":
        return Finding(
            "Where the sink is above all scores, its part of the denominator "
            "is exp(sink - largest score) times too large: it is taken with "
            "the maximum from before the sink joined it. Other rows are "
            "right.",
            "sink-from-old-maximum",
        )
    sink = unit == "exp(sink)"
    by_keys: dict[int, set[int]] = {}
    for trial, n, sure in rows:
        if sure.any():
            found = by_keys.setdefault(trial.right.n_keys, set())
            found.update(int(x) for x in n[sure])
    most = {max(counts): n for n, counts in sorted(by_keys.items())[::-1]}
    listed = ", ".join(
        f"{many + sink} times at {n} keys"
        for many, n in sorted(most.items())
        if many
    )
    once = all(len(counts) == 1 for counts in by_keys.values())
    if sink:
        why = ", in all rows alike" * once
        return Finding(
            f"The denominator holds the sink too often{why}: {listed}, as "
            "where each part of the keys adds it.",
            "sink-counted-again",
        )
    m = next((m for m in range(2, 257) if all(
        counts == {-n % m} for n, counts in by_keys.items())), 0)  # fmt: skip
    why = ""
    if m:
        why = f": as many as fill the last block of {m} keys"
    elif all(_is_of_parts(t, n, sure) for t, n, sure in rows):
        why = (
            ": once for each part of the keys in which its row sees none, as "
            "if the log-sum-exp of such a part were 0, not minus infinity"
        )
    if not once:
        listed = f"up to {max(most)} times, at {most[max(most)]} keys"
    return Finding(
        f"The denominator holds {unit} too often, {listed}{why}.",
        "ones-in-denominator",
    )


def _is_of_parts(trial: Trial, n: Array, sure: Array) -> bool:
    """Say whether a row's count is that of parts in which it sees no key."""
    allowed = np.broadcast_to(trial.right.allowed(), trial.right.weights.shape)
    for m in range(1, trial.right.n_keys + 1):
        starts = np.arange(0, trial.right.n_keys, m)
        empty = (np.add.reduceat(allowed, starts, axis=-1) == 0).sum(-1)
        if (empty == n)[sure].all():
            return True
    return False
