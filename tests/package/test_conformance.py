"""What every public name keeps to: dtypes, warnings, its arguments and their memory, and one clear refusal.

The rows are in conformance.py; a public name without one fails here.
"""

import inspect
import math
import pickle
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
import pytest

import attention
from tests.package.conformance import ROWS, public
from tests.package.oracles import says

H, S, D = np.float16, np.float32, np.float64
EVERY = pytest.mark.parametrize("label", ROWS)
NAMES = sorted(attention.__all__)


def float_arrays(row):
    return [name for name, value in row.good.items() if isinstance(value, np.ndarray) and value.dtype.kind == "f"]


def rows_of(name):
    return [row for label, row in ROWS.items() if label.split(",")[0] == name]


def call(label, arguments):
    return (ROWS[label].call or public(label))(**arguments)


def results(label, changes=None):
    """Call with good arguments, some of them changed; return all arrays and scalars of the result."""
    return list(leaves(call(label, ROWS[label].good | (changes or {}))))


def leaves(result):
    if hasattr(result, "__dataclass_fields__"):
        result = [getattr(result, name) for name in result.__dataclass_fields__]
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in leaves(part)]
    return [result] if isinstance(result, (np.ndarray, np.generic)) else []


def same(actual, expected, **tolerance):
    for one, other in zip(actual, expected, strict=True):
        if tolerance:
            np.testing.assert_allclose(one, other, **tolerance)
        else:
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_a_row(name):
    assert any(label.split(",")[0] == name for label in ROWS), f"{name} has no row in tests/package/conformance.py"


@EVERY
def test_every_row_is_of_a_public_name_and_its_arguments_are_good(label):
    assert label.split(",")[0] in NAMES, f"the row {label!r} is of no public name"
    call(label, ROWS[label].good)


# --- dtypes ------------------------------------------------------------------------------------------------------

WITH_FLOATS = pytest.mark.parametrize("label", [label for label, row in ROWS.items() if float_arrays(row)])
DECIDING = {label: [name for name in float_arrays(row) if name not in row.cast] for label, row in ROWS.items()}
DECIDED = pytest.mark.parametrize("label", [label for label, names in DECIDING.items() if names])


def given(label, dtype, names=None):
    """Give some arrays of a row in another dtype; integers are large, so that small ones would wrap around."""
    whole = np.dtype(dtype).kind in "iub"
    arrays = {name: ROWS[label].good[name] for name in names or DECIDING[label]}
    return {name: (np.rint(60 * abs(x)) if whole else x).astype(dtype) for name, x in arrays.items()}


@DECIDED
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64])
def test_integers_and_bools_count_as_double(label, dtype):
    whole = given(label, dtype)
    found = results(label, whole)
    if ROWS[label].dtypes == "kept":
        assert {array.dtype for array in found} == {np.dtype(dtype)}
    else:
        assert {array.dtype for array in found} == {np.dtype(D)}
    same(found, results(label, {name: array.astype(D) for name, array in whole.items()}))


@DECIDED
def test_half_precision_is_computed_in_single_and_rounded_once(label):
    halves = given(label, H)
    found = results(label, halves)
    assert {array.dtype for array in found if array.dtype.kind == "f"} == {np.dtype(H)} or ROWS[label].dtypes == "own"
    with np.errstate(all="ignore"):
        singles = results(label, {name: array.astype(S) for name, array in halves.items()})
        same(found, [single.astype(half.dtype) for single, half in zip(singles, found, strict=True)])


@DECIDED
@pytest.mark.parametrize("dtype", [S, D, np.longdouble])
def test_floats_keep_their_dtype_and_their_digits(label, dtype):
    found, exact = results(label, given(label, dtype)), results(label)
    for array, reference in zip(found, exact, strict=True):
        assert array.dtype == dtype or ROWS[label].dtypes == "own"
        size = max(1, np.abs(reference).max(initial=0))
        np.testing.assert_allclose(array, reference, rtol=0, atol=64 * max(np.finfo(dtype).eps, 1e-16) * size)


PROMOTED = [(label, name) for label, names in DECIDING.items() for name in names if ROWS[label].dtypes == "promote"]


@pytest.mark.parametrize(("label", "name"), PROMOTED)
@pytest.mark.parametrize(("others", "lifted"), [(H, S), (S, D), (S, np.int64)])
def test_arrays_promote_among_themselves(label, name, others, lifted):
    found = results(label, given(label, others) | given(label, lifted, [name]))
    assert {array.dtype for array in found} == {np.dtype(S if lifted is S else D)}


@pytest.mark.parametrize(("label", "name"), [(label, name) for label, row in ROWS.items() for name in row.cast])
def test_the_other_arrays_are_cast_to_the_dtype_of_the_computation(label, name):
    array = ROWS[label].good[name]
    for dtype in (H, S, D):
        deciding = given(label, dtype) if DECIDING[label] else {}
        expected = results(label, deciding | {name: array.astype(S if deciding and dtype != D else D)})
        found = results(label, deciding | {name: array})
        tolerance = {} if ROWS[label].rounds else {"rtol": 0, "atol": 8 * np.finfo(dtype).eps}
        same(found, expected, **tolerance)
        for other in (H, np.int64, np.longdouble):
            found = results(label, deciding | {name: np.rint(array).astype(other)})
            assert [one.dtype for one in found] == [one.dtype for one in expected]
            same(found, results(label, deciding | {name: np.rint(array)}), **tolerance)


@pytest.mark.parametrize("label", [label for label, row in ROWS.items() if "dtype" in row.good])
@pytest.mark.parametrize("dtype", [H, S, D])
def test_a_dtype_that_is_asked_for_rounds_the_double_result(label, dtype):
    with np.errstate(all="raise"):
        found = results(label, {"dtype": dtype})
    assert {array.dtype for array in found} == {np.dtype(dtype)}
    without = {name: value for name, value in ROWS[label].good.items() if name != "dtype"}
    exact = leaves(call(label, without))
    with np.errstate(all="ignore"):
        same(found, [array.astype(dtype) for array in exact])


# --- warnings ----------------------------------------------------------------------------------------------------


@WITH_FLOATS
@pytest.mark.parametrize("dtype", [H, S, D])
def test_no_floating_point_warnings(label, dtype):
    top, low = np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal
    arrays = {name: ROWS[label].good[name].astype(dtype) for name in float_arrays(ROWS[label])}
    fills = {top, low, dtype(np.inf), dtype(np.nan), dtype(256), dtype(0)}
    signs = (1,) if label == "entropy" else (1, -1, np.where(np.arange(8) % 2, 1, -1))
    for name, array in arrays.items():
        assert_quiet(label, [arrays | {name: np.full_like(array, fill)} for fill in fills])
    for sign in signs:
        filled = [
            {n: np.full_like(x, fill) * resized(sign, x).astype(dtype) for n, x in arrays.items()} for fill in fills
        ]
        assert_quiet(label, filled)


def resized(sign, array):
    return np.resize(sign, array.shape)


def assert_quiet(label, calls):
    with np.errstate(all="raise"):
        state = np.geterr()
        for changes in calls:
            results(label, changes)
        assert np.geterr() == state


# --- memory ------------------------------------------------------------------------------------------------------


def arrays_of(row):
    return {name: value.copy() for name, value in row.good.items() if isinstance(value, np.ndarray)}


@EVERY
@pytest.mark.parametrize("dtype", [H, S, D])
def test_arguments_are_not_modified_may_be_read_only_and_are_not_returned(label, dtype):
    arrays = {name: x.astype(dtype) if x.dtype.kind == "f" else x for name, x in arrays_of(ROWS[label]).items()}
    copies = {name: array.copy() for name, array in arrays.items()}
    for array in arrays.values():
        array.flags.writeable = False
    found = results(label, arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, copies[name], err_msg=name)
        if not ROWS[label].views:
            assert not any(np.shares_memory(result, array) for result in found), name
    if not ROWS[label].views and not label.startswith("KVCache"):
        assert all(result.flags.writeable for result in found if isinstance(result, np.ndarray))
    for again, result in zip(results(label, arrays), found, strict=True):
        assert ROWS[label].views or not np.shares_memory(again, result)


@EVERY
def test_lists_will_do(label):
    lists = {name: array.tolist() for name, array in arrays_of(ROWS[label]).items()}
    same(results(label, lists), results(label))


@EVERY
def test_strided_and_reversed_arrays_mean_the_same_as_copies(label):
    def strided(array):
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::-2] = array
        return wide[..., ::-2]

    changes = {name: strided(array) for name, array in arrays_of(ROWS[label]).items()}
    same(results(label, changes), results(label), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isclass(getattr(attention, name))])
def test_objects_can_be_pickled(name):
    kind = getattr(attention, name)
    good = ROWS[name].good
    made = {
        "KVCache": lambda: kind(),
        "Rotary": lambda: kind(good["cos"], good["sin"], "half"),
        "PartialAttention": lambda: kind(**good),
    }.get(name, lambda: call(name, good))()
    back = pickle.loads(pickle.dumps(made))
    assert type(back) is kind
    same(leaves(back), leaves(made))


# --- refusals ----------------------------------------------------------------------------------------------------


def mistakes(label):
    """Yield a name, a wrong value for it, and what is raised, from the kinds of the good values."""
    parameters = inspect.signature(public(label)).parameters
    for name, value in ROWS[label].good.items():
        is_required = name in parameters and parameters[name].default is inspect.Parameter.empty
        if name == "axis":
            continue
        if isinstance(value, np.ndarray):
            wrong = {"f": "real numbers", "b": "boolean", "i": "integers"}[value.dtype.kind]
            yield from ((name, value.astype(kind), TypeError, wrong) for kind in (complex, object, str))
            yield name, [[1, 2], [3]], ValueError, "rectangular"
            if is_required:
                yield name, None, TypeError, wrong
            if value.dtype.kind != "f":
                yield name, value.astype(float), TypeError, wrong
        elif isinstance(value, bool):
            yield from ((name, wrong, TypeError, "True or False") for wrong in (1, "yes", None))
        elif isinstance(value, int):
            yield from ((name, wrong, TypeError, "an integer") for wrong in (2.0, "2", True))
            if name != "offset":
                yield name, -1, ValueError, "at least"
        elif isinstance(value, float):
            yield from ((name, wrong, TypeError, "a real number") for wrong in ("1", True, 1j))
            yield from ((name, wrong, ValueError, "finite") for wrong in (np.nan, np.inf))
        elif isinstance(value, np.dtype):
            yield from ((name, wrong, TypeError, "floating-point") for wrong in (int, bool, complex))


@EVERY
def test_a_wrong_kind_of_argument_is_named(label):
    for name, wrong, exception, piece in mistakes(label):
        refuses(label, ROWS[label].good, {name: wrong}, exception, [f"{name} must", piece])


def refuses(label, good, changes, exception, pieces):
    error = None
    try:
        call(label, good | changes)
    except exception as raised:
        error = str(raised)
    assert error is not None, f"{label} takes {changes}"
    assert re.search(says(*pieces), error), f"{label} refuses {changes} with: {error}"


BAD = [(label, row) for label in ROWS for row in ROWS[label].bad]


@pytest.mark.parametrize(("label", "row"), BAD, ids=[f"{label}: {' | '.join(row.pieces)}" for label, row in BAD])
def test_arguments_that_do_not_fit_are_named(label, row):
    good = ROWS[label].good
    if "query" in row.changes and "bias" in good:  # the scores have another shape then
        good = good | {"mask": None, "bias": None}
    changes = {name: shaped(name, value) for name, value in row.changes.items()}
    refuses(label, good, changes, row.exception, row.pieces)


def shaped(name, value):
    is_shape = isinstance(value, tuple) and all(isinstance(size, int) for size in value)
    return np.zeros(value) if is_shape and name not in ("axis", "window") else value


LOOP: list[Any] = []
LOOP.append(LOOP)


class Refuses:
    """An array of another library that cannot be converted, as a tensor on another device."""

    def __array__(self, *args, **options):
        raise RuntimeError("cannot be converted")


class TurnsMasked:
    """An array of another library, with missing numbers."""

    def __array__(self, *args, **options):
        return np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])


# What a caller may hand over by mistake, whatever the argument
NASTY: dict[str, Any] = {
    "None": None,
    "a string": "half",
    "an empty string": "",
    "bytes": b"1",
    "a dict": {"a": 1},
    "a set": {1, 2},
    "a generator": (i for i in range(3)),
    "a function": len,
    "a class": float,
    "a module": np,
    "a slice": slice(3),
    "Ellipsis": ...,
    "an object": object(),
    "a Fraction": Fraction(1, 3),
    "a Decimal": Decimal(1),
    "a complex number": 1j,
    "True": True,
    "np.bool_": np.True_,
    "1": 1,
    "np.int8": np.int8(1),
    "1.0": 1.0,
    "np.float32": np.float32(1),
    "np.longdouble": np.longdouble(1),
    "0": 0,
    "-0.0": -0.0,
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "1e308": 1e308,
    "1e-320": 1e-320,
    "2**62": 2**62,
    "2**63": 2**63,
    "-2**63": -(2**63),
    "10**30": 10**30,
    "an integer of too many digits to print": 10**5000,
    "-10**400": -(10**400),
    "an empty list": [],
    "an empty tuple": (),
    "a ragged list": [[1.0, 2.0], [3.0]],
    "a list with None": [1.0, None],
    "a list of huge integers": [10**30],
    "a list of strings": ["1", "2"],
    "a pair": (1, 2),
    "a pair of None": (None, None),
    "a list in itself": LOOP,
    "an empty array": np.zeros(0),
    "an empty matrix": np.zeros((0, 0)),
    "a 0-d array": np.array(1.0),
    "a 0-d array of an integer": np.array(1),
    "a matrix": np.eye(3),
    "many axes": np.zeros((1,) * 32),
    "complex numbers": np.ones(3, complex),
    "objects": np.array([None, 1]),
    "times": np.array(["2020-01-01"], "M8[D]"),
    "durations": np.array([1], "m8[s]"),
    "void": np.zeros(3, "V2"),
    "records": np.zeros(3, "f4,i4"),
    "uint64": np.array([2**64 - 1], np.uint64),
    "int64's least": np.array([-(2**63)]),
    "a memoryview": memoryview(b"123"),
    "a masked array": np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]),
    "a masked scalar": np.ma.masked,
    "a masked number": np.ma.array(1, mask=True),
    "a list of masked arrays": [np.ma.array([1.0, 2.0], mask=[0, 1])] * 2,
    "a list with a masked number": [[1.0, np.ma.masked]],
    "an array that refuses": Refuses(),
    "what turns into a masked array": TurnsMasked(),
}


@EVERY
def test_whatever_is_given_there_is_a_result_or_one_clear_refusal(label):
    for name, good in ROWS[label].good.items():
        for what, value in {**NASTY, **of_its_shape(good)}.items():
            if callable(good) and callable(value):  # answers for itself
                continue
            complaint = what_is_wrong(label, name, value)
            assert not complaint, f"{label} with {what} for {name}: {complaint}"


def what_is_wrong(label, name, value):
    good = ROWS[label].good
    passes = may_be(good[name], value)
    try:
        call(label, good | {name: value})
    except (ValueError, TypeError) as error:
        blamed = good if passes else (name,)  # what is good by itself may not fit another argument
        is_named = any(re.search(rf"\b{re.escape(one)}(?!\w)", str(error)) for one in blamed)
        return "" if is_named else f"the message does not name it: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "" if passes else "it is accepted"


def of_its_shape(good):
    """Give arrays that fit in all but their kind."""
    if not isinstance(good, np.ndarray):
        return {}
    kinds = {str(kind): np.ones(good.shape, kind) for kind in (complex, "M8[s]", "m8[s]", "V2", object, "U1", "f4,i4")}
    return kinds | {"masked": np.ma.array(good, mask=False), "masked list": [np.ma.array(part) for part in good]}


def may_be(good, value):
    """Whether a value is of the kind of the good one, so that it may pass; None may be the default."""
    if isinstance(good, np.dtype):
        return True  # NumPy reads many things as a dtype
    if isinstance(value, (np.ma.MaskedArray, TurnsMasked)):
        return False
    if value is None:
        return True
    if isinstance(good, (np.ndarray, list)):
        try:
            return np.asarray(value).dtype.kind in {"b": "b", "i": "iu"}.get(np.asarray(good).dtype.kind, "biuf")
        except (ValueError, RuntimeError, UserWarning):
            return False
    if isinstance(good, bool):
        return isinstance(value, (bool, np.bool_))
    if type(good) in (int, tuple):  # an axis, axes, a window
        whole = value if isinstance(value, tuple) else (value,)
        return all(one is None or (hasattr(one, "__index__") and not isinstance(one, bool)) for one in whole)
    if isinstance(good, float):
        return isinstance(value, Real) and not isinstance(value, bool)
    return isinstance(value, str) and isinstance(good, str)


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_refuses_something(name):
    labels = [label for label in ROWS if label.split(",")[0] == name]
    refusals = [mistake for label in labels for mistake in (*mistakes(label), *ROWS[label].bad)]
    assert refusals, f"the rows of {name} make no mistake that it could refuse"


def required(name):
    """Count the arguments that may be given by position, and name those that must be given."""
    parameters = inspect.signature(getattr(attention, name)).parameters.values()
    n_positional = sum(p.kind == p.POSITIONAL_OR_KEYWORD for p in parameters)
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    needed = {p.name: None for p in parameters if p.default is p.empty and p.kind in kinds}
    return n_positional, needed


@pytest.mark.parametrize("name", NAMES)
def test_options_are_given_by_name(name):
    if name == "merge_partials":
        return  # takes any number of parts
    with pytest.raises(TypeError, match="positional"):
        getattr(attention, name)(*[None] * (required(name)[0] + 1))


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_option_is_refused_under_the_name_of_the_function_that_was_called(name):
    with pytest.raises(TypeError, match=says(name, "'no_such_option'")):
        getattr(attention, name)(**required(name)[1], no_such_option=1)


WITH_A_MASK = [name for name in NAMES if any("bias" in row.good and "mask" in row.good for row in rows_of(name))]


@pytest.mark.parametrize("name", WITH_A_MASK)
def test_attn_mask_is_refused_with_what_to_give_instead(name):
    assert len(WITH_A_MASK) == 10
    for given in (None, np.ones((1, 1), bool)):
        with pytest.raises(TypeError, match=says(f"{name} takes no attn_mask", "mask=", "bias=")):
            getattr(attention, name)(**required(name)[1], attn_mask=given)


def test_heads_that_do_not_fit_in_any_way_get_no_hint():
    for query, key in (((5, 3, 4), (2, 3, 4)), ((4, 3, 4), (0, 3, 4)), ((2, 4, 3, 4), (3, 2, 3, 4))):
        with pytest.raises(ValueError, match="leading axes") as raised:
            attention.attention_scores(np.zeros(query), np.zeros(key))
        assert "enable_gqa" not in str(raised.value)


@pytest.mark.parametrize("name", ["multi_head_attention", "transformer_block"])
@pytest.mark.parametrize("enable_gqa", [False, True])
def test_where_the_weights_say_which_heads_are_shared_enable_gqa_is_refused(name, enable_gqa):
    with pytest.raises(TypeError, match=says(f"{name} takes no enable_gqa", "weights")):
        getattr(attention, name)(None, None, enable_gqa=enable_gqa)
