"""What every public name keeps to: dtypes, warnings, its arguments and their memory, and clear refusals.

The arguments are made from the docstrings (documented.py), so that a new function is tested here as it stands.
"""

import inspect
import re
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import attention
from attention import MultiHeadWeights
from tests.package.documented import CASES, alternatives, arrays, call, parameters, returned, sizes_of
from tests.package.oracles import says

H, S, D = np.float16, np.float32, np.float64
NAMES = sorted(set(attention.__all__) - {"AttentionOptions", "SharedOptions"})

# What a docstring says in words: arrays that follow the dtype of the others, objects and views that keep what they are
# given, and functions that leave integers alone.
FOLLOWING = {"bias", "sink", "cos", "sin", "positions", "inv_freq", "grad_output", "b_in", "b_out"}
FOLLOWING |= {f"norm{i}_{name}" for i in (1, 2) for name in ("weight", "bias")}
OBJECTS = ("BlockWeights", "MultiHeadWeights", "KVCache.append")
PARTS = ("partial_attention", "merge_partials")  # whose logsumexp stays in single precision
KEEPING = ("split_heads", "merge_heads", "repeat_kv")
VIEWS = (*OBJECTS, "split_heads", "merge_heads")


def options(case):
    """Give options that are not arrays a value that is not their default."""
    kinds = {"bool": True, "float": 0.7, "(left, right)": (3, 1), "dtype": np.dtype(D)}
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
def test_lists_will_do(name):
    lists = {argument: array.tolist() for argument, array in arrays_of(good(name)).items()}
    same(result_of(name, good(name) | lists), result_of(name, good(name)))


@WITH_ARRAYS
def test_strided_and_reversed_arrays_mean_the_same_as_copies(name):
    def strided(array):
        wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        wide[..., ::-2] = array
        return wide[..., ::-2]

    changes = {argument: strided(array) for argument, array in arrays_of(good(name)).items()}
    same(result_of(name, good(name) | changes), result_of(name, good(name)), rtol=1e-12, atol=1e-14)


WEIGHTS = MultiHeadWeights(*[np.eye(4)] * 4, n_heads=2)

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


THREE = {"query": ones(3, 4), "key": ones(5, 4), "value": ones(5, 2)}
HEADS = {"query": ones(6, 3, 4), "key": ones(6, 5, 4), "value": ones(6, 5, 2)}
GROUPS = HEADS | {"key": ones(2, 5, 4), "value": ones(2, 5, 2), "enable_gqa": True}
BATCH = {name: np.stack([array] * 2) for name, array in HEADS.items()}
ATTEND = [
    ("query and key must share d_k (last axis): query (3, 4), key (5, 6)", THREE | {"key": ones(5, 6)}),
    ("key (5, 4) | value (6, 2) | n_k", THREE | {"value": ones(6, 2)}),
    ("query (4,) | axes (..., n, d)", THREE | {"query": ones(4)}),
    ("leading axes | query (2, 3, 4) | key (6, 5, 4)", HEADS | {"query": ones(2, 3, 4)}),
    ("leading axes | (6, 3, 4) | (2, 5, 4) | enable_gqa=True", GROUPS | {"enable_gqa": False}),
    ("multiple | query (5, 3, 4) | key (2, 5, 4)", GROUPS | {"query": ones(5, 3, 4)}),
    ("multiple | (2, 5, 4) | (3, 5, 2)", GROUPS | {"value": ones(3, 5, 2)}),
    ("multiple | query (0, 3, 4) | key (2, 5, 4)", GROUPS | {"query": ones(0, 3, 4)}),
    ("multiple | (0, 5, 4)", GROUPS | {"key": ones(0, 5, 4), "value": ones(0, 5, 2)}),
    ("heads | query (3, 4)", THREE | {"enable_gqa": True}),
    ("softcap must be finite and positive | 0", THREE | {"softcap": 0.0}),
    ("d_k is 0 | scale | query (3, 0)", THREE | {"query": ones(3, 0), "key": ones(5, 0)}),
    ("mask must hold booleans | bias= | float64", THREE | {"mask": ones(3, 5)}),
    ("bias must | mask= | bool", THREE | {"bias": ones(3, 5) > 0}),
    ("mask (3, 6) | scores (3, 5)", THREE | {"mask": ones(3, 6) > 0}),
    ("bias (1, 3, 5) | scores (3, 5) | no axis -3", THREE | {"bias": ones(1, 3, 5)}),
    ("mask must hold booleans | bias= | mask.astype(bool)", THREE | {"mask": np.eye(3, 5, dtype=int)}),
    ("mask (2, 5) | scores (2, 6, 3, 5) | mask[:, None, None, :]", BATCH | {"mask": ones(2, 5) > 0}),
    ("bias (6, 5) | scores (6, 3, 5) | bias[:, None, :]", HEADS | {"bias": ones(6, 5)}),
    ("mask (6, 1, 1, 5) | mask[:, 0]", HEADS | {"mask": ones(6, 1, 1, 5) > 0}),
    ("sink | (7,) | scores (6, 3, 5)", HEADS | {"sink": ones(7)}),
    ("sink | (3,) | heads", THREE | {"sink": ones(3)}),
    ("is_causal | offset=0 | offset=2 | n_k - n_q | n_q 3 | n_k 5", THREE | {"is_causal": True}),
    ("window | offset=0 | offset=2 | n_q 3 | n_k 5", THREE | {"window": (1, 0)}),
    ("offset needs is_causal=True or a window | offset 2", THREE | {"offset": 2}),
    ("offset needs | (6,)", HEADS | {"is_causal": False, "offset": np.zeros(6, int)}),
    ("window must be a pair | [1]", THREE | {"window": [1], "offset": 0}),
    ("window[1] must be at least 0 | -1", THREE | {"window": (0, -1), "offset": 0}),
    ("window[0] must be an integer", THREE | {"window": (1.0, 0), "offset": 0}),
    ("offset must hold integers", THREE | {"is_causal": True, "offset": 1.0}),
    ("offset (2,) | scores (3, 5)", THREE | {"is_causal": True, "offset": [1, 2]}),
    ("offset (3,) | scores (6, 3, 5)", HEADS | {"is_causal": True, "offset": [1, 2, 3]}),
]
A, AT = [1.0, 2.0], attention
DRAWN, RNG = MultiHeadWeights.random, np.random.default_rng(0)
OTHER_WIDTH = {"w_q": ones(2, 3), "w_k": ones(2, 4), "w_v": ones(2, 3)}
LAST, FAR, TURN = {"n_queries": 1, "n_keys": 5}, {"distance": [1]}, {"cos": [1], "sin": [0], "layout": "half"}
BLOCK = {"attention": WEIGHTS, "w_in": ones(4, 6), "w_out": ones(6, 4)}
OTHERS: list[tuple[str, Any, dict[str, Any]]] = [
    ("takes no dropout_p | leave it out", AT.tiled_attention, THREE | {"dropout_p": 0.0}),
    ("takes no key_padding_mask | mask=~", AT.tiled_attention, THREE | {"key_padding_mask": ones(3)}),
    ("takes no need_weights | return_weights=True", AT.tiled_attention, THREE | {"need_weights": True}),
    ("axis 2 | x (2,)", AT.softmax, {"x": A, "axis": 2}),
    ("axis 0 | x ()", AT.logsumexp, {"x": 1.0, "axis": 0}),
    ("axis | twice", AT.log_softmax, {"x": [A], "axis": (1, -1)}),
    ("weights must not be negative | -0.5", AT.entropy, {"weights": [0.5, -0.5]}),
    ("rectangle | offset=0 | offset=4 | n_k - n_q | n_q 1 | n_k 5", AT.causal_mask, LAST),
    ("offset=-2 | n_q 5 | n_k 3", AT.sliding_window_mask, {"n_queries": 5, "n_keys": 3, "left": 1}),
    ("offset=4 | n_q 1 | n_k 5", AT.alibi_bias, LAST | {"n_heads": 2}),
    ("a rectangle | offset=4 | n_q 1 | n_k 5", AT.relative_position_bias, LAST | {"table": [[1, 2, 3]]}),
    ("offset must have at most 1 axis | (1, 2)", AT.causal_mask, {"n_queries": 3, "offset": [[1, 2]]}),
    ("offset must | 2**60", AT.causal_mask, {"n_queries": 3, "offset": 2**62}),
    ("n_queries must be at least 0 | -1", AT.causal_mask, {"n_queries": -1}),
    ("left must be at least 0 | -1", AT.sliding_window_mask, {"n_queries": 3, "left": -1}),
    ("lengths must be from 0 to n_keys = 3 | [1, 4]", AT.padding_mask, {"lengths": [1, 4], "n_keys": 3}),
    ("side | right | left | 'both'", AT.padding_mask, {"lengths": [1, 3], "n_keys": 3, "side": "both"}),
    ("segments must have | (2, 3) | (4,)", AT.segment_mask, {"query_segments": [[0] * 3] * 2, "key_segments": [0] * 4}),
    ("d_model | even | 5", AT.sinusoidal_encoding, {"n_positions": 3, "d_model": 5}),
    ("base | positive | 0", AT.sinusoidal_encoding, {"n_positions": 3, "d_model": 4, "base": 0.0}),
    ("rotary_dim | even | 5", AT.rotary_tables, {"positions": A, "rotary_dim": 5}),
    ("rotary_dim must be at least 2 | 0", AT.rotary_permutation, {"rotary_dim": 0}),
    ("inv_freq (3,) | rotary_dim 4", AT.rotary_tables, {"positions": A, "rotary_dim": 4, "inv_freq": [1, 2, 3]}),
    ("inv_freq | finite | 0 or more", AT.rotary_tables, {"positions": A, "rotary_dim": 4, "inv_freq": [1, -1]}),
    ("inv_freq | base 500.0", AT.rotary_tables, {"positions": A, "rotary_dim": 4, "inv_freq": A, "base": 500.0}),
    ("layout | interleaved | half | neox", AT.apply_rotary, TURN | {"x": A, "layout": "neox"}),
    ("cos (2,) | sin (1,)", AT.apply_rotary, TURN | {"x": A, "cos": [1, 1]}),
    ("more features | x (2,) | (2,)", AT.apply_rotary, {"x": A, "cos": [1, 1], "sin": [0, 0], "layout": "half"}),
    ("x (1, 2) | cos (2, 1)", AT.apply_rotary, {"x": [A], "cos": [[1]] * 2, "sin": [[0]] * 2, "layout": "half"}),
    ("x (3, 2) | cos (1,) | rotary_tables(np.arange(3), ...)", AT.apply_rotary, TURN | {"x": ones(3, 2)}),
    ("w_q and w_k | d_k | w_q (2, 3) | w_k (2, 4)", AT.self_attention, OTHER_WIDTH | {"x": [A]}),
    ("must share d_k | w_q (2, 3) | w_k (2, 4)", AT.cross_attention, OTHER_WIDTH | {"x": [A], "memory": [A]}),
    ("n_heads must be at least 1 | 0", AT.alibi_slopes, {"n_heads": 0}),
    ("table | (1, 2)", AT.relative_position_bias, {"table": [A], "n_queries": 3}),
    ("n_buckets | even | 33", AT.relative_position_bucket, FAR | {"n_buckets": 33}),
    ("max_distance must be at least 3 | 2", AT.relative_position_bucket, FAR | {"n_buckets": 8, "max_distance": 2}),
    ("d_hidden | w_in (2, 3) | w_out (2, 2)", AT.feed_forward, {"x": [A], "w_in": ones(2, 3), "w_out": [A, A]}),
    ("weight (2,) | (d_in, d_out)", AT.project, {"x": [A], "weight": A}),
    ("bias | (1,) | (2, 2)", AT.project, {"x": [A], "weight": [A, A], "bias": [1]}),
    ("is_causal | 3 | 5", AT.attention_flops, {"n_queries": 3, "n_keys": 5, "d_k": 2, "d_v": 2, "is_causal": True}),
    ("format must be | float8_e4m3fn | 'float8'", AT.round_to_format, {"x": A, "format": "float8"}),
    ("n_heads 4 | x (5, 6)", AT.split_heads, {"x": ones(5, 6), "n_heads": 4}),
    ("x (5, 6) | (..., h, n, d)", AT.merge_heads, {"x": ones(5, 6)}),
    ("n_groups must be at least 1 | 0", AT.repeat_kv, {"x": ones(3, 5, 2), "n_groups": 0}),
    ("d_model 7 | n_heads 2", DRAWN, {"d_model": 7, "n_heads": 2, "rng": RNG}),
    ("n_heads 4 | n_kv_heads 3", DRAWN, {"d_model": 8, "n_heads": 4, "n_kv_heads": 3, "rng": RNG}),
    ("n_heads must be at least 1", DRAWN, {"d_model": 8, "n_heads": 0, "rng": RNG}),
    ("d_model must be at least 1 | 0", DRAWN, {"d_model": 0, "n_heads": 1, "rng": RNG}),
    ("n_kv_heads must be at least 1 | 0", DRAWN, {"d_model": 8, "n_heads": 2, "n_kv_heads": 0, "rng": RNG}),
    ("d_model must be an integer | 8.0", DRAWN, {"d_model": 8.0, "n_heads": 2, "rng": RNG}),
    ("dtype | floating-point | int64", DRAWN, {"d_model": 8, "n_heads": 2, "rng": RNG, "dtype": int}),
    ("rng | Generator | int", DRAWN, {"d_model": 8, "n_heads": 2, "rng": 0}),
    ("rng must | Generator", DRAWN, {"d_model": 8, "n_heads": 2, "rng": np.random}),
    ("rng", DRAWN, {"d_model": 8, "n_heads": 2}),
    ("attention must be MultiHeadWeights | list", AT.BlockWeights, dict.fromkeys(("attention", "w_in", "w_out"), A)),
    ("(d_hidden, d_model) = (6, 4) | (5, 4)", AT.BlockWeights, BLOCK | {"w_out": ones(5, 4)}),
    ("norm1_bias | 'rms' | (4,)", AT.BlockWeights, BLOCK | {"norm": "rms", "norm1_bias": ones(4)}),
    ("weights must be BlockWeights | dict", AT.transformer_block, {"x": [A], "weights": {"w_in": A}}),
    ("transformer_block takes no memory | rotary", AT.transformer_block, {"x": [A], "weights": None, "memory": [A]}),
]
MISTAKES = [(says_, AT.scaled_dot_product_attention, given) for says_, given in ATTEND] + OTHERS


@pytest.mark.parametrize(("message", "function", "given"), MISTAKES, ids=[message for message, *_ in MISTAKES])
def test_what_does_not_fit_is_named_with_the_shapes(message, function, given):
    with pytest.raises((ValueError, TypeError), match=says(*message.split(" | "))):
        function(**given)


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


def passes_options_on(name):
    return "options" in inspect.signature(getattr(attention, name)).parameters


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


@pytest.mark.parametrize(
    "given", [{"query": ml_dtypes.bfloat16}, {"bias": ml_dtypes.bfloat16}, {"mask": ml_dtypes.int4}]
)
def test_only_a_type_that_numpy_lacks_is_to_be_cast(given):
    (name, dtype), *_ = given.items()
    with pytest.raises(TypeError, match=says(f"{name} must hold", "not a type of NumPy: cast to float32")):
        attention.scaled_dot_product_attention(**THREE | {name: ones(3, 4).astype(dtype)})
    with pytest.raises(TypeError, match=f"{name} must hold") as raised:
        attention.scaled_dot_product_attention(**THREE | {name: "text"})
    assert "cast" not in str(raised.value)


@pytest.mark.parametrize("name", ["multi_head_attention", "transformer_block"])
def test_where_the_weights_say_which_heads_are_shared_enable_gqa_is_refused(name):
    with pytest.raises(TypeError, match=f"{name} takes no enable_gqa"):
        getattr(attention, name)(ones(3, 4), WEIGHTS, enable_gqa=True)
