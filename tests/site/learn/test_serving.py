"""What does a server compute in one step? The page's own functions on random sizes, against loops."""

from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from attention import apply_rotary, rotary_tables, scaled_dot_product_attention, segment_mask
from examples.recording import speculative
from tests.package.oracles import loop_attention
from tests.package.parity.sources import cases
from tests.site.learn.page_functions import names

PAGE = names("serving")
places, speculated, tree_mask = (PAGE[name] for name in ("places", "speculated", "tree_mask"))
SEEDS = range(20)
close = partial(np.testing.assert_allclose, rtol=0, atol=1e-12)


def turned(x, positions):
    return apply_rotary(x, *rotary_tables(np.asarray(positions), x.shape[-1], base=50.0), layout="half")


@pytest.mark.parametrize("seed", SEEDS)
def test_packed_texts_receive_what_each_receives_alone(seed):
    rng = np.random.default_rng(seed)
    cu_seqlens = np.cumsum([0, *rng.integers(0, 7, size=rng.integers(1, 6)), 1])
    text, position = places(cu_seqlens)
    query, key, value = (rng.standard_normal((len(text), d)) for d in (6, 6, 5))
    q, k = turned(query, position), turned(key, position)
    packed = scaled_dot_product_attention(q, k, value, mask=segment_mask(text), is_causal=True)
    for first, end in pairwise(cu_seqlens):
        here = slice(first, end)
        q, k = (turned(x[here], range(end - first)) for x in (query, key))
        close(packed[here], loop_attention(q, k, value[here], is_causal=True))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_guess_that_is_kept_or_replaced_has_the_distribution_of_the_large_model(seed):
    """Exactly: also where one of the two never says a word, and where they agree."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, size=(2, rng.integers(2, 7)))
    counts[:, 0] += 1
    large, small = ([Fraction(int(n), int(row.sum())) for n in row] for row in counts)
    assert speculated(large, small) == speculated(large, large) == large
    assert speculated([0.1] * 10, [0.1] * 10) == [0.1] * 10  # floats whose sum is less than 1


@cases(speculative.RECORDER)
def test_transformers_keeps_and_replaces_guesses_with_the_same_distribution(stem, name, inputs, output):
    close([float(chance) for chance in speculated(inputs["large"], inputs["small"])], output)


def a_tree(rng, n):
    """Draw the parents of n rows, each of which comes after its own; no branch is alone."""
    parents = [-1, 0, 0, *(int(rng.integers(row)) for row in range(3, n))]
    return parents[:n]


def path_to(parents, row):
    """Walk from a row up to the root: the oracle of the mask and of the depth."""
    path = []
    while row >= 0:
        path.insert(0, row)
        row = parents[row]
    return path


@pytest.mark.parametrize("seed", SEEDS)
def test_each_row_of_a_tree_pass_is_the_last_row_of_its_path_alone(seed):
    rng = np.random.default_rng(seed)
    n_text, d_k, d_v = int(rng.integers(2, 9)), 6, 5
    parents = a_tree(rng, int(rng.integers(4, 10)))
    n = n_text + len(parents)
    tree = tree_mask(parents)
    query, key, value = (rng.standard_normal((n, d)) for d in (d_k, d_k, d_v))
    depth = tree.sum(axis=1) - 1
    positions = np.concatenate([np.arange(n_text), n_text + depth])
    mask = np.hstack([np.ones((len(parents), n_text), bool), tree])
    q, k = turned(query, positions)[n_text:], turned(key, positions)
    together = scaled_dot_product_attention(q, k, value, mask=mask)
    alone = []
    for row in range(len(parents)):
        tokens = [*range(n_text), *(n_text + i for i in path_to(parents, row))]
        q, k = (turned(x[tokens], range(len(tokens))) for x in (query, key))
        alone.append(loop_attention(q[-1:], k, value[tokens])[0])
    close(together, alone)
