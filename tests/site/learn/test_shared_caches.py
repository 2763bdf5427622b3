"""How do many users share a cache? The page's own functions on random sizes, against loops."""

from functools import partial

import numpy as np
import pytest

from attention import scaled_dot_product_attention
from tests.package.oracles import loop_attention
from tests.site.learn.page_functions import names

PAGE = names("shared-caches")
Blocks = PAGE["Blocks"]
SEEDS = range(20)
RUBBISH = 1e6  # what lies where a text has not written
close = partial(np.testing.assert_allclose, rtol=0, atol=1e-12)


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
