"""Mistakes that kernels have, from mistakes.toml: names, sentences, changes.

A mistake that practice has too, among the mutants or a learner's mistakes, has
the same name and sentence, from `known`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

from attention.practice import known
from attention.testing import blocks
from attention.testing.blocks import MEASURED
from attention.testing.cases import Case, table
from attention.testing.errors import cut, rounded
from attention.testing.sizes import BLOCKS, EACH, ODD, parts_said
from attention.testing.steps import REACH, SCORES, Change, Steps

TILED = ("blocks", "tiles", "loops", "turns")
PARTS = ("parts", "merges", "splits")
SAID = {  # sizes, at the end of a sentence that does not say them
    **dict.fromkeys(("blocks", "lazy", "some"), "blocks of {n} keys"),
    **dict.fromkeys(("tiles", "turns"), "tiles of {m} queries and {n} keys"),
    **dict.fromkeys(PARTS, "{parts}"),
}
FORMATS = {
    "bfloat16": "bfloat16",
    "tf32": "10 bits of mantissa (TF32, or float16)",
    "float16": "float16",
    "float32": "float32",
    "float8_e4m3fn": "float8_e4m3fn",
    "float8_e5m2": "float8_e5m2",
}
FLOWS = {  # what changes several steps of the backward pass, and how
    "visits": ("x * ({})", ("for_query", "for_key", "for_value", "for_bias")),
    "gives": ("x * ({})", ("for_key", "for_value", "for_bias", "for_sink")),
    "returns": ("{}", ("d_query", "d_key", "d_value", "d_bias")),
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
    kind: str = "usual"  # or odd, measured, or the format of a kernel
    of_query: tuple[str, ...] = ()  # name and pattern if d_query alone has it
    grouped: bool = False  # only heads that share keys can have it

    @property
    def alone_in_query(self) -> Mistake:
        """Name it as the gradient of the query alone would have it."""
        if not self.of_query:
            return self
        (name, pattern), (m, n) = self.of_query, self.sizes
        says = pattern.format(m=m, n=n)
        return self._replace(name=name, says=says, pattern=pattern)

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
    made: Change = eval(_compiled(expression), known_names)
    return made


@cache  # for all sizes
def _compiled(expression: str) -> Any:
    return compile(f"lambda a, x, s=None: ({expression})", "mistake", "eval")


_AVERAGE = _change("a.exact.average()")
_AGAIN_WEIGHED = [_change("again(a)"), _change("again(a, ~a.exact.empty())")]
UNFIT = (  # what the steps of a mistake raise if it does not fit the options
    ArithmeticError, AttributeError, LookupError, TypeError, ValueError,
)  # fmt: skip


def _made(name: str, row: dict[str, Any], **names: Any) -> Iterator[Mistake]:
    """Make the mistakes of a row of the table."""
    says = known.mutants(name) if name in known.NAMES else row["says"]
    says = _with_sizes(says, row.get("each"))
    row = {**row, "says": says}
    in_loops, turned = row.pop("loops", False), row.pop("turned", False)
    if turned:
        yield from _of_sizes(name, row, back=False)
        says = f"{says[:-1]}, from the last key to the first."
        yield from _of_sizes(name, {**row, "says": says}, back=True)
    else:
        yield from _of_sizes(name, row, **names)
    if in_loops:
        yield from _in_loops(name, row)


def _of_sizes(
    name: str, row: dict[str, Any], **names: Any
) -> Iterator[Mistake]:
    """Make a mistake, or one for each n, or m and n.

    Words in the place of numbers are put into name, sentence and expressions.
    """
    row = dict(row)
    each, says = row.pop("each", [0]), row.pop("says")
    rounds = row.pop("rounds", False)
    grouped = row.pop("grouped", False)
    of_query = tuple(row.pop("of_query", ()))
    of_query = (*of_query[:1], *(_with_sizes(x, each) for x in of_query[1:]))
    for some, (change, steps) in FLOWS.items():
        if some in row:
            row |= dict.fromkeys(steps, change.format(row.pop(some)))
    if unknown := row.keys() - vars(Steps).keys():
        raise ValueError(f"{name} changes no such step: {unknown}")
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
        one = Mistake(slug, text, changes, rounds, of_query=of_query)
        one = one._replace(grouped=grouped)
        if isinstance(each, str):
            kind = "odd" if int(n) in ODD else "usual"
            kind = "measured" if m == MEASURED else kind
            size = {"sizes": (m, n), "each": each, "kind": kind}
            one = one._replace(pattern=says, **size)
        yield one
        if "grad_output" in row:  # D comes from the forward pass
            changes = {"average": _AVERAGE, **changes}
            yield one._replace(changes=changes, of_query=())


def _with_sizes(says: str, each: Any) -> str:
    """Let a sentence end with the sizes that it speaks of."""
    if "{n" in says or "{parts}" in says or str(each) not in SAID:
        return says
    return f"{says[:-1]} ({SAID[each]})."


def _in_loops(name: str, row: dict[str, Any]) -> Iterator[Mistake]:
    """Make a mistake of the mask alone: loops end and start where they should.

    So that a tile of m rows and n keys reads no further.
    """
    for one in _of_sizes(name, row):
        pattern = one.says + (
            " But a tile reads no further than it should "
            "(tiles of {m} queries and {n} keys)."
        )
        within = ("within()", "within().any(axis=0, keepdims=True)")
        for (m, n), of in product(EACH["tiles"], within):
            read = _change(
                f"x & in_tiles(rows_of_tile(a.exact.{of}, m, np.any), n)",
                m=m, n=n,
            )  # fmt: skip
            says = pattern.format(m=m, n=n)
            changes = {**one.changes, "allowed": read}
            yield one._replace(
                says=says, changes=changes, pattern=pattern, sizes=(m, n),
                each="loops",
            )  # fmt: skip


def _rounded(name: str, row: dict[str, Any]) -> Iterator[Mistake]:
    """Round in steps that should be exact, or cut where they should round."""
    ways = (
        (rounded, "rounded", "-in-format"),
        (cut, "cut off, not rounded,", "-cut-off"),
    )
    for (format, label), (read, how, suffix) in product(FORMATS.items(), ways):
        if read is rounded or not ("float8" in format or "each" in row):
            says = f"{row['says']} {how} to {label}."
            more = {**row, "says": says, "rounds": True}
            r = partial(read, format=format)
            for one in _made(name + suffix, more, r=r):
                coarse = format != "float32"  # in a kernel of float64 alone
                yield one if coarse else one._replace(kind="float64")


def _in_backward(mistake: Mistake) -> Iterator[Mistake]:
    """Make a mistake in the backward pass alone.

    It computes its weights again, from the log-sum-exp of the forward pass or
    by a softmax of its own, and takes D from a right output.
    """
    says = f"In the backward pass alone: {mistake.says}"
    pattern = f"In the backward pass alone: {mistake.pattern}"
    changes = {"average": _AVERAGE, **mistake.changes}
    made = mistake._replace(says=says, pattern=pattern, changes=changes)
    for weigh in _AGAIN_WEIGHED if "weigh" not in changes else []:
        yield made._replace(changes={"weigh": weigh, **changes})
    yield made


def _ways(
    name: str, row: dict[str, Any], **given: Any
) -> Iterator[tuple[str, Any]]:
    """Give a name and a row for each of the ways that a row lists.

    What a way holds, or is given, is a word if name or row have it in braces,
    and is put there; else it is a part of the row, as a name of its own.
    """
    ways = row.get("ways", [{}])
    for some in product(*ways) if isinstance(ways[0], list) else zip(ways):
        own = given | {key: text for way in some for key, text in way.items()}
        made = {"name": name, **row, **own}
        made.pop("ways", None)
        for key, word in {**own, "row": name}.items():
            if f"{{{key}}}" in str(made):
                made.pop(key, None)
                made = {
                    k: x.replace(f"{{{key}}}", word) if type(x) is str else x
                    for k, x in made.items()
                }
        yield made.pop("name"), made


def _with_average(row: dict[str, Any], group: str) -> dict[str, Any]:
    """Take D from the forward pass where gradients have other weights."""
    again = "gradients" in group and row.keys() & {"weigh", "d_weights"}
    return {"average": "a.exact.average()", **row} if again else row


@cache
def _read() -> dict[str, list[Mistake]]:
    """Make the mistakes of each group, when the first kernel is wrong."""
    groups = {}
    for group, names in table(__file__).items():
        every = names.pop("every", {})
        make = _rounded if group.startswith("rounding") else _made
        groups[group] = [
            mistake
            for key, rows in names.items()
            for row in (rows if isinstance(rows, list) else [rows])
            for one, way in _ways(key, row)
            for name, made in _ways(one, every, **way)
            for mistake in make(name, _with_average(made, group))
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


def of(case: Case, kind: str = "usual") -> Iterator[Mistake]:
    """Return the mistakes that a kernel that errs in such a case may have.

    Of blocks and parts those of usual sizes, or of odd or measured ones alone.
    """
    kinds = (kind, case.format) if kind == "usual" else (kind,)
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
                        mistake.kind in kinds
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
