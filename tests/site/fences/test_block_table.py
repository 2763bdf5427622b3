"""The block table as it stands without a script: against the page's allocator, its HTML, and what it refuses."""

import numpy as np
import pytest

from docs_ext.fences import block_table
from tests.site.fences.reading import read, refuses, rows, text
from tests.site.learn.page_functions import names

MOVES = ["A", "A", "A", "A forks", "A", "B", "B", "B forks", "A ends", "C"]
SPEC = {"id": "p", "caption": "c", "blocks": 5, "size": 2, "moves": MOVES, "step": 4}


def parse(spec):
    return read(block_table.render(spec))


def test_the_prediction_is_answered_by_the_next_two_moves():
    assert text(parse(SPEC).find(".//details[@class='question']/p")) == (
        "A writes A3. Block 1 is shared, so it is first copied to block 2, and A3 goes into the copy. "
        "B writes B3 into block 1, slot 1. Then 3 blocks are in use."
    )


def test_a_table_tells_every_move():
    assert rows(parse(SPEC), ".//details/div/table/tbody/tr") == [
        ["1: A writes", "0", "none", "none", "1", "0", "1"],
        ["2: A writes", "0", "none", "none", "1", "0", "0"],
        ["3: A writes", "0, 1", "none", "none", "2", "0", "1"],
        ["4: A forks", "0, 1", "0, 1", "none", "2", "2", "1"],
        ["5: A writes", "0, 2", "0, 1", "none", "3", "1", "1"],  # copied
        ["6: B writes", "0, 2", "0, 1", "none", "3", "1", "0"],  # in place
        ["7: B writes", "0, 2", "0, 1, 3", "none", "4", "1", "1"],
        ["8: B forks", "0, 2", "0, 1, 3", "0, 1, 3", "4", "3", "1"],
        ["9: A ends", "none", "0, 1, 3", "0, 1, 3", "3", "3", "1"],
        ["10: C writes", "none", "0, 1, 3", "0, 1, 2", "4", "2", "1"],  # into what A has left
    ]


def chance(rng, n_blocks, size, n):
    """Draw moves that can be made, with the errors of those that cannot."""
    moves, errors = [], []
    for _ in range(n):
        move = rng.choice(list(block_table.NAMES)) + rng.choice(list("tttfe"))
        try:
            block_table.run(n_blocks, size, [*moves, move])
        except ValueError as error:
            errors.append(str(error))
        else:
            moves.append(move)
    return moves, errors


@pytest.mark.parametrize("seed", range(20))
def test_it_hands_out_what_the_allocator_of_the_page_hands_out(seed):
    rng = np.random.default_rng(seed)
    n_blocks, size = int(rng.integers(4, 9)), int(rng.integers(1, 4))
    moves, errors = chance(rng, n_blocks, size, 40)
    blocks, written = names("shared-caches")["Blocks"](n_blocks, size), {}
    pool = block_table.Pool(n_blocks, size)
    for move in moves:
        pool.make(move)
        name, kind = move[0], move[1]
        if kind == "t":
            block, slot, source = blocks.append(name)
            if source is not None:
                written |= {(block, at): written.get((source, at)) for at in range(slot)}
            written[block, slot] = f"{name}{blocks.lengths[name] - 1}"
        elif kind == "f":
            blocks.fork(name, next(new for new in block_table.NAMES if new not in blocks.tables))
        else:
            blocks.end(name)
        assert (pool.tables, pool.lengths, pool.users) == (blocks.tables, blocks.lengths, blocks.users)
        for name, table in blocks.tables.items():
            for t in range(blocks.lengths[name]):
                block, slot = table[t // size], t % size
                assert pool.slots[block][slot] == written[block, slot]
    assert set(errors) <= {
        "no block is free",
        "no name is free",
        *(f"{name} is not there" for name in block_table.NAMES),
    }


REFUSED = {
    "beyond the moves": ({"step": 11}, "step", "from 0 to 10"),
    "a flag": ({"size": True}, "size", "whole number"),
    "no slots": ({"size": 0}, "size", "from 1 to 8"),
    "a pool without blocks": ({"blocks": 0}, "blocks", "from 1 to 16"),
    "another verb": ({"moves": ["A", "A leaves"]}, "moves", "A forks"),
    "one word": ({"moves": "A"}, "moves", "list"),
    "too few blocks": ({"blocks": 3}, "moves", "no block is free"),
    "nobody to fork": ({"moves": ["A", "B ends"], "step": 0}, "moves", "B is not there"),
    "too many forks": ({"moves": ["A", "A forks", "A forks", "A forks"]}, "moves", "no name is free"),
}
test_what_does_not_fit_is_refused = refuses(block_table.render, SPEC, REFUSED)
