"""The shapes that docstrings promise: arrays of those shapes are taken, others refused, and what comes back has them.

Every letter of a docstring, such as n_q or d_k, becomes a size of its own, so that no two of them can be mistaken for
each other.
"""

import inspect
import re
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

import attention
from attention import BlockWeights, KVCache, MultiHeadWeights, PartialAttention, Rotary

LEADING = {"batch": 2, "heads": 3}  # what ... stands for
PRIMES = (5, 7, 11, 13, 17, 19, 23, 29, 31)
KINDS = {kind.__name__: kind for kind in (BlockWeights, MultiHeadWeights, PartialAttention, Rotary)}


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
        shapes = (
            re.findall(r"\([^()]*\)", re.split(r"shape|to(?= \()", kind)[-1]) if re.search(r"shape|to \(", kind) else []
        )
        if "shape of " in kind:
            shapes = [kind.partition("shape of ")[2].removesuffix(", optional")]
        elif "any shape" in kind or kind in ("array_like", "array_like of bool"):
            shapes = ["(a, b)"]
        elif "positions.shape + " in kind:
            shapes = ["(a, b, rotary_dim / 2)"]
        each = [name.strip() for name in names.split(",")]
        respectively = " and " in kind and len(shapes) == len(each)
        for i, name in enumerate(each):
            yield Item(name, kind, tuple(shapes[i : i + 1] if respectively else shapes))


def axes(shape):
    return [axis.strip() for axis in shape.strip("()").split(",") if axis.strip()]


def letters(shape):
    return set(re.findall(r"[A-Za-z]\w*", shape))


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
    return np.random.default_rng(len(item.name)).random(shape)


class Case(NamedTuple):
    """A function, what else it needs, and the sizes that follow from others."""

    call: object
    documented: object
    others: dict = {}  # noqa: RUF012  # never changed
    same: dict = {}  # noqa: RUF012  # letter: the letter whose size it has
    even: tuple = ()  # letters whose size must be even
    needs_all: bool = False  # without what is optional, other shapes follow


def appended(key, value):
    return KVCache().append(key, value)


def selected(indices):
    cache = KVCache()
    cache.append(np.zeros((2, 3, 5, 7)), np.zeros((2, 3, 5, 11)))
    cache.select(indices)
    return cache.append(np.zeros((len(indices), 3, 1, 7)), np.zeros((len(indices), 3, 1, 11)))


def truncated(n):
    cache = KVCache()
    cache.append(np.zeros((2, 3, 5, 7)), np.zeros((2, 3, 5, 11)))
    cache.truncate(n)


CASES = {name: Case(function, function) for name in attention.__all__ if callable(function := getattr(attention, name))}
del CASES["KVCache"], CASES["PartialAttention"], CASES["Rotary"]  # methods below; the others hold what is checked later
CASES |= {
    "KVCache.append": Case(appended, KVCache.append, same={"n_k": "n_new"}),
    "KVCache.select": Case(selected, KVCache.select),
    "KVCache.truncate": Case(truncated, KVCache.truncate, same={"batch": "batch"}),  # that of the cache
}
for name, changes in {
    "split_heads": {"same": {"n_heads": "h"}},
    "sliding_window_mask": {"others": {"left": 1, "right": 2}},
    "apply_rotary": {"others": {"layout": "half"}},
    "round_to_format": {"others": {"format": "float16"}},
    "rotary_permutation": {"even": ("rotary_dim",)},
    "sinusoidal_encoding": {"even": ("d_model",)},
    "segment_mask": {"needs_all": True},
    "MultiHeadWeights": {"needs_all": True},
    "BlockWeights": {"same": {"d_memory": "d_model", "d_out": "d_model"}},
    "transformer_block": {"same": {"d_memory": "d_model", "d_out": "d_model"}},
    "multi_head_attention": {"needs_all": True},
    "merge_partials": {"needs_all": True},
}.items():
    CASES[name] = CASES[name]._replace(**changes)


def parameters(documented):
    """Yield what a function takes, and what the weights among that hold."""
    for item in (*section(documented, "Parameters"), *section(documented, "Attributes")):
        yield item
        if item.kind in KINDS:
            yield from parameters(KINDS[item.kind])


def sizes_of(case):
    """Give every letter a prime, an even number to those that are halved, and sizes that follow."""
    shapes = [shape for item in parameters(case.documented) for shape in item.shapes]
    shapes += [shape for item in section(case.documented, "Returns") for shape in item.shapes]
    text = " ".join(shapes)
    names = [*dict.fromkeys(re.findall(r"[A-Za-z]\w*", text))]
    counts = [item.name for item in parameters(case.documented) if item.kind == "int" and item.name not in names]
    names += counts
    sizes = LEADING | dict(zip((name for name in names if name not in LEADING), PRIMES, strict=False))
    sizes |= {name: 2 * sizes[name] for name in names if re.search(rf"\b{name} ?/ ?2", text)}
    sizes |= {name: 2 * sizes[name] for name in case.even} | ({"d": 41} if "r" in sizes else {})  # it turns r of d
    sizes |= {"n_heads": 6, "n_kv_heads": 3} if {"n_heads", "n_kv_heads"} <= sizes.keys() else {}
    return sizes | {name: sizes[other] for name, other in case.same.items()}


def arguments(items, shapes, case, sizes):
    """Make an argument of each item: of the shape in `shapes`, of a size, or of weights."""
    made = dict(case.others)
    for item in items:
        if item.name in shapes:
            made[item.name] = array(item, shapes[item.name])
        elif item.kind.startswith("int") and item.name in sizes and not item.shapes:
            made[item.name] = sizes[item.name]
        elif item.kind in KINDS:
            kind = KINDS[item.kind]
            inner = [*section(kind, "Parameters"), *section(kind, "Attributes")]
            made[item.name] = kind(**arguments(inner, shapes, Case(kind, kind), sizes))
    return made


def call(case, items, shapes, sizes):
    made = arguments(items, shapes, case, sizes)
    if case.documented is attention.merge_partials:
        return case.call(made["first"], made["first"])
    return case.call(**made)


def alternatives(case, sizes):
    """Yield the shapes of all arguments, once for each form that the docstring allows."""
    every = [
        item
        for item in parameters(case.documented)
        if item.shapes and item.kind.startswith(("array", "ndarray", "int or", "float or"))
    ]
    forms = max((len(item.shapes) for item in every), default=1)
    for form, with_optional in product(range(forms), (True,) if case.needs_all else (True, False)):
        yield {
            item.name: item.shapes[min(form, len(item.shapes) - 1)]
            for item in every
            if with_optional or not item.is_optional
        }


def returned(result):
    if isinstance(result, PartialAttention):
        return [result.output, result.logsumexp]
    return list(result) if isinstance(result, tuple) else [result]


def promised(case):
    """Return for each result the shapes that it may have."""
    results = list(section(case.documented, "Returns"))
    if any(item.kind == "PartialAttention" for item in results):
        results = list(section(PartialAttention, "Attributes"))
    return [item.shapes for item in results if item.shapes]


def check(case, shapes, sizes):
    """Call with arrays of these shapes; return which of the promised shapes each result has."""
    items = list(section(case.documented, "Parameters")) or list(section(case.documented, "Attributes"))
    numbers = {name: measured(shape, sizes) for name, shape in shapes.items()}
    result = call(case, items, numbers, sizes)
    found = []
    for array_, forms in zip(returned(result), promised(case), strict=False):
        allowed = {form: numbers.get(form) or measured(form, sizes) for form in forms}
        fits = [form for form, shape in allowed.items() if shape == np.shape(array_)]
        assert fits, f"the result has shape {np.shape(array_)}, the docstring says {allowed}"
        found += fits
    return found


WITH_SHAPES = {
    name: case for name, case in CASES.items() if any(i.shapes for i in parameters(case.documented)) or promised(case)
}
EVERY = pytest.mark.parametrize("case", WITH_SHAPES.values(), ids=WITH_SHAPES)


def test_most_functions_promise_shapes():
    assert len(WITH_SHAPES) > 35


@EVERY
def test_arrays_of_the_promised_shapes_give_a_result_of_the_promised_shape(case):
    sizes, seen = sizes_of(case), []
    for shapes in alternatives(case, sizes):
        seen += check(case, shapes, sizes)
    assert set(seen) == {form for forms in promised(case) for form in forms}, "a form that no call gives"


def lengthened(case, sizes):
    """Yield each axis of each argument that can be one too long: the argument, its shape, and the axis."""
    first = next(alternatives(case, sizes))
    for name, shape in first.items():
        for axis in axes(shape):
            if axis not in ("...", "1"):
                yield first, name, axis


def is_free(case, shapes, name, axis):
    """Whether an axis is a letter of this argument alone, so that any length of it will do."""
    others = " ".join(shape for other, shape in shapes.items() if other != name)
    numbers = " ".join(item.name for item in parameters(case.documented) if item.kind.startswith("int"))
    held = letters(others) | letters(numbers) | (LEADING.keys() if "..." in others else set())
    return axis.isidentifier() and axis not in held | case.same.keys() and axes(shapes[name]).count(axis) == 1


LONGER = [
    (name, argument, axis)
    for name, case in WITH_SHAPES.items()
    for _, argument, axis in lengthened(case, sizes_of(case))
]


@pytest.mark.parametrize(("name", "argument", "axis"), LONGER)
def test_an_axis_that_is_one_too_long_is_refused_or_shows_in_the_result(name, argument, axis):
    case = WITH_SHAPES[name]
    sizes = sizes_of(case)
    shapes = next(alternatives(case, sizes))
    if is_free(case, shapes, argument, axis):
        check(case, shapes, sizes | {axis: sizes[axis] + 1})
        return
    longer = shapes[argument].replace(axis, f"{axis} + 1")
    with pytest.raises(ValueError, match=r"\(|must|is not"):
        check(case, shapes | {argument: longer}, sizes)
