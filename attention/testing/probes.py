"""What probes have in common: the rules of probes.toml, tried in every case.

A probe calls a wrong kernel again with changed inputs, or compares its numbers
with those of a rule. What it says holds in every number that it speaks of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any, TypeVar

import numpy as np

from attention.testing.cases import table
from attention.testing.sizes import OF_RULES
from attention.testing.steps import Change, Steps
from attention.testing.trials import Trial

Facts = dict[str, Any]  # what the letters of probes.toml stand for
Rule = partial[Any]  # takes facts
T = TypeVar("T")
MOST = 4  # sizes that are listed
LARGEST = 256  # keys of a block whose size nobody guessed
CLOSE = 1.2  # of the error allowed: a mistake may round a little worse
FEW_KEYS = 600  # cases with more are not called again for each small thing


@cache
def rules(group: str) -> dict[str, Rule]:
    """Return the rules of a group, by what they say."""
    known = {"np": np, "up": up}
    return {
        says: partial(eval, compile(rule, says, "eval"), known)
        for says, rule in table(__file__)[group].items()
    }


def _of_sizes(group: str) -> Iterator[tuple[str, Rule]]:
    """Give the rules of a group, for each size of blocks if there is m."""
    for says, rule in rules(group).items():
        for m in OF_RULES if "m" in rule.args[0].co_names else (0,):
            yield says.format(m=m), partial(_sized, rule, m)


def _sized(rule: Rule, m: int, facts: Facts) -> Any:
    return rule({**facts, "m": m})


def up(n: Any, m: Any) -> Any:
    """Return how many blocks of m hold n."""
    return -(-n // m)


def said(
    group: str, some: Iterable[T], holds: Callable[[T, Rule], bool]
) -> str:
    """Return the first sentence of a group whose rule holds in all of some."""
    some = list(some)
    return next(
        (
            says
            for says, rule in _of_sizes(group)
            if all(holds(one, rule) for one in some)
        ),
        "",
    )


def facts(a: Steps, n_features: int) -> Facts:
    """Return what rules speak of, for a result with so many features."""
    kv_heads = a.case.key.shape[1]
    b, h, i = np.ogrid[: a.batch, : a.n_heads, : a.n_queries]
    return {
        **{"b": b, "h": h, "i": i, "f": np.arange(n_features)},
        **{"B": a.batch, "H": a.n_heads, "G": kv_heads, "d": n_features},
        **{"g": max(1, a.n_heads // kv_heads), "n": a.n_queries},
        **{"N": a.n_keys, "o": a.offset()[..., 0]},
    }


def block(holds: Callable[[int], bool]) -> int:
    """Return the least size of a block for which something holds, or 0."""
    return next((m for m in range(2, LARGEST + 1) if holds(m)), 0)


def blocks_said(sizes: list[int]) -> str:
    """Write the sizes of a block that fit, or the first few of them."""
    more = " or more" * bool(sizes[MOST:])
    return " or ".join(map(str, sizes[:MOST])) + more


def fits(trial: Trial, changes: dict[str, Change]) -> bool:
    """Say whether a kernel's output is that of attention so changed."""
    got = {"output": trial.answer.results["output"]}
    steps = trial.rules.steps(trial.case, changes)
    return trial.rules.judge(got, steps)["output"].figure <= CLOSE
