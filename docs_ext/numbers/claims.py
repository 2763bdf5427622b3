r"""Whether the numbers of a page are true: each is computed again, or borne out by an example of its section.

Behind a paragraph, a list, a table or a formula a comment says what its numbers come from. In a fence it is a comment
of YAML, `# check: ...`.

    The first weight is 1/2, and the two largest take 88% of the budget. The scores take $2 n^2 \dk$ operations. The
    paper had 8 heads.
    <!-- check: 1/2 = weights[0]; 88% = np.sort(weights)[-2:].sum();
         $2 n^2 \dk$ = attention_flops(n, n, d_k, 0) for n, d_k in [(3, 5)]; 8 = fact("vaswani2017", "heads") -->

Checks are separated by semicolons and follow the order of the text. Each is one of four:

- `numbers = expression`, the numbers as the text has them. `~3000` is rounded: any value from 2500 to 3500.
- `$formula$ = expression`, a formula as the text has it. Its symbols are names, `\dk` is d_k; a `for` behind it gives
  them values.
- a statement, such as `weights.sum() == 1`, for numbers that stand in it as well as in the text.
- `given 4: reason`, for a number that nothing computes. Tests hold how many there are.

Expressions know what those of fences know, `module("benchmarks.suites").D`, and the names that the page's consoles
define. Where several define a name, the nearest in the section counts; `above.x` and `below.x` are those of the next
console above or below. In a quiz they know what its proof defines, in other fences its keys.

No check is needed for an equation between numbers in a formula, which is computed, or for a number that an example of
its section holds, if it would hold hardly any other in its place: "65,536" or the row "8, 4, 1, 2, 1", but not a lonely
"2".
"""

import ast
import re
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from docs_ext.errors import SpecError
from docs_ext.numbers import arithmetic, lists
from docs_ext.numbers.evidence import shares
from docs_ext.numbers.numerals import Numeral, numerals
from docs_ext.reading import consoles
from docs_ext.reading.expressions import evaluate
from docs_ext.reading.prose import Block, Item, Page, Part, read

ENOUGH = 0.93  # of the changes of a number must show in an example, for its word to be enough
_FORMULA = re.compile(r"\$\$(?P<display>.+?)\$\$|(?<![\\$])\$(?P<inline>[^$]+?)\$", re.DOTALL)
_LINK = re.compile(r"\[(?P<text>[^\[\]]*)\]\((?P<address>[^)]*)\)")
_FACT = re.compile(r"\bfact\(\"(\w+)\"")


class Found(NamedTuple):
    """A number of the page, its line, what binds it ("" if nothing), and the share of its changes that we notice."""

    numeral: Numeral
    line: int
    by: str
    noticed: float


class Report(NamedTuple):
    """The numbers of a page, and what is wrong, each with its line."""

    found: Sequence[Found]
    wrong: Sequence[str]

    @property
    def unbound(self) -> list[Found]:
        """Those that nothing binds."""
        return [number for number in self.found if not number.by]

    @property
    def noticed(self) -> float:
        """How many of the numbers could not be changed without notice."""
        return sum(number.noticed for number in self.found)


def check(name: str, text: str) -> Report:
    """Compute the numbers of a page again."""
    try:
        page = read(text)
    except SpecError as error:
        raise SpecError(f"{name}:{error.line}: {error}") from error
    wrong = [f"{name}:{line}: {what}" for line, what in lists.mistakes(page)]
    steps = list(consoles.steps(name, text)) if any(block.checks for block in page.blocks) else []
    found = list[Found]()
    for block in page.blocks:
        checker = _Checker(block, _names(block, page, steps), text)
        checker.check()
        found += checker.found()
        wrong += [f"{name}:{line}: {what}" for line, what in checker.wrong]
    return Report(found, wrong)


def _names(block: Block, page: Page, steps: Sequence[consoles.Step]) -> Mapping[str, Any]:
    first, last = page.sections[block.section], [*page.sections, 10**9][block.section + 1]

    def far(step: consoles.Step) -> tuple[bool, int]:
        above = block.line - (step.line + step.code.count("\n") + 1)
        return not first <= step.line < last, above if above > 0 else step.line - block.last_line

    above = [step for step in steps if step.line < block.line]
    below = [step for step in steps if step.line > block.line]
    sides = {"above": SimpleNamespace(**above[-1].names)} if above else {}
    sides |= {"below": SimpleNamespace(**below[0].names)} if below else {}
    return ChainMap(sides, *(step.names for step in sorted(below + above, key=far)))


class _Checker:
    """What binds the numbers of one block: `by` has a word for each of them."""

    def __init__(self, block: Block, names: Mapping[str, Any], page: str) -> None:
        self.block, self.names, self.page = block, names, page
        self.places = [(part, numeral) for part in block.parts for numeral in numerals(part.text)]
        self.by = [""] * len(self.places)
        self.noticed = [0.0] * len(self.places)
        self.at = -1  # the last number that a check has taken
        self.wrong = list[tuple[int, str]]()

    def found(self) -> Iterator[Found]:
        for (part, numeral), by, noticed in zip(self.places, self.by, self.noticed, strict=True):
            yield Found(numeral, part.line_of(numeral.start), by, noticed)

    def bind(self, i: int, by: str, noticed: float = 1.0) -> None:
        self.by[i], self.noticed[i] = by, noticed

    def check(self) -> None:
        self.own = self.fence_names() if self.block.keys else {}
        for part in self.block.parts:
            self.use_links(part)
            self.use_equations(part)
            self.use_example(part)
        for item in self.block.checks:
            try:
                self.use(item)
            except SpecError as error:
                self.wrong.append((item.line, str(error)))
        for item in self.block.checks:
            self.use_literals(item)

    def within(self, part: Part, start: int, end: int) -> list[int]:
        return [i for i, (other, n) in enumerate(self.places) if other is part and start <= n.start < end]

    def use_links(self, part: Part) -> None:
        """Bind a number that repeats one of its link's address."""
        for link in _LINK.finditer(part.text):
            for i in self.within(part, link.start("text"), link.end("text")):
                if self.places[i][1].text in link["address"]:
                    self.bind(i, "address")

    def use_equations(self, part: Part) -> None:
        for formula in _FORMULA.finditer(part.text):
            kind = formula.lastgroup or ""
            for start, end, holds in arithmetic.equations(formula[kind]):
                start, end = formula.start(kind) + start, formula.start(kind) + end
                if not holds:
                    self.wrong.append((part.line_of(end), f"not equal: {' '.join(part.text[start:end].split())}"))
                for i in self.within(part, start, end):
                    numeral = self.places[i][1]
                    other = "7" if numeral.text != "7" else "5"  # what is multiplied by zero might be anything
                    changed = part.text[start : numeral.start] + other + part.text[numeral.end : end]
                    if holds and not any(equation.holds for equation in arithmetic.equations(changed)):
                        self.bind(i, "arithmetic")

    def use_example(self, part: Part) -> None:
        mine = self.within(part, 0, len(part.text))
        example = part.example + self.compared(part.holds)
        for i, share in zip(mine, shares([self.places[i][1] for i in mine], part.text, example), strict=True):
            if share >= ENOUGH and not self.by[i]:
                self.bind(i, "example", share)

    def compared(self, holds: str) -> str:
        """Return what an option of a quiz compares with, row by row, such as the mean in `np.allclose(z, V.mean())`."""
        values = list[Any]()
        for node in ast.walk(_tree(holds)) if holds else ():
            match node:
                case ast.Call(func=ast.Attribute(attr="allclose" | "isclose" | "array_equal"), args=[_, other, *_]):
                    values.append(other)
                case ast.Compare(comparators=[other]):
                    values.append(other)
        rows = ""
        for value in values:
            with suppress(SpecError, TypeError):  # True, or a part of a comprehension
                rows += "\n" + " ".join(map(repr, _flat(self.evaluate(ast.unparse(value)))))
        return rows

    def fence_names(self) -> dict[str, Any]:
        keys, names = self.block.keys or {}, dict[str, Any]()
        if "proof" in keys:
            consoles.run(keys["proof"], names, "proof", self.block.line)
        else:
            names |= {key: value for key, value in keys.items() if not isinstance(value, str | dict)}
            if isinstance(keys.get("data"), str) and self.block.checks:
                names["data"] = evaluate(keys["data"])
        return names

    def evaluate(self, expression: str) -> Any:
        for source in _FACT.findall(expression):
            where = self.page if self.block.keys is not None else self.block.parts[0].text
            if f"#{source})" not in where and f"#{source} " not in where:
                raise SpecError(f"a fact of {source} needs a link to it in the same paragraph")
        return evaluate(expression, ChainMap(self.own, self.names, {"module": import_module}))  # type: ignore[arg-type]

    def use(self, item: Item) -> None:
        left, equals, right = item.text.partition(" = ")
        if item.text.startswith("given "):
            numbers, colon, reason = item.text.removeprefix("given ").partition(": ")
            if not colon or not reason:
                raise SpecError(f"a given number has a reason, as in 'given 4: the layers we chose': {item.text!r}")
            self.take(list(numerals(numbers)), "given")
        elif not equals:
            self.use_statement(item.text)
        elif left.startswith("$"):
            self.use_formula(left.strip("$ "), right)
        else:
            self.use_numbers(left, right)

    def take(self, numbers: Sequence[Numeral], by: str) -> list[int]:
        """Find these numbers in the text, in this order, and bind them."""
        if not numbers:
            raise SpecError("a check has numbers to the left of its '='")
        taken = list[int]()
        for number in numbers:
            same = [i for i, (_, n) in enumerate(self.places) if i > self.at and n.value == number.value]
            if not same:
                raise SpecError(f"the text has no {number.text.strip()}, or not in this order")
            self.at = next((i for i in same if not self.by[i]), same[0])
            self.bind(self.at, by)
            taken.append(self.at)
        return taken

    def use_numbers(self, left: str, right: str) -> None:
        written = list(numerals(left))
        places = self.take(written, "check")
        _refuse_typed_in(right)
        values = list(_flat(self.evaluate(right)))
        if len(values) != len(written):
            raise SpecError(f"{len(written)} numbers are written, and {right} gives {len(values)}: {_show(values)}")
        for i, number, value in zip(places, written, values, strict=True):
            if not number.means(value, rounded=left[: number.start].endswith("~")):
                part, numeral = self.places[i]
                what = f"{numeral.text.strip()} is written, but {right} gives {_show(values)}"
                self.wrong.append((part.line_of(numeral.start), what))

    def use_formula(self, tex: str, right: str) -> None:
        pattern, places = r"\s+".join(map(re.escape, tex.split())), list[tuple[Part, int, int]]()
        for part in self.block.parts:
            places += [(part, *found.span()) for found in re.finditer(pattern, part.text)]
        if not places:
            raise SpecError(f"the text has no {tex}")
        for part, start, end in places:
            for i in self.within(part, start, end):
                self.bind(i, "check")
        expression, loop, cases = right.partition(" for ")
        if loop:
            symbols = ", ".join(f"{name}={name}" for name in re.findall(r"[A-Za-z_]\w*", cases.partition(" in ")[0]))
            pairs = self.evaluate(f"[(dict({symbols}), {expression}) for {cases}]")
        else:
            pairs = [({}, self.evaluate(expression))]
        for values, expected in pairs:
            got = arithmetic.value(tex, ChainMap(values, self.own, self.names))  # type: ignore[arg-type]
            if np.shape(got) != np.shape(expected) or not np.allclose(got, expected, rtol=1e-9):
                raise SpecError(f"${tex}$ is {got}, but {expression} gives {expected} {values or ''}".rstrip())

    def use_statement(self, text: str) -> None:
        tree = _tree(text)
        if not isinstance(tree, ast.Compare | ast.Call):
            raise SpecError(f"a check reads 'numbers = expression' or is a statement, such as 'x == 2': {text!r}")
        if not _computes(tree):
            raise SpecError(f"nothing is computed in {text!r}")
        if not np.all(self.evaluate(text)):
            raise SpecError(f"not true: {text}")

    def use_literals(self, item: Item) -> None:
        """Bind what stands in an expression too: `8 = np.sqrt(64)` is wrong if either is."""
        expression = item.text.partition(" = ")[2] or item.text
        if item.text.startswith("given "):
            return
        for literal in _literals(expression.partition(" for ")[0]):
            i = next((i for i, (_, n) in enumerate(self.places) if not self.by[i] and n.value == literal), None)
            if i is not None:
                self.bind(i, "premise")


def _tree(expression: str) -> ast.expr:
    try:
        return ast.parse(expression, mode="eval").body
    except SyntaxError as error:
        raise SpecError(f"no expression: {expression!r}") from error


def _refuse_typed_in(expression: str) -> None:
    tree = _tree(expression)
    for item in tree.elts if isinstance(tree, ast.Tuple | ast.List) else [tree]:
        if not _computes(item):
            raise SpecError(f"{ast.unparse(item)} is typed in once more, and nothing computes it")


def _computes(tree: ast.expr) -> bool:
    """Tell whether an expression computes something: neither a number once more, nor 64 * 1, nor this or that."""
    nodes = list(ast.walk(tree))
    if any(isinstance(node, ast.Or | ast.IfExp) for node in nodes):
        return False
    if any(isinstance(node, ast.Name) for node in nodes):
        return True
    sums = [node for node in nodes if isinstance(node, ast.BinOp)]
    sides = [side for node in sums for side in (node.left, node.right)]
    neutral = any(isinstance(side, ast.Constant) and side.value in (0, 1) for side in sides)
    return bool(sums) and not neutral


def _flat(value: Any) -> Iterator[float]:
    if isinstance(value, bool | np.bool_):
        raise SpecError("True and False are no numbers")
    if isinstance(value, str):
        yield from (n.value for n in numerals(value))
    elif isinstance(value, np.ndarray):
        yield from map(float, value.ravel())
    elif hasattr(value, "__iter__"):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _flat(item)
    else:
        yield float(value)


def _show(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.6g}" for value in values)


def _literals(expression: str) -> Iterator[float]:
    """Yield the numbers in an expression, but no index, no argument of fact, and no 2**20 or 10**9."""

    def walk(node: ast.AST) -> Iterator[float]:
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                yield number
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                yield -number
            case ast.Subscript():
                yield from walk(node.value)
            case ast.BinOp(left=ast.Constant(value=2 | 10), op=ast.Pow()):
                return
            case ast.BinOp(
                left=ast.Constant(value=int() as over), op=ast.Div(), right=ast.Constant(value=int() as under)
            ):
                yield from (over / under, over, under)
            case _:
                for child in ast.iter_child_nodes(node):
                    yield from walk(child)

    try:
        yield from walk(ast.parse(expression, mode="eval"))
    except SyntaxError:
        return
