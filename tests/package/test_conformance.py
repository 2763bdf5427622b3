"""What every public name keeps to: dtypes, warnings, its arguments and their memory, and clear refusals.

The arguments are made from the docstrings (documented.py), so that a new function is tested here as it stands.
"""

import inspect
import re
from itertools import product

import ml_dtypes
import numpy as np
import pytest

import attention
from tests.package.documented import CASES, alternatives, arrays, call, parameters, returned, sizes_of
from tests.package.oracles import REFUSALS, says

H, S, D = np.float16, np.float32, np.float64
NAMES = sorted(set(attention.__all__) - {"AttentionOptions", "SharedOptions"})

# What a docstring says in words: arrays that follow the dtype of the others, objects and views that keep what they are
# given, functions whose logsumexp stays in single precision, and such that leave integers alone.
FOLLOWING = {"bias", "sink", "cos", "sin", "positions", "inv_freq", "grad_output", "b_in", "b_out", "scores"}
FOLLOWING |= {f"norm{i}_{name}" for i in (1, 2) for name in ("weight", "bias")}
OBJECTS = ("BlockWeights", "MultiHeadWeights", "KVCache.append")
PARTS = ("partial_attention", "merge_partials", "tiled_attention", "varlen_attention", "paged_attention")  # logsumexp
KEEPING = ("split_heads", "merge_heads", "repeat_kv")
VIEWS = (*OBJECTS, "split_heads", "merge_heads")


def options(case):
    """Give options that are not arrays a value that is not their default."""
    kinds = {"bool": True, "float": 0.7, "int or (left, right)": (3, 1), "dtype": np.dtype(D)}
    for item in parameters(case):
        kind = item.kind.removesuffix(", optional")
        if kind in kinds and item.is_optional and item.name != "base":  # which inv_freq would replace
            yield item.name, kinds[kind]


def good(name, form=0):
    """Return good arguments: all arrays and options, or in the second form none that is optional."""
    case = CASES[name]
    forms = list(alternatives(case))
    made = arrays(case, forms[min(form, len(forms) - 1)], sizes_of(case))
    return made if form else made | dict(options(case))


def result_of(name, given):
    case = CASES[name]
    sizes = sizes_of(case)
    if name == "attention_flops":  # a causal square
        sizes["n_keys"] = sizes["n_queries"]
    return returned(call(case, given, sizes))


def arrays_of(given, kinds="biuf"):
    return {name: array for name, array in given.items() if isinstance(array, np.ndarray) and array.dtype.kind in kinds}


def deciding(name):
    """Return the arrays that decide the dtype of a result."""
    return {
        argument: array
        for argument, array in arrays_of(good(name), "f").items()
        if argument not in FOLLOWING | ({"weight"} if name.endswith("_norm") else set()) or name == "KVCache.append"
    }


def dtypes(found):
    return {np.asarray(array).dtype for array in found} - {np.dtype(bool)}


def same(found, expected, **tolerance):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, **{"rtol": 0, "atol": 0} | tolerance)


EVERY = pytest.mark.parametrize("name", CASES)
WITH_ARRAYS = pytest.mark.parametrize("name", [name for name in CASES if arrays_of(good(name))])
DECIDED = pytest.mark.parametrize("name", [name for name in CASES if deciding(name)])
COMPUTING = pytest.mark.parametrize(
    "name", [name for name in CASES if deciding(name) and name not in (*OBJECTS, "merge_partials")]
)


# --- dtypes ------------------------------------------------------------------------------------------------------


@DECIDED
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64])
def test_integers_and_bools_count_as_double(name, dtype):
    whole = {argument: np.rint(60 * array).astype(dtype) for argument, array in deciding(name).items()}
    found = result_of(name, good(name) | whole)
    assert dtypes(found) <= {np.dtype(dtype if name in KEEPING else D)}
    same(found, result_of(name, good(name) | {argument: array.astype(D) for argument, array in whole.items()}))


@DECIDED
def test_half_precision_is_computed_in_single_and_rounded_once(name):
    halves = {argument: array.astype(H) for argument, array in deciding(name).items()}
    found = result_of(name, good(name) | halves)
    assert dtypes(found) == {np.dtype(H)} or name in (*OBJECTS, *PARTS)
    singles = result_of(name, good(name) | {argument: array.astype(S) for argument, array in halves.items()})
    same(found, [np.asarray(single).astype(half.dtype) for single, half in zip(singles, found, strict=True)])


class Tensor:
    """Refuses to become an array as a tensor of PyTorch 2.14 in bfloat16 or fp8 does."""

    def __init__(self, array, requires_grad=False):
        self.array, self.shape, self.dtype = array, array.shape, f"torch.{array.dtype}"
        self.requires_grad, self.ndim = requires_grad, array.ndim

    def __getitem__(self, at):
        return Tensor(self.array[at])

    def float(self):
        return self.array.astype(S)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Got unsupported ScalarType BFloat16")


@WITH_ARRAYS
@pytest.mark.parametrize("kind", [np.asarray, Tensor], ids=["ml_dtypes and JAX", "PyTorch"])
@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
def test_formats_that_numpy_lacks_are_read_as_single_precision(name, kind, dtype):
    given = {argument: array.astype(dtype) for argument, array in arrays_of(good(name), "f").items()}
    found = result_of(name, good(name) | {argument: kind(array) for argument, array in given.items()})
    same(found, result_of(name, good(name) | {argument: array.astype(S) for argument, array in given.items()}))
    assert dtypes(found) <= {np.dtype(S)} or not deciding(name)


@DECIDED
@pytest.mark.parametrize("dtype", [S, D])
def test_floats_keep_their_dtype_and_their_digits(name, dtype):
    found = result_of(name, good(name) | {argument: array.astype(dtype) for argument, array in deciding(name).items()})
    assert dtypes(found) == {np.dtype(dtype)} or name in OBJECTS
    for array, exact in zip(found, result_of(name, good(name)), strict=True):
        size = max(1, np.abs(exact).max(initial=0))
        np.testing.assert_allclose(array, exact, rtol=0, atol=64 * np.finfo(dtype).eps * size)


@COMPUTING
def test_arrays_promote_among_themselves_and_the_others_follow(name):
    given = good(name) | {argument: array.astype(S) for argument, array in arrays_of(good(name), "f").items()}
    for argument, array in arrays_of(good(name), "f").items():
        found = dtypes(result_of(name, given | {argument: array}))
        assert found == {np.dtype(D if argument in deciding(name) else S)}, argument


@pytest.mark.parametrize("name", [name for name in CASES if "dtype" in good(name)])
@pytest.mark.parametrize("dtype", [H, S, D])
def test_a_dtype_that_is_asked_for_rounds_the_double_result(name, dtype):
    with np.errstate(all="raise"):
        found = result_of(name, good(name) | {"dtype": dtype})
    assert dtypes(found) == {np.dtype(dtype)}
    with np.errstate(all="ignore"):
        same(found, [exact.astype(dtype) for exact in result_of(name, good(name))])


# --- warnings ----------------------------------------------------------------------------------------------------


@DECIDED
@pytest.mark.parametrize("dtype", [H, S, D])
def test_no_floating_point_warnings(name, dtype):
    floats = {argument: array.astype(dtype) for argument, array in arrays_of(good(name), "f").items()}
    limits = np.finfo(dtype)
    fills = [limits.max, limits.smallest_subnormal, dtype(np.inf), dtype(np.nan), dtype(0)]
    signs = [1] if name == "entropy" else [1, 0]  # 0: in turn
    with np.errstate(all="raise"):
        for fill, sign in product(fills, signs):
            filled = {}
            for argument, array in floats.items():
                if argument == "inv_freq":  # finite
                    continue
                in_turn = np.where(np.arange(array.size) % 2, 1, -1).reshape(array.shape)
                filled[argument] = (np.full_like(array, fill) * (sign or in_turn)).astype(dtype)
            result_of(name, good(name) | filled)
            for argument, array in filled.items() if sign else ():
                result_of(name, good(name) | floats | {argument: array})
        for argument, double in product(FOLLOWING & floats.keys() - {"inv_freq", "positions"}, (1e300, 1e-300)):
            result_of(name, good(name) | floats | {argument: np.full(floats[argument].shape, double)})


# --- memory ------------------------------------------------------------------------------------------------------


@WITH_ARRAYS
@pytest.mark.parametrize("dtype", [H, S, D])
def test_arguments_are_not_modified_may_be_read_only_and_are_not_returned(name, dtype):
    given = good(name)
    given |= {argument: array.astype(dtype) for argument, array in arrays_of(given, "f").items()}
    copies = {argument: array.copy() for argument, array in arrays_of(given).items()}
    for array in arrays_of(given).values():
        array.flags.writeable = False
    found = result_of(name, given)
    for argument, array in arrays_of(given).items():
        np.testing.assert_array_equal(array, copies[argument], err_msg=argument)
        if name not in VIEWS:
            assert not any(np.shares_memory(result, array) for result in found), argument
    if name not in VIEWS:
        assert all(result.flags.writeable for result in found if isinstance(result, np.ndarray))


@WITH_ARRAYS
def test_lists_and_a_bool_of_numpy_will_do(name):
    lists = {argument: array.tolist() for argument, array in arrays_of(good(name)).items()}
    bools = {argument: np.bool_(value) for argument, value in good(name).items() if isinstance(value, bool)}
    same(result_of(name, good(name) | lists | bools), result_of(name, good(name)))


@WITH_ARRAYS
def test_strided_and_reversed_arrays_mean_the_same_as_copies(name):
    def strided(array):
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::-2] = array
        return wide[..., ::-2]

    changes = {argument: strided(array) for argument, array in arrays_of(good(name)).items()}
    same(result_of(name, good(name) | changes), result_of(name, good(name)), rtol=1e-12, atol=1e-14)


# --- refusals ----------------------------------------------------------------------------------------------------


def wrong_kinds(name):
    """Yield an argument, a wrong value for it, and what is raised, from the kinds of the good values."""
    given = good(name) | {item.name: 1 for item in parameters(CASES[name]) if item.kind.startswith("int")}
    for argument, value in (given | arrays_of(good(name))).items():
        if isinstance(value, np.ndarray):
            wrong = {"f": "", "b": "boolean", "i": "integer"}[value.dtype.kind]
            yield from ((argument, value.astype(kind), TypeError, wrong) for kind in (complex, object, str))
            yield argument, np.ma.array(value), TypeError, "masked"
            yield argument, [[1, 2], [3]], ValueError, "rectangular"
            if value.dtype.kind != "f":
                yield argument, value.astype(float), TypeError, wrong
        elif isinstance(value, bool):
            yield from ((argument, wrong, TypeError, "True or False") for wrong in (1, "yes", None))
        elif isinstance(value, int) and argument not in ("axis", "lengths"):
            yield from ((argument, wrong, TypeError, "integer") for wrong in (2.5, "2", True))
        elif isinstance(value, float):
            yield from ((argument, wrong, TypeError, "a real number") for wrong in ("1", True, 1j))
            yield from ((argument, wrong, ValueError, "finite") for wrong in (np.nan, np.inf))
        elif isinstance(value, np.dtype):
            yield from ((argument, wrong, TypeError, "floating-point") for wrong in (int, bool, complex))


@EVERY
def test_a_wrong_kind_of_argument_is_named(name):
    for argument, wrong, exception, piece in wrong_kinds(name):
        try:
            result_of(name, good(name) | {argument: wrong})
            said = "nothing"
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            if isinstance(error, exception) and re.search(says(f"{argument} must", piece), str(error)):
                continue
        wanted = f"{exception.__name__}: {argument} must ... {piece}"
        pytest.fail(
            f"{name}({argument}={wrong!r}) says {said!r}, not {wanted!r}; see attention/_inputs.py", pytrace=False
        )


def ones(*shape):
    return np.ones(shape)


GIVEN = vars(attention) | globals()
for name, expression in REFUSALS["names"].items():
    GIVEN[name] = eval(expression, GIVEN)
MISTAKES = {told: f"scaled_dot_product_attention(**{given})" for told, given in REFUSALS["attention"].items()}
MISTAKES |= REFUSALS["calls"]


@pytest.mark.parametrize(("message", "call"), MISTAKES.items(), ids=MISTAKES)
def test_what_does_not_fit_is_named_with_the_shapes(message, call):
    run = compile(call, "refusals.toml", "eval")
    with pytest.raises((ValueError, TypeError), match=says(*message.split(" | "))):
        eval(run, GIVEN)


def by_position(name):
    """Count the arguments that may be given by position, and name those that must be given."""
    parameters = inspect.signature(getattr(attention, name)).parameters.values()
    n_positional = sum(p.kind == p.POSITIONAL_OR_KEYWORD for p in parameters)
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return n_positional, {p.name: None for p in parameters if p.default is p.empty and p.kind in kinds}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "merge_partials"])  # which takes any number
def test_options_are_given_by_name(name):
    with pytest.raises(TypeError, match="positional"):
        getattr(attention, name)(*[None] * (by_position(name)[0] + 1))


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_option_is_refused_under_the_name_that_was_called_with_those_there_are_or_what_to_give(name):
    function, given = getattr(attention, name), by_position(name)[1]
    with pytest.raises(TypeError, match=says(name, "no_such_option")) as raised:
        function(**given, no_such_option=1)
    if "options" in inspect.signature(function).parameters:  # which are passed on
        assert re.search(says("its options are", "mask, bias, is_causal"), str(raised.value))
        assert all(option in str(raised.value) for option in function.__kwdefaults__ or {})
        for mask in (None, ones(1, 1) > 0):
            with pytest.raises(TypeError, match=says(f"{name} takes no attn_mask", "mask=", "bias=")):
                function(**given, attn_mask=mask)
