"""Mistakes that kernels have, from mistakes.toml: names, sentences, changes.

A mistake that practice has too, among the mutants or a learner's mistakes, has
the same name and sentence, from `known`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from attention.practice import known
from attention.testing import blocks
from attention.testing.cases import Case
from attention.testing.errors import cut, rounded
from attention.testing.sizes import BLOCKS, EACH, ODD, parts_said
from attention.testing.steps import REACH, SCORES, Change

TILED = ("blocks", "tiles", "loops", "turns")
PARTS = ("parts", "merges", "splits")
FORMATS = {
    "bfloat16": "bfloat16",
    "tf32": "10 bits of mantissa (TF32, or float16)",
    "float16": "float16",
    "float8_e4m3fn": "float8_e4m3fn",
    "float8_e5m2": "float8_e5m2",
}
INPUTS = {
    "query": "{x}",
    "key": "a.shared((lambda x: {x})(a.case.key))",
    "value": "a.shared((lambda x: {x})(a.case.value))",
}
MIXED = {  # what axes may be mixed of: steps
    "the output": ["combine"],
    "queries": ["query"],
    "keys": ["key"],
    "values": ["value"],
    "keys and values": ["key", "value"],
    "queries, keys and values": ["query", "key", "value"],
    "the gradient of the query": ["d_query"],
    "the gradient of the key": ["d_key"],
    "the gradient of the value": ["d_value"],
    "all gradients": ["d_query", "d_key", "d_value"],
}
STRIDED = ("values", "keys", "keys and values", "queries")  # of MIXED
FLOWS = {  # what changes several steps of the backward pass
    "visits": ("for_query", "for_key", "for_value", "for_bias"),
    "gives": ("for_key", "for_value", "for_bias", "for_sink"),
}


class Mistake(NamedTuple):
    """A name, what it does, and the steps of attention that it changes."""

    name: str
    says: str
    changes: dict[str, Change]
    rounds: bool = False  # what rounding decides may differ in a few rows
    pattern: str = ""  # the sentence, before sizes of blocks were put into it
    sizes: tuple[int, int] = (0, 0)
    each: str = ""  # the group of EACH that the sizes are of
    of_query: tuple[str, ...] = ()  # name and sentence if d_query alone has it
    grouped: bool = False  # only heads that share keys can have it

    @property
    def is_odd(self) -> bool:
        """Say whether it is of blocks that few kernels have."""
        return int(self.sizes[-1]) in ODD

    def of_sizes(self, others: Iterable[Mistake]) -> str:
        """Say it with all sizes of blocks that fit as well."""
        same = {self.sizes, *(
            one.sizes for one in others if one.pattern == self.pattern
        )}  # fmt: skip
        if self.each not in TILED or len(same) == 1:
            return self.says
        m, n = zip(*same, strict=True)
        of = "turns" if self.each == "turns" else "tiles"
        of_rows, of_keys = zip(*EACH[of], strict=True)
        of_keys = BLOCKS if self.each == "blocks" else of_keys
        return self.pattern.format(m=_any(m, of_rows), n=_any(n, of_keys))


def _any(sizes: Iterable[int], every: Iterable[int]) -> str:
    """Write which sizes there may be, of those that were tried."""
    some, tried = sorted({*sizes}), sorted({*every})
    if len(some) == 1:
        return str(some[0])
    if some == tried:
        return "any number of"
    if some == tried[-len(some) :]:
        return f"{some[0]} or more"
    if some == tried[: len(some)]:
        return f"up to {some[-1]}"
    return f"{', '.join(map(str, some[:-1]))} or {some[-1]}"


def _change(expression: str, **names: Any) -> Change:
    """Make a change of an expression of the table."""
    known_names = {**vars(blocks), "rounded": rounded, **names}
    made: Change = eval(f"lambda a, x, s=None: ({expression})", known_names)
    return made


_AVERAGE = _change("a.exact.average()")
_AGAIN_WEIGHED = [_change("again(a)"), _change("again(a, ~a.exact.empty())")]
UNFIT = (  # what the steps of a mistake raise if it does not fit the options
    ArithmeticError, AttributeError, LookupError, TypeError, ValueError,
)  # fmt: skip


def _made(name: str, row: dict[str, Any], **names: Any) -> Iterator[Mistake]:
    """Make a mistake of a row of the table, or one for each n, or m and n.

    Words in the place of numbers are put into name, sentence and expressions.
    """
    row = dict(row)
    says = row.pop("says", None) or known.mutants(name)
    rounds = row.pop("rounds", False)
    if row.pop("loops", False):
        yield from _made(name, {**row, "says": says}, **names)
        yield from _in_loops(name, {**row, "says": says})
        return
    if row.pop("turned", False):
        yield from _made(name, {**row, "says": says}, back=False)
        backwards = f"{says[:-1]}, from the last key to the first."
        yield from _made(name, {**row, "says": backwards}, back=True)
        return
    of_query, grouped = row.pop("of_query", ()), row.pop("grouped", False)
    for some, steps in FLOWS.items():
        if some in row:
            row |= dict.fromkeys(steps, f"x * ({row.pop(some)})")
    each = row.pop("each", [0])
    for size in EACH[each] if isinstance(each, str) else each:
        m, n = size if isinstance(size, (tuple, list)) else (0, size)
        parts = parts_said(m, n) if each in PARTS else ""
        text = says.format(m=m, n=n, parts=parts)
        words = isinstance(n, str)
        changes = {
            k: _change(e.replace("{n}", n) if words else e, m=m, n=n, **names)
            for k, e in row.items()
        }
        slug = name.format(m="-".join(re.findall(r"\w+", str(m))))
        alone = tuple(x.format(m=m, n=n) for x in of_query)
        one = Mistake(slug, text, changes, rounds, of_query=alone)
        one = one._replace(grouped=grouped)
        if isinstance(each, str):
            one = one._replace(pattern=says, sizes=(m, n), each=each)
        yield one
        if "grad_output" in row:  # D comes from the forward pass
            changes = {"average": _AVERAGE, **changes}
            yield one._replace(changes=changes, of_query=())


def _in_loops(name: str, row: dict[str, Any]) -> Iterator[Mistake]:
    """Make a mistake of the mask alone: loops end and start where they should.

    So that a tile of m rows and n keys reads no further.
    """
    for one in list(_made(name, row)):
        pattern = one.says + (
            " But a tile reads no further than it should "
            "(tiles of {m} queries and {n} keys)."
        )
        for m, n in EACH["tiles"]:
            read = _change(
                "x & in_tiles(rows_of_tile(a.exact.within(), m, np.any), n)",
                m=m, n=n,
            )  # fmt: skip
            says = pattern.format(m=m, n=n)
            changes = {**one.changes, "allowed": read}
            yield one._replace(
                says=says, changes=changes, pattern=pattern, sizes=(m, n),
                each="loops",
            )  # fmt: skip


def _picked(
    name: str, row: dict[str, Any], of_heads: bool
) -> Iterator[Mistake]:
    """Read keys, values or both in the place of others."""
    pick = row["pick"] if of_heads else f"x[:, :, {row['pick']}]"
    both = {"key": pick, "value": pick}
    for prefix, what in (("", "keys and values"), ("values-", "values"),
                         ("keys-", "keys")):  # fmt: skip
        changes = {k: e for k, e in both.items() if k in what}
        if of_heads:
            changes = {k: f"(lambda x: {e})(a.case.{k})" for k, e in
                       changes.items()}  # fmt: skip
        says = f"The {what} are those of {row['says']}."
        says = says if of_heads else f"The {what} of {row['says']}."
        if not prefix and name in known.NAMES:
            says = known.mutants(name)
        more = {**_each(row), "says": says}
        yield from _made(prefix + name, {**changes, **more})


def _arrays(name: str, row: dict[str, Any]) -> Iterator[Mistake]:
    """Read a mask or a bias wrongly."""
    for what in ("mask", "bias"):
        more = {**_each(row), "says": f"The {what} {row['says']}"}
        yield from _made(f"{what}-{name}", {what: row["pick"], **more})


def _otherwise(
    name: str, row: dict[str, Any], says: str, kinds: Iterable[str] = MIXED
) -> Iterator[Mistake]:
    """Read inputs, or write results, with other axes or strides."""
    for what in kinds:
        changes = {
            k: INPUTS.get(k, "{x}").replace("{x}", row["pick"])
            for k in MIXED[what]
        }
        text = says.format(what=what, how=row["says"])
        yield from _made(name, {**_each(row), **changes, "says": text})


def _each(row: dict[str, Any]) -> dict[str, Any]:
    """Return what a row says of sizes."""
    return {key: some for key, some in row.items() if key == "each"}


def _rounded(name: str, row: dict[str, Any]) -> Iterator[Mistake]:
    """Round in steps that should be exact, or cut where they should round."""
    for format, label in FORMATS.items():
        for read, how in (
            (rounded, "rounded"),
            (cut, "cut off, not rounded,"),
        ):
            says = f"{row['says']} {how} to {label}."
            if read is cut and ("float8" in format or "each" in row):
                continue
            suffix = "-in-format" if how == "rounded" else "-cut-off"
            more = {**row, "says": says, "rounds": True}
            r = partial(read, format=format)
            yield from _made(name + suffix, more, r=r)


def _in_backward(mistake: Mistake) -> Iterator[Mistake]:
    """Make a mistake in the backward pass alone.

    It computes its weights again, from the log-sum-exp of the forward pass or
    by a softmax of its own, and takes D from a right output.
    """
    says = f"In the backward pass alone: {mistake.says}"
    changes = {"average": _AVERAGE, **mistake.changes}
    for weigh in _AGAIN_WEIGHED if "weigh" not in changes else []:
        yield Mistake(mistake.name, says, {"weigh": weigh, **changes})
    yield Mistake(mistake.name, says, changes)


def _with_average(row: dict[str, Any], group: str) -> dict[str, Any]:
    """Take D from the forward pass where gradients have other weights."""
    again = "gradients" in group and row.keys() & {"weigh", "d_weights"}
    return {"average": "a.exact.average()", **row} if again else row


@cache
def _read() -> dict[str, list[Mistake]]:
    """Make the mistakes of each group, when the first kernel is wrong."""
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    make: dict[str, Callable[..., Iterator[Mistake]]]
    make = {
        "arrays": _arrays,
        "mixed": partial(
            _otherwise,
            says="{how} of {what} are mixed: reshaped where they should be "
            "transposed.",
        ),
        "strides": partial(
            _otherwise,
            says="The {what} are read with a wrong stride: {how}.",
            kinds=STRIDED,
        ),
        "heads": partial(_picked, of_heads=True),
        "stale": partial(_picked, of_heads=False),
        "rounding": _rounded,
        "rounding-of-gradients": _rounded,
    }
    groups = {}
    for group, names in tomllib.loads(text).items():
        made: Callable[..., Iterator[Mistake]] = make.get(group, _made)
        groups[group] = [
            mistake
            for name, rows in names.items()
            for row in (rows if isinstance(rows, list) else [rows])
            for mistake in made(name, _with_average(row, group))
        ]
    return groups


def every() -> list[Mistake]:
    """Return all mistakes of the table."""
    return [one for group in _read().values() for one in group]


_OPTIONS = {  # steps that are nothing without an option
    "capped": "softcap", "slope": "softcap", "window": "window",
    "is_causal": "is_causal", "mask": "mask", "bias": "bias", "sink": "sink",
}  # fmt: skip
_NEEDS = {  # groups that are nothing without one of some options
    "reach": ("is_causal", "window"),
    "mask": ("is_causal", "window", "mask"),
    "softcap": ("softcap",),
    "bias": ("bias",),
    "sink": ("sink",),
    "turns": ("is_causal", "window"),
}
_NOT_WITH = {"unasked": "is_causal"}  # groups that an option excludes
_AGAIN = ("scale", "reach", "mask", "softcap", "bias", "sink", "arrays")


def alone(case: Case) -> Iterator[Mistake]:
    """Return what may be wrong with the scores of some keys alone."""
    some = {*SCORES, *REACH, "scores", "value", "slope"}
    yield from (
        mistake
        for mistake in (*_read()["alone"], *of(case))
        if mistake.changes.keys() <= some
        and not (mistake.rounds or mistake.each)
    )


def of(case: Case, odd: bool = False) -> Iterator[Mistake]:
    """Return the mistakes that a kernel that errs in such a case may have.

    Of blocks and parts those of usual sizes, or if asked of odd ones alone.
    """
    shares = case.key.shape[1] < case.query.shape[1]

    def asked(*options: str) -> bool:
        return not options or any(one in case.options for one in options)

    def some(*groups: str) -> Iterator[Mistake]:
        for group in groups:
            given = _NOT_WITH.get(group) in case.options
            if asked(*_NEEDS.get(group, ())) and not given:
                for mistake in _read()[group]:
                    needs = [
                        _OPTIONS.get(step, "") for step in mistake.changes
                    ]
                    if (
                        mistake.is_odd == odd
                        and (shares or not mistake.grouped)
                        and (not all(needs) or asked(*needs))
                    ):
                        yield mistake

    forward = (
        *(*_AGAIN, "unasked", "heads", "mixed", "stale", "inputs", "blocks"),
        "softmax",
    )
    if case.grad_output is None:
        more = "turns", "strides", "packed", "rounding"
        yield from some("logsumexp", *forward, *more)
        return
    # masks wrong within right loops are looked for in the forward pass alone
    every = some("gradients", *forward, "rounding-of-gradients")
    yield from (m for m in every if m.each != "loops")
    for mistake in some(*_AGAIN, "heads", "inputs", "unasked"):
        if mistake.each != "loops":
            yield from _in_backward(mistake)
