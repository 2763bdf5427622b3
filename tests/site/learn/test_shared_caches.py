"""How do many users share a cache? The page's own functions on random sizes, against loops."""

from functools import partial

import numpy as np
import pytest

from attention import (
    BlockWeights,
    MultiHeadWeights,
    Rotary,
    apply_rotary,
    causal_mask,
    rotary_tables,
    scaled_dot_product_attention,
    transformer_block,
)
from tests.package.oracles import loop_attention
from tests.site.learn.page_functions import names

PAGE = names("shared-caches")
Blocks, accepted, gather, tree_mask = (PAGE[name] for name in ("Blocks", "accepted", "gather", "tree_mask"))
SEEDS = range(20)
RUBBISH = 1e6  # what lies where a text has not written
close = partial(np.testing.assert_allclose, rtol=0, atol=1e-12)


def paged(rng, arrays, size, n_blocks):
    """Write the rows of each array into pools of their own by one random table; return the table and the pools."""
    n = len(arrays[0])
    table = rng.permutation(n_blocks)[: -(-n // size)]
    pools = [np.full((n_blocks, size, array.shape[-1]), RUBBISH) for array in arrays]
    for pool, array in zip(pools, arrays, strict=True):
        for t in range(n):
            pool[table[t // size], t % size] = array[t]
    return table, pools


def drawn(rng):
    """Draw a text whose sizes all differ and whose last block is not full: slots, queries, keys and values."""
    size, d_k, d_v = rng.permutation([3, 4, 5])
    n = int(rng.integers(3 * size, 6 * size))
    n += n % size == 0
    return size, *(rng.standard_normal((n, d)) for d in (d_k, d_k, d_v))


def read(table, pools, query):
    """Let all tokens of a text ask, through a table."""
    keys, values = (gather(pool, table, len(query)) for pool in pools)
    return scaled_dot_product_attention(query, keys, values, is_causal=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_block_table_gathers_is_the_contiguous_cache(seed):
    rng = np.random.default_rng(seed)
    size, query, key, value = drawn(rng)
    table, pools = paged(rng, (key, value), size, n_blocks=len(query))
    for pool, array in zip(pools, (key, value), strict=True):
        np.testing.assert_array_equal(gather(pool, table, len(query)), array)
    close(read(table, pools, query), loop_attention(query, key, value, is_causal=True))


@pytest.mark.parametrize("seed", SEEDS)
def test_one_call_serves_many_texts_as_if_each_were_alone(seed):
    rng = np.random.default_rng(seed)
    size, d_k, d_v, batch = 3, 4, 5, 6
    lengths = rng.integers(1, 5 * size, batch)
    owner = Blocks(int((-(-lengths // size)).sum()), size)
    pools = [np.full((len(owner.users), size, d), RUBBISH) for d in (d_k, d_v)]
    keys, values = ([rng.standard_normal((n, d)) for n in lengths] for d in (d_k, d_v))
    left = lengths.copy()
    while left.any():  # they write in turn, so that blocks of all texts lie mixed
        text = int(rng.choice(np.flatnonzero(left)))
        t = lengths[text] - left[text]
        block, slot, _ = owner.append(text)
        pools[0][block, slot], pools[1][block, slot] = keys[text][t], values[text][t]
        left[text] -= 1
    width = max(map(len, owner.tables.values()))
    tables = rng.integers(len(owner.users), size=(batch, width))  # fillers: blocks of anybody
    for text, table in owner.tables.items():
        tables[text, : len(table)] = table
    query = rng.standard_normal((batch, 1, d_k))
    together = [pool[tables].reshape(batch, width * size, -1) for pool in pools]
    z = scaled_dot_product_attention(query, *together, is_causal=True, offset=lengths - 1)
    for text in range(batch):
        close(z[text], loop_attention(query[text], keys[text], values[text]))


def play(allocator, rng, moves=200):
    """Let texts write, fork and end by chance; keep beside the pool a list for each text, which shares nothing.

    Words are written where the allocator says. Yield after every move what each text reads, and what it should read.
    """
    pool = np.full((len(allocator.users), allocator.size), -1)
    alone: dict[int, list[int]] = {}
    for number in range(moves):
        kind = rng.choice(["write", "fork", "end"], p=[0.6, 0.25, 0.15])
        text = int(rng.integers(4))
        try:
            if kind == "write":
                block, slot, source = allocator.append(text)
                if source is not None:
                    pool[block] = pool[source]
                pool[block, slot] = number
                alone.setdefault(text, []).append(number)
            elif kind == "fork" and text in alone and (other := int(rng.integers(4))) not in alone:
                allocator.fork(text, other)
                alone[other] = list(alone[text])
            elif kind == "end" and text in alone:
                allocator.end(text)
                del alone[text]
        except ValueError:
            assert 0 not in allocator.users, "a free block was refused"
        held = {t: list(pool[table].ravel()[: allocator.lengths[t]]) for t, table in allocator.tables.items()}
        yield held, alone


@pytest.mark.parametrize("seed", SEEDS)
def test_texts_that_share_blocks_read_what_they_would_read_alone(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 5))
    allocator = Blocks(int(rng.integers(9, 14)), size)
    shared = moves = 0
    for held, alone in play(allocator, rng):
        assert held == alone
        tables = allocator.tables
        for block, users in enumerate(allocator.users):
            assert users == sum(block in table for table in tables.values())
        for text, table in tables.items():
            assert len(set(table)) == len(table)
            assert 0 <= len(table) * size - allocator.lengths[text] < size  # less than one block is empty
        shared += max(allocator.users) > 1
        moves += 1
    assert shared
    assert moves == 200


def test_an_empty_pool_refuses_and_changes_nothing():
    blocks = Blocks(2, 2)
    for _ in range(3):
        blocks.append("A")
    blocks.fork("A", "B")
    before = repr(vars(blocks))
    for text in ("A", "B", "C"):  # a copy or a first block is needed
        with pytest.raises(ValueError, match="not in list"):
            blocks.append(text)
        assert repr(vars(blocks)) == before


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


def beyond(text, tree):
    """Let the text see itself and its past, and the rows of the tree all of the text and each its ancestors."""
    whole = np.zeros((text + len(tree), text + len(tree)), bool)
    whole[:, :text] = causal_mask(text + len(tree))[:, :text]
    whole[text:, text:] = tree
    return whole


@pytest.mark.parametrize("seed", SEEDS)
def test_a_tree_mask_holds_the_ancestors(seed):
    parents = a_tree(np.random.default_rng(seed), 3 + seed)
    tree = tree_mask(parents)
    for row in range(len(parents)):
        assert list(np.flatnonzero(tree[row])) == path_to(parents, row)
        assert tree[row].sum() - 1 == len(path_to(parents, row)) - 1  # the depth


def turned(x, positions):
    return apply_rotary(x, *rotary_tables(np.asarray(positions), x.shape[-1], base=50.0), layout="half")


@pytest.mark.parametrize("seed", SEEDS)
def test_each_row_of_a_tree_pass_is_the_last_row_of_its_path_alone(seed):
    """One layer, turned keys, against loops."""
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
        places = range(len(tokens))
        q, k = turned(query[tokens], places), turned(key[tokens], places)
        alone.append(loop_attention(q[-1:], k, value[tokens])[0])
    close(together, alone)


def model(rng, d_model=12, n_layers=2, words=7):
    """Return a model with shared heads and rotary positions: logits of the next word after each row."""
    table = rng.standard_normal((words, d_model))
    layers = []
    for _ in range(n_layers):
        heads = MultiHeadWeights.random(d_model, 6, n_kv_heads=3, rng=rng)
        layers.append(BlockWeights(heads, *(rng.standard_normal(s) for s in ((d_model, 17), (17, d_model)))))

    def logits(tokens, positions, mask):
        x = table[tokens]
        rotary = Rotary(*rotary_tables(np.asarray(positions), 2, base=10.0), "half")
        for layer in layers:
            x = transformer_block(x, layer, rotary=rotary, mask=mask)
        return x @ table.T

    return logits


def alone(logits, tokens):
    return logits(tokens, np.arange(len(tokens)), causal_mask(len(tokens)))


@pytest.mark.parametrize("seed", SEEDS)
def test_speculative_decoding_writes_what_the_model_writes_alone(seed):
    """Guesses by chance, some of them right: the text is the same, in fewer passes."""
    rng = np.random.default_rng(seed)
    logits, plain = model(rng), list(rng.integers(7, size=3))
    for _ in range(12):
        plain.append(int(alone(logits, plain)[-1].argmax()))
    text, passes = plain[:3], 0
    while len(text) < len(plain):
        parents = a_tree(rng, 9)
        tree = tree_mask(parents)
        depth = tree.sum(axis=1) - 1
        ahead = [plain[len(text) - 1 + d] if len(text) - 1 + d < len(plain) else 0 for d in depth]
        tokens = [text[-1], *(ahead[row] if rng.random() < 0.6 else int(rng.integers(7)) for row in range(1, 9))]
        n = len(text) - 1  # row 0 is the newest certain token
        best = logits([*text[:-1], *tokens], [*range(n), *(n + depth)], beyond(n, tree))[n:].argmax(axis=-1)
        path = accepted(parents, tokens, best)
        assert path == path_to(parents, path[-1])
        text += [int(best[row]) for row in path]
        passes += 1
    assert text[: len(plain)] == plain
    assert passes < len(plain) - 3
