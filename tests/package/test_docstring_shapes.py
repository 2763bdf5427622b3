"""The shapes that docstrings promise: arrays of those shapes are taken, others refused, and results have them."""

import re

import numpy as np
import pytest

from tests.package import documented as doc

WITH_SHAPES = {
    name: case for name, case in doc.CASES.items() if any(i.shapes for i in doc.parameters(case)) or doc.promised(case)
}
EVERY = pytest.mark.parametrize("case", WITH_SHAPES.values(), ids=WITH_SHAPES)


def check(case, shapes, sizes):
    """Call with arrays of these shapes; return which of the promised shapes each result has."""
    given = doc.arrays(case, shapes, sizes)
    found = []
    for result, forms in zip(doc.returned(doc.call(case, given, sizes)), doc.promised(case), strict=False):
        allowed = {form: np.shape(given[form]) if form in given else doc.measured(form, sizes) for form in forms}
        fits = [form for form, shape in allowed.items() if shape == np.shape(result)]
        assert fits, f"the result has shape {np.shape(result)}, the docstring says {allowed}"
        found += fits
    return found


@EVERY
def test_arrays_of_the_promised_shapes_give_a_result_of_the_promised_shape(case):
    sizes, seen = doc.sizes_of(case), []
    for shapes in doc.alternatives(case):
        seen += check(case, shapes, sizes)
    assert set(seen) == {form for forms in doc.promised(case) for form in forms}, "a form that no call gives"


def is_free(case, shapes, name, axis):
    """Whether an axis is a letter of this argument alone, so that any length of it will do."""
    letters = [*re.findall(r"[A-Za-z]\w*", " ".join(shape for other, shape in shapes.items() if other != name))]
    letters += [item.name for item in doc.parameters(case) if item.kind.startswith("int")]
    if any("..." in shape for other, shape in shapes.items() if other != name):
        letters += doc.LEADING
    return (
        axis.isidentifier()
        and axis not in {*letters, *case.same, *case.same.values()}
        and doc.axes(shapes[name]).count(axis) == 1
    )


LONGER = [
    (name, argument, axis)
    for name, case in WITH_SHAPES.items()
    for argument, shape in next(doc.alternatives(case)).items()
    for axis in doc.axes(shape)
    if axis not in ("...", "1") and argument not in case.integers
]


@pytest.mark.parametrize(("name", "argument", "axis"), LONGER)
def test_an_axis_that_is_one_too_long_shows_in_the_result_or_is_refused_with_the_shapes(name, argument, axis):
    case = WITH_SHAPES[name]
    sizes, shapes = doc.sizes_of(case), next(doc.alternatives(case))
    if is_free(case, shapes, argument, axis):
        check(case, shapes, sizes | {axis: sizes[axis] + 1})
        return
    shapes[argument] = shapes[argument].replace(axis, f"{axis} + 1")
    too_long = int(eval(f"{axis} + 1", dict(sizes)))
    with pytest.raises(ValueError, match=rf"\b{too_long}\b") as error:
        check(case, shapes, sizes)
    numbers = set(re.findall(r"\d+", str(error.value)))
    assert len(numbers) > 1, f"the message does not show what it should fit: {error.value}"
