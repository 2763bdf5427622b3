"""Good arguments for every public name, as its docstring describes them: names, kinds and shapes.

Every letter of a docstring, such as n_q or d_k, becomes a size of its own, so that no two of them can be mistaken for
each other. A function needs a word here only where its docstring does not say all that a call needs.
"""

import inspect
import re
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import attention
from attention import AttentionOptions, BlockWeights, KVCache, MultiHeadWeights, PartialAttention, SharedOptions
from tests.tables import beside

LEADING = {"batch": 2, "heads": 3}  # what ... stands for
PRIMES = (5, 7, 11, 13, 17, 19, 23, 29, 31)
KINDS = {kind.__name__: kind for kind in (BlockWeights, MultiHeadWeights, PartialAttention)}


class Item(NamedTuple):
    """One name of a docstring's list: its type, and the shapes that it may have."""

    name: str
    kind: str
    shapes: tuple[str, ...]

    @property
    def is_optional(self):
        return self.kind.endswith("optional")


def section(documented, title):
    """Read a list of a docstring: `query : array_like of shape (..., n_q, d_k)`."""
    pieces = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", inspect.cleandoc(documented.__doc__), flags=re.MULTILINE)
    text = dict(zip(pieces[1::2], pieces[2::2], strict=True)).get(title, "")
    for names, kind in re.findall(r"^(\w[\w, ]*?) : (.+)$", text, re.MULTILINE):
        each = [name.strip() for name in names.split(",")]
        shapes = []
        if re.search(r"shape|to \(", kind):
            shapes = re.findall(r"\([^()]*\)", re.split(r"shape|to(?= \()", kind)[-1])
        if "shape of " in kind:
            shapes = [kind.partition("shape of ")[2].removesuffix(", optional")]
        elif "any shape" in kind or kind in ("array_like", "array_like of bool"):
            shapes = ["(a, b)"]
        elif "positions.shape + " in kind:
            shapes = ["(a, b, rotary_dim / 2)"]
        respectively = " and " in kind and len(shapes) == len(each)
        for i, name in enumerate(each):
            yield Item(name, kind, tuple(shapes[i : i + 1] if respectively else shapes))


def shared_options():
    """List the options of attention, which are documented once."""
    for item in (*section(SharedOptions, "Attributes"), *section(AttentionOptions, "Attributes")):
        yield item._replace(kind=f"{item.kind}, optional")


def axes(shape):
    return [axis.strip() for axis in shape.strip("()").split(",") if axis.strip()]


def measured(shape, sizes):
    """Return a shape in numbers."""
    found = []
    for axis in axes(shape):
        found += LEADING.values() if axis == "..." else [int(eval(axis, dict(sizes)))]
    return tuple(found)


def array(item, shape):
    if "bool" in item.kind:
        return np.ones(shape, bool)
    if "of int" in item.kind:
        return np.zeros(shape, int)
    return np.random.default_rng(len(item.name)).uniform(0.1, 1, shape)


class Case(NamedTuple):
    """A function, what else it needs, and the sizes that follow from others."""

    call: Any
    documented: Any
    others: dict = {}  # noqa: RUF012  # never changed
    same: dict = {}  # noqa: RUF012  # letter: the size that follows from other letters
    integers: dict = {}  # noqa: RUF012  # name of an array: what it holds, in letters
    even: tuple = ()  # letters whose size must be even
    needs_all: bool = False  # without what is optional, other shapes follow


def appended(key, value):
    return KVCache().append(key, value)


# a method below; the others hold what is checked later
NO_CASES = {"KVCache", "LatentWeights", "PartialAttention", "Rotary", "AttentionOptions", "SharedOptions"}
CASES = {
    name: Case(part, part) for name in attention.__all__ if name not in NO_CASES and (part := getattr(attention, name))
}
for name, case in CASES.items():
    if {"n_keys", "offset"} <= inspect.signature(case.call).parameters.keys():  # n_keys is not n_queries
        CASES[name] = case._replace(others={"offset": 0})
WITH_WEIGHTS = ("scaled_dot_product_attention", "self_attention", "cross_attention", "multi_head_attention")
CASES |= {name: CASES[name]._replace(others={"return_weights": True}) for name in WITH_WEIGHTS}
WITH_SUMS = ("tiled_attention", "varlen_attention", "paged_attention")
CASES |= {name: CASES[name]._replace(others={"return_logsumexp": True}) for name in WITH_SUMS}
CASES["KVCache.append"] = Case(appended, KVCache.append, same={"n_k": "n_new"})
for name, changes in beside(__file__, "documented.toml").items():
    CASES[name] = CASES[name]._replace(**changes)


def own(case):
    """List what a function takes."""
    items = [*section(case.documented, "Parameters")] or [*section(case.documented, "Attributes")]
    passed_on = inspect.signature(case.call).parameters.get("options")
    if passed_on and "AttentionOptions" in str(passed_on.annotation):
        items += shared_options()
    return items


def parameters(case):
    """Yield what a function takes, and what the weights among that hold."""
    for item in own(case):
        yield item
        if item.kind in KINDS:
            yield from parameters(Case(KINDS[item.kind], KINDS[item.kind]))


def sizes_of(case):
    """Give every letter a prime, an even number to those that are halved, and sizes that follow."""
    shapes = [shape for item in parameters(case) for shape in item.shapes]
    shapes += [shape for item in section(case.documented, "Returns") for shape in item.shapes]
    text = " ".join(shapes)
    names = [*dict.fromkeys(re.findall(r"[A-Za-z]\w*", text))]
    names += [item.name for item in parameters(case) if item.kind == "int" and item.name not in names]
    sizes = LEADING | dict(zip((name for name in names if name not in LEADING), PRIMES, strict=False))
    sizes |= {name: 2 * sizes[name] for name in names if re.search(rf"\b{name} ?/ ?2", text)}
    sizes |= {name: 2 * sizes[name] for name in case.even} | ({"d": 41} if "r" in sizes else {})  # it turns r of d
    sizes |= {"n_heads": 6, "n_kv_heads": 3} if {"n_heads", "n_kv_heads"} <= sizes.keys() else {}
    return sizes | {name: eval(text, dict(sizes)) for name, text in case.same.items()}


def alternatives(case):
    """Yield the shapes of all arrays, once for each form that the docstring allows."""
    every = [
        item
        for item in parameters(case)
        if item.shapes and item.kind.startswith(("array", "ndarray", "int or", "float or"))
    ]
    forms = max((len(item.shapes) for item in every), default=1)
    for form, with_optional in product(range(forms), (True,) if case.needs_all else (True, False)):
        yield {
            item.name: item.shapes[min(form, len(item.shapes) - 1)]
            for item in every
            if with_optional or not item.is_optional
        }


def arrays(case, shapes, sizes):
    """Make the arrays of these shapes."""
    return {
        item.name: array(item, measured(shapes[item.name], sizes)) for item in parameters(case) if item.name in shapes
    } | {name: np.array(eval(text, dict(sizes))) for name, text in case.integers.items()}


def call(case, given, sizes):
    """Call with arrays and options by name, which may belong to weights, and with the sizes that are asked for."""
    if "offset" in given and any(item.name == "is_causal" for item in own(case)):
        given = {"is_causal": True} | given  # which uses it
    made = _arguments(own(case), case.others | given, sizes)
    if case.documented is attention.merge_partials:
        return case.call(made["first"], made["first"])
    return case.call(**made)


def _arguments(items, given, sizes):
    made = {}
    for item in items:
        if item.name in given:
            made[item.name] = given[item.name]
        elif item.kind.startswith("int") and item.name in sizes and not item.shapes:
            made[item.name] = sizes[item.name]
        elif item.kind in KINDS:
            kind = KINDS[item.kind]
            made[item.name] = kind(**_arguments(own(Case(kind, kind)), given, sizes))
    return made


def returned(result):
    """List the arrays and numbers of a result."""
    if hasattr(result, "__dataclass_fields__"):
        result = tuple(getattr(result, name) for name in result.__dataclass_fields__)
    if isinstance(result, tuple):
        return [leaf for part in result for leaf in returned(part)]
    return [result] if isinstance(result, np.ndarray | np.generic) else []


def promised(case):
    """Return for each result the shapes that it may have."""
    results = list(section(case.documented, "Returns"))
    if any(item.kind == "PartialAttention" for item in results):
        results = list(section(PartialAttention, "Attributes"))
    return [item.shapes for item in results if item.shapes]
