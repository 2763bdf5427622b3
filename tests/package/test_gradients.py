"""Gradients against central differences and loops, whatever the options; and what must get none."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from attention import attention_vjp, scaled_dot_product_attention, softmax, softmax_vjp, tiled_attention_vjp
from tests.package.cases import all_of, random_case
from tests.package.oracles import row_softmax

# --- against central differences ---------------------------------------------------------------------------------


def slope_along(function, at, direction, step=1e-4):
    """Differentiate along a direction by differences at two distances, which leave an error of step^4 alone."""
    near, far = (function(at + h * direction) - function(at - h * direction) for h in (step, 2 * step))
    return (8 * near - far) / (12 * step)


def agrees_with_differences(rng, arrays, options):
    """Compare the gradient of every argument with differences along directions that move all of its numbers.

    Each number of the gradient takes part, weighted at random: none can be wrong unless others make up for it.
    """
    given = dict(zip(("query", "key", "value"), arrays, strict=True)) | options
    grad_output = rng.standard_normal(scaled_dot_product_attention(**given).shape)
    gradients = all_of(attention_vjp, *arrays, grad_output, **options)
    for name, gradient in gradients._asdict().items():
        if options.get(name, 0) is None or name not in given:
            assert gradient is None
            continue
        at = np.asarray(given[name], float)
        assert gradient.shape == at.shape
        for _ in range(2):
            direction = np.asarray(rng.standard_normal(at.shape))
            moved = slope_along(lambda x: scaled_dot_product_attention(**given | {name: x}), at, direction)  # noqa: B023
            expected, found = np.sum(grad_output * moved), np.sum(gradient * direction)
            size = np.sum(np.abs(gradient * direction)) + 1e-3
            assert abs(found - expected) <= 1e-6 * size, f"{name}: {found} instead of {expected}; {options}"


@pytest.mark.parametrize("seed", range(20))
def test_gradients_agree_with_central_differences_whatever_the_options(seed):
    rng = np.random.default_rng(200 + seed)
    for _ in range(12):
        arrays, options, _ = random_case(rng, 7)
        agrees_with_differences(rng, [array.astype(float) for array in arrays], options)


def test_a_softmax_is_differentiated_number_by_number(rng):
    scores, grad_weights = rng.standard_normal((2, 3, 5)) * 2
    gradient = softmax_vjp(softmax(scores), grad_weights)
    for i, j in np.ndindex(scores.shape):
        unit = np.eye(5)[j]
        moved = slope_along(lambda row: np.array(row_softmax(row)), scores[i], unit)
        np.testing.assert_allclose(gradient[i, j], grad_weights[i] @ moved, rtol=0, atol=1e-10)


# --- what must not matter, and what must -------------------------------------------------------------------------

POISONS = [np.nan, np.inf, -np.inf, 1e200]
OPTIONS: list[dict[str, Any]] = [{}, {"softcap": 3.0}, {"sink": 1.0}, {"softcap": 3.0, "sink": 1.0, "bias": 0.5}]


@pytest.mark.parametrize("poison", POISONS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("blocks", [None, {"query_block": 4, "key_block": 2}, {"query_block": 1}], ids=str)
def test_a_key_that_nobody_attends_to_gets_none_and_changes_none(rng, poison, options, blocks):
    function = attention_vjp if blocks is None else partial(tiled_attention_vjp, **blocks)
    query, key, value, grad_output = rng.standard_normal((4, 2, 6, 4))
    mask = np.arange(6) != 3
    before = all_of(function, query, key, value, grad_output, mask=mask, **options)
    for broken in (key, value):
        broken[:, 3, 1] = poison
        after = all_of(function, query, key, value, grad_output, mask=mask, **options)
        np.testing.assert_array_equal(after.key[:, 3], 0)
        np.testing.assert_array_equal(after.value[:, 3], 0)
        for one, other in zip(before, after, strict=True):
            np.testing.assert_array_equal(one, other)
