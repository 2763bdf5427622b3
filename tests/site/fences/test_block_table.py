"""The block table: what its script hands out against an allocator in Python, what it draws, and what it refuses."""

import numpy as np

from tests.site.fences.reading import Figure, text

MOVES = ["A", "A", "A", "A forks", "A", "B", "B", "B forks", "A ends", "C"]
MOVED = "AtAtAtAfAt"
TABLE = Figure.sound("block-table")


def drawn(**state):
    """Return the wide drawing: states and words of the blocks, and where each line ends, by block."""
    svg = TABLE.live(**state).find(".//{*}svg")
    blocks = svg.findall(".//{*}g[@class='block']")
    ends = [float(path.get("d").split()[-1]) for path in svg.findall("{*}g[@class='lines']/{*}path")]
    return blocks, [int(end // 44) for end in ends], svg


def test_a_line_leads_from_every_entry_to_its_block():
    blocks, ends, svg = drawn()
    assert [block.get("data-state") for block in blocks] == ["shared", "shared", "free", "free", "free"]
    assert [text(block) for block in blocks[:3]] == ["A0A102 texts", "A2empty12 texts", "freefree2"]
    assert ends == [0, 1, 0, 1]
    assert text(svg).startswith("A line from every entry of a block table to its block. A: 0, 1; B: 0, 1; C: none")


def test_what_a_move_has_brought_moves():
    new = [[path for path in drawn(moves=moves)[2].iter() if path.get("data-anew")] for moves in ("AtAtAtAf", MOVED)]
    assert [len(paths) for paths in new] == [2, 2]  # a fork: two lines; a copy: a line, and the block that peels off
    assert new[1][1].get("style") == "--from:-44px"
    assert drawn(moves=MOVED)[1] == [0, 2, 0, 1]


class Blocks:
    """Hand out blocks and keep a block table for each text, as Kwon et al. describe in §4."""

    def __init__(self, n_blocks, size):
        self.size, self.users = size, [0] * n_blocks  # counts
        self.tables, self.lengths = {}, {}

    def take(self):
        block = self.users.index(0)  # ValueError: no free block
        self.users[block] = 1
        return block

    def append(self, text):
        """Return the block, the slot, and the block to copy or None."""
        table = self.tables.get(text, [])
        place, slot = divmod(self.lengths.get(text, 0), self.size)
        source = None
        if place == len(table):  # all are full
            table.append(self.take())
        elif self.users[table[place]] > 1:  # shared: copy
            block, source = self.take(), table[place]
            self.users[source] -= 1
            table[place] = block
        self.tables[text] = table
        self.lengths[text] = self.lengths.get(text, 0) + 1
        return table[place], slot, source

    def fork(self, text, new):
        self.tables[new] = list(self.tables[text])
        self.lengths[new] = self.lengths[text]
        for block in self.tables[new]:
            self.users[block] += 1

    def end(self, text):
        del self.lengths[text]
        for block in self.tables.pop(text):
            self.users[block] -= 1


def make(blocks, move):
    """Make a move with the allocator; return the block, the slot and the block to copy if it writes."""
    name, kind = move
    if kind == "t":
        return blocks.append(name)
    if kind == "e":
        blocks.end(name)
    else:
        blocks.fork(name, min(set("ABC") - set(blocks.tables)))
    return None


def test_500_moves_by_chance_are_those_of_the_allocator():
    rng, said, told = np.random.default_rng(0), set(), 0
    while told < 500:
        n_blocks, size, moves, written = int(rng.integers(4, 9)), int(rng.integers(1, 4)), "", {}
        blocks = Blocks(n_blocks, size)
        for _ in range(30):
            move = rng.choice(list("ABC")) + rng.choice(list("tttfe"))
            pool = TABLE.call("compute", {"blocks": n_blocks, "size": size}, {"moves": moves + move})
            told += 1
            try:
                wrote = make(blocks, move)
            except (ValueError, KeyError):
                assert isinstance(pool, str)
                said.add(pool[2:] if pool[0] in "ABC" else pool[:8])
                continue
            moves += move
            if wrote:
                block, slot, source = wrote
                written |= {(block, at): written[source, at] for at in range(slot) if source is not None}
                written[block, slot] = f"{move[0]}{blocks.lengths[move[0]] - 1}"
            assert (pool["tables"], pool["lengths"], pool["users"]) == (blocks.tables, blocks.lengths, blocks.users)
            for name, table in blocks.tables.items():
                for place, slot in (divmod(t, size) for t in range(blocks.lengths[name])):
                    assert pool["slots"][table[place]][slot] == written[table[place], slot]
    assert len(said) == 3  # no free block, no free name, a text that is not there
