"""Whether the numbers of a page are true: those taken for results are each borne out, or the page is wrong.

A number is borne out by

- an equation between numbers in a formula, which is computed;
- an example of its section, or such an equation of it, that holds the number, rounded or as a percentage too;
- a fact of `docs_ext/facts.yml` whose source its paragraph links;
- a mark, see `tools.numbers.marks`.

`tools.numbers.results` says which numbers are taken for results.
"""

import math
import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import Any, NamedTuple

from docs_ext.errors import SpecError
from docs_ext.reading import consoles
from docs_ext.reading.expressions import evaluate
from docs_ext.reading.page import on_page, read
from docs_ext.records import facts
from tools.numbers import arithmetic, marks
from tools.numbers.evidence import Evidence, running_example
from tools.numbers.numerals import Numeral, numerals
from tools.numbers.results import is_result, rows
from tools.numbers.texts import Part, Text, Texts
from tools.numbers.texts import read as texts_of

_FORMULA = re.compile(r"\$\$(?P<display>.+?)\$\$|(?<![\\$])\$(?P<inline>[^$]+?)\$", re.DOTALL)
_SOURCE = re.compile(r"sources\.md#(\w+)")


_TOO_LARGE = "{0} is larger than any float, so nothing here can bear it out: give its logarithm, or write it as code"
_UNBOUND = (
    "nothing bears out {0}: let an example of this section print it, or say behind the paragraph where it comes from: "
    "<!-- check: {0} = weights[0] -->, in a fence # check: {0} = weights[0]"
)


class Found(NamedTuple):
    """A number of the page, its line, whether it is taken for a result, and what bears it out ("" if nothing)."""

    numeral: Numeral
    line: int
    is_result: bool
    by: str


class Report(NamedTuple):
    """The numbers of a page, and what is wrong, each with its line."""

    found: Sequence[Found]
    wrong: Sequence[str]


def check(name: str, text: str) -> Report:
    """Look for what bears out the numbers of a page."""
    with on_page(name):
        page = read(name, text)
        texts = texts_of(page)
    wrong = list[tuple[int, str]]()
    steps = consoles.session(page).steps if any(said.marks for said in texts.texts) else []
    examples = [example + "\n".join(_worked_out(texts, section)) for section, example in enumerate(texts.examples)]
    evidence = [Evidence(example) for example in examples]
    found = list[Found]()
    for said in texts.texts:
        checker = _Checker(said, _names(said, texts, steps))
        checker.use_parts(examples[said.section], evidence[said.section])
        checker.use_facts(text)
        checker.use_marks()
        wrong += checker.wrong
        if not checker.has_stale_marks:  # else what they do not reach would be told, and mislead
            found += checker.found()
    unbound = [number for number in found if number.is_result and not number.by]
    for line, together in groupby(unbound, key=lambda number: number.line):
        numbers = [number.numeral for number in together]
        message = _UNBOUND if all(math.isfinite(number.value) for number in numbers) else _TOO_LARGE
        wrong.append((line, message.format(" ".join(_in_words(numbers).split()))))
    return Report(found, [f"{name}:{line}: {what}" for line, what in sorted(wrong)])


def _worked_out(texts: Texts, section: int) -> list[str]:
    """Return the equations of a section that are computed, as TeX."""
    parts = [part.text for said in texts.texts if said.section == section for part in said.parts]
    formulas = [formula[formula.lastgroup or ""] for text in parts for formula in _FORMULA.finditer(text)]
    return [tex[start:end] for tex in formulas for start, end, holds in arithmetic.equations(tex) if holds]


def _names(said: Text, texts: Texts, steps: Sequence[consoles.Step]) -> Mapping[str, Any]:
    """Return what the consoles of the page define; of several, the nearest in the section counts."""
    first, last = texts.sections[said.section], [*texts.sections, 10**9][said.section + 1]

    def far(step: consoles.Step) -> tuple[bool, int]:
        above = said.block.line - step.block.end
        return not first <= step.block.line < last, above if above > 0 else step.block.line - said.block.end

    return ChainMap({}, *(step.names for step in sorted(steps, key=far)))


def _facts_of(source: str) -> list[float]:
    """Return all numbers that pages quote from a source; none if it has no facts."""
    values = [fact["value"] for fact in facts.facts_in(facts.FILE).get(source, {}).values()]
    return [float(one) for value in values for one in (value if isinstance(value, list) else [value])]


def _in_words(numbers: Iterable[Numeral]) -> str:
    return ", ".join(number.text.strip() for number in numbers)


class _Checker:
    """What bears out the numbers of one block: `by` has a word for each of them."""

    def __init__(self, said: Text, names: Mapping[str, Any]) -> None:
        self.said, self.names = said, names
        self.places = [(part, number) for part in said.parts for number in numerals(part.text)]
        self.by = [""] * len(self.places)
        self.results = [False] * len(self.places)
        self.wrong = list[tuple[int, str]]()
        self.has_stale_marks = False
        if said.keys:
            with suppress(SpecError):  # what is wrong with a fence, its build says
                self.names = {**names, **self.own_names(said.keys)}

    def found(self) -> Iterator[Found]:
        for (part, number), result, by in zip(self.places, self.results, self.by, strict=True):
            yield Found(number, part.line_of(number.start), result, by)

    def own_names(self, keys: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a fence knows: the names of its proof, or its keys."""
        if "proof" in keys:
            names = dict[str, Any]()
            consoles.run(keys["proof"], names)
            return names
        names = {key: value for key, value in keys.items() if not isinstance(value, str | dict)}
        return names | ({"data": evaluate(keys["data"])} if isinstance(keys.get("data"), str) else {})

    def within(self, part: Part, start: int = 0, end: int = 10**9) -> list[int]:
        return [i for i, (other, n) in enumerate(self.places) if other is part and start <= n.start < end]

    def use_parts(self, example: str, evidence: Evidence) -> None:
        """Look for what bears the numbers out without a mark."""
        data = self.rows_of(["data"]) if self.said.keys and "data" in self.said.keys else ""
        for part in self.said.parts:
            mine = self.within(part)
            numbers = [self.places[i][1] for i in mine]
            own = part.example + data + self.rows_of(marks.compared(part.holds))
            shown = (Evidence(f"{own}\n{example}") if own else evidence).bears_out(numbers, part.text)
            known = running_example().bears_out(numbers, part.text)
            for row in rows(numbers, part.text):
                for k in row:
                    self.results[mine[k]] = is_result(numbers[k], part.text, len(row))
                    if shown[k]:
                        self.by[mine[k]] = "example"
                    elif known[k] and (len(row) > 1 or numbers[k].value % 1):
                        self.by[mine[k]] = "running example"
            self.use_equations(part)

    def rows_of(self, expressions: Sequence[str]) -> str:
        """Return the numbers that expressions give, a row for each."""
        found = ""
        for expression in expressions:
            with suppress(SpecError, TypeError, ValueError):  # True, a word, or a part of a comprehension
                found += "\n" + " ".join(map(repr, marks.flat(evaluate(expression, self.names))))
        return found

    def use_equations(self, part: Part) -> None:
        for formula in _FORMULA.finditer(part.text):
            kind = formula.lastgroup or ""
            for start, end, holds in arithmetic.equations(formula[kind]):
                start, end = formula.start(kind) + start, formula.start(kind) + end
                if not holds:
                    self.wrong.append((part.line_of(end), f"not equal: {' '.join(part.text[start:end].split())}"))
                for i in self.within(part, start, end):
                    self.by[i] = "equation"

    def use_facts(self, page: str) -> None:
        """Take a number that a source states, if the paragraph links to it, or for a fence the page."""
        where = page if self.said.keys is not None else "\n".join(part.text for part in self.said.parts)
        stated = [fact for source in _SOURCE.findall(where) for fact in _facts_of(source)]
        for i, (_, number) in enumerate(self.places):
            if any(number.means(fact) for fact in stated):
                self.by[i] = self.by[i] or "fact"

    def use_marks(self) -> None:
        for item in self.said.marks:
            try:
                mark = marks.parse(item.text)
                if mark.formula:
                    self.use_formula(mark)
                else:
                    for i in self.places_of([number for number, _ in mark.numbers]):
                        self.by[i] = "mark" if mark.expression else "given"
                    marks.compare_numbers(mark, self.names)
            except SpecError as error:
                self.has_stale_marks = True
                self.wrong.append((item.line, str(error)))

    def places_of(self, row: Sequence[Numeral]) -> Sequence[int]:
        """Find the numbers of a mark in the text, one after the other: where most of them are not borne out yet."""

        def alike(i: int) -> int:
            texts = [number for _, number in self.places[i : i + len(row)]]
            pairs = zip(texts, row, strict=False)
            return sum((text.value, text.is_word) == (number.value, number.is_word) for text, number in pairs)

        found = [range(i, i + len(row)) for i in range(len(self.places)) if alike(i) == len(row)]
        if not found:
            nearest = max(range(len(self.places)), key=alike, default=0)
            there = self.places[nearest : nearest + len(row)] if self.places and alike(nearest) else ()
            hint = f", but {_in_words(number for _, number in there)}" if there else ""
            raise SpecError(f"the text has no {_in_words(row)}{hint}")
        return max(found, key=lambda places: sum(self.results[i] and not self.by[i] for i in places))

    def use_formula(self, mark: marks.Mark) -> None:
        pattern = r"\s+".join(map(re.escape, mark.formula.split()))
        places = [(part, found) for part in self.said.parts for found in re.finditer(pattern, part.text)]
        if not places:
            raise SpecError(f"the text has no {mark.formula}")
        for part, found in places:
            for i in self.within(part, *found.span()):
                self.by[i] = "mark"
        marks.compare_formula(mark, self.names)
