"""Parts of an attention and their merge: against the whole, and as an algebra."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import attention as at
from tests.package.oracles import properties

EPS = np.finfo(float).eps

# --- parts and their merge ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "expected"), [(np.float16, np.float32), (np.float32, np.float32), (int, np.float64)])
def test_the_logsumexp_is_an_exponent_and_keeps_more_digits_than_half_precision(rng, dtype, expected):
    part = at.partial_attention(*(rng.standard_normal((3, 6, 4)) * 3).astype(dtype))
    assert part.logsumexp.dtype == expected


numbers = st.floats(-50, 50, allow_subnormal=False)


@st.composite
def parts_of_one_attention(draw, n):
    """Draw parts of three queries; a logsumexp of -inf comes with an output of zero."""
    parts = []
    for _ in range(n):
        output = draw(hnp.arrays(float, (3, 2), elements=numbers))
        share = draw(hnp.arrays(float, 3, elements=st.one_of(numbers, st.just(-np.inf))))
        output[share == -np.inf] = 0
        parts.append(at.PartialAttention(output, share))
    return parts


@properties
@given(parts_of_one_attention(2))
def test_the_order_of_two_parts_and_a_part_without_keys_change_nothing_to_the_last_bit(parts):
    a, b = parts
    nothing = at.partial_attention(np.ones((3, 4)), np.ones((0, 4)), np.ones((0, 2)))
    same = [((b, a), (a, b)), ((a, nothing), (a,)), ((nothing, a), (a,))]
    np.testing.assert_array_equal(at.merge_partials(a).output, a.output)
    for one, other in ([at.merge_partials(*some) for some in both] for both in same):
        np.testing.assert_array_equal(one.output, other.output)
        np.testing.assert_array_equal(one.logsumexp, other.logsumexp)


@properties
@given(parts_of_one_attention(4))
def test_a_merge_is_an_average_weighted_by_the_exponentials(parts):
    weights = np.exp([part.logsumexp for part in parts])
    merged = at.merge_partials(*parts)
    for i in range(3):
        if weights[:, i].sum() == 0:
            np.testing.assert_array_equal(merged.output[i], 0)
            assert merged.logsumexp[i] == -np.inf
        else:
            expected = np.average([part.output[i] for part in parts], axis=0, weights=weights[:, i])
            np.testing.assert_allclose(merged.output[i], expected, rtol=0, atol=1e-12)
            assert merged.logsumexp[i] == pytest.approx(np.log(weights[:, i].sum()), abs=1e-12)


@pytest.mark.parametrize("base", [None, 2, 10])
def test_parts_may_come_as_pairs_in_half_precision_and_with_logarithms_of_any_base(rng, base):
    query, key, value = rng.standard_normal((3, 6, 4)).astype(np.float16)
    unit = np.log(np.float32(base or np.e))
    parts = [at.partial_attention(query, key[half], value[half]) for half in (slice(0, 2), slice(2, 6))]
    merged = at.merge_partials(*((part.output, part.logsumexp / unit) for part in parts), base=base)
    assert merged.output.dtype == np.float16
    assert merged.logsumexp.dtype == np.float32
    np.testing.assert_allclose(merged.output, at.scaled_dot_product_attention(query, key, value), atol=4e-3)
    np.testing.assert_allclose(merged.logsumexp * unit, at.partial_attention(query, key, value).logsumexp, rtol=1e-6)


def test_nothing_at_all_cannot_be_merged():
    with pytest.raises(TypeError, match="first"):
        at.merge_partials()
