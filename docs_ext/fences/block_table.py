"""The block table: texts that grow, fork and end share a pool of blocks, as in paged attention.

    ```block-table
    caption: A pool of six blocks with two slots each
    blocks: 6
    size: 2                                # slots of a block
    moves: [A, A, A, A forks, A, B, A ends]
    step: 4                                # moves made at first
    ```

A move is a name alone, which writes a token, or a name that `forks` or `ends`. The names are A, B and C, and a fork
gets the first that is not in use. Without JavaScript there are the pool after `step` moves and a table of all moves.
With it the reader makes the moves.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from docs_ext.errors import SpecError
from docs_ext.html.tables import folded, scrolling_table, table
from docs_ext.html.template import template
from docs_ext.html.widget import widget

REQUIRED = ("caption", "blocks", "size", "moves", "step")
OPTIONAL = ()
NAMES = "ABC"
_MOVE = re.compile("([ABC])( forks| ends)?")
_VERBS = {"t": "writes", "f": "forks", "e": "ends"}

_BODY = template("""
<div class="pool-and-texts">
{{ pool }}
{{ texts }}
</div>
""")
_POOL = template("""
<thead>
<tr><th scope="col">block</th>{% for slot in range(size) %}<th scope="col">slot {{ slot }}</th>{% endfor %}
  <th scope="col">in the tables of</th></tr>
</thead>
<tbody>
{% for row in rows %}
<tr data-state="{{ row.state }}"><th scope="row">{{ loop.index0 }}</th>
  {%- for slot in row.slots %}<td{% if slot == "empty" %} data-empty{% endif %}>{{ slot }}</td>{% endfor %}
  <td class="users">{{ row.users }}</td></tr>
{% endfor %}
</tbody>
""")
_TEXTS = template("""
<thead>
<tr><th scope="col">text</th><th scope="col">tokens</th><th scope="col">block table</th></tr>
</thead>
<tbody>
{% for name, length, blocks in texts %}
<tr><th scope="row">{{ name }}</th><td>{{ length }}</td><td>{{ blocks }}</td></tr>
{% endfor %}
</tbody>
""")


class Row(NamedTuple):
    """A block of the pool as it is shown."""

    state: str  # free, own or shared
    slots: list[str]
    users: str


class Pool:
    """Hand out blocks, keep a block table for each text, and note who wrote which slot."""

    def __init__(self, n_blocks: int, size: int) -> None:
        self.size, self.users = size, [0] * n_blocks
        self.tables: dict[str, list[int]] = {}
        self.lengths: dict[str, int] = {}
        self.slots: list[list[str]] = [[] for _ in range(n_blocks)]
        self.said = "Nobody has written yet."

    def make(self, move: str) -> None:
        """Make one move, 'At', 'Af' or 'Ae': A writes a token, forks, or ends. ValueError: it cannot."""
        name, kind = move[0], move[1]
        if kind == "t":
            self._write(name)
        elif name not in self.tables:
            raise ValueError(f"{name} is not there")
        elif kind == "f":
            self._fork(name)
        else:
            self._end(name)

    def _take(self) -> int:
        if 0 not in self.users:
            raise ValueError("no block is free")
        block = self.users.index(0)
        self.users[block], self.slots[block] = 1, []
        return block

    def _write(self, name: str) -> None:
        blocks, length = self.tables.get(name, []), self.lengths.get(name, 0)
        place, slot = divmod(length, self.size)
        token = f"{name}{length}"
        if place == len(blocks):
            blocks.append(self._take())
            self.said = f"{name} writes {token} into block {blocks[place]}, which was free."
        elif self.users[blocks[place]] > 1:
            source, copy = blocks[place], self._take()
            self.users[source] -= 1
            self.slots[copy] = list(self.slots[source])
            blocks[place] = copy
            self.said = (
                f"{name} writes {token}. Block {source} is shared, so it is first copied to block {copy}, "
                f"and {token} goes into the copy."
            )
        else:
            self.said = f"{name} writes {token} into block {blocks[place]}, slot {slot}."
        self.slots[blocks[place]].append(token)
        self.tables[name], self.lengths[name] = blocks, length + 1

    def _fork(self, name: str) -> None:
        free = [other for other in NAMES if other not in self.tables]
        if not free:
            raise ValueError("no name is free")
        self.tables[free[0]], self.lengths[free[0]] = list(self.tables[name]), self.lengths[name]
        for block in self.tables[name]:
            self.users[block] += 1
        self.said = f"{name} forks to {free[0]}, which gets a copy of the table and of no block."

    def _end(self, name: str) -> None:
        blocks = self.tables.pop(name)
        del self.lengths[name]
        for block in blocks:
            self.users[block] -= 1
        freed = sum(self.users[block] == 0 for block in blocks)
        self.said = f"{name} ends. Blocks that are free again: {freed}."

    @property
    def counts(self) -> tuple[int, int, int]:
        """Blocks in use, shared blocks, and empty slots in blocks in use."""
        used = [block for block, users in enumerate(self.users) if users]
        return (
            len(used),
            sum(self.users[block] > 1 for block in used),
            sum(self.size - len(self.slots[block]) for block in used),
        )

    def rows(self) -> list[Row]:
        """Return what the table of the pool shows."""
        rows = []
        for block, users in enumerate(self.users):
            readers = [name for name in NAMES if block in self.tables.get(name, [])]
            written = self.slots[block] if users else []
            slots = written + ["empty" if users else "free"] * (self.size - len(written))
            state = "free" if not users else "own" if users == 1 else "shared"
            count = f" (count {users})" if users else ""
            rows.append(Row(state, slots, (", ".join(readers) or "none") + count))
        return rows

    def texts(self) -> list[tuple[str, int, str]]:
        """Return what the table of the texts shows."""
        tables = {name: ", ".join(map(str, self.tables.get(name, []))) for name in NAMES}
        return [(name, self.lengths.get(name, 0), tables[name] or "none") for name in NAMES]


def run(n_blocks: int, size: int, moves: Sequence[str]) -> Pool:
    """Make all moves in an empty pool."""
    pool = Pool(n_blocks, size)
    for move in moves:
        pool.make(move)
    return pool


def statement(pool: Pool) -> str:
    """Say the last move and what the pool holds after it."""
    used, shared, empty = pool.counts
    in_use = f"Blocks in use: {used} of {len(pool.users)}; shared: {shared}"
    return f"{pool.said} {in_use}. Empty slots in these blocks: {empty}."


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    n_blocks, size = _count(spec, "blocks", 1, 16), _count(spec, "size", 1, 8)
    moves = _moves(spec)
    step = _count(spec, "step", 0, len(moves))
    try:
        pools = [run(n_blocks, size, moves[:n]) for n in range(len(moves) + 1)]
    except ValueError as error:
        raise SpecError(f"a move cannot be made: {error}", key="moves") from error
    pool, next_moves = pools[step], moves[step : step + 2]
    body = _BODY(
        pool=scrolling_table("steps pool", str(spec["caption"]), _POOL(rows=pool.rows(), size=size)),
        texts=scrolling_table("steps texts", "The block tables of the texts", _TEXTS(texts=pool.texts())),
    )
    every = [_record(n, moves[n - 1], pools[n]) for n in range(1, len(moves) + 1)]
    return widget(
        "block-table",
        str(spec["id"]),
        title=str(spec["caption"]),
        question=f"next {' and then '.join(_told(move) for move in next_moves) or 'nobody moves'}. "
        "Which blocks change, and how many are in use afterwards?",
        answer=" ".join(after.said for after in pools[step + 1 : step + 3])
        + f" Then {pools[step + len(next_moves)].counts[0]} blocks are in use.",
        body=body + folded("All moves of an example", table(every, "Texts that grow, fork and end, move by move")),
        says=statement(pool),
        blocks=n_blocks,
        size=size,
        moves="".join(moves[:step]),
        names=list(NAMES),
    )


def _count(spec: Mapping[str, Any], key: str, least: int, most: int) -> int:
    if isinstance(spec[key], bool) or spec[key] not in range(least, most + 1):
        raise SpecError(f"{key} must be a whole number from {least} to {most}: {spec[key]!r}", key=key)
    return int(spec[key])


def _moves(spec: Mapping[str, Any]) -> list[str]:
    """Read ['A', 'A forks', 'A ends'] as ['At', 'Af', 'Ae']."""
    given = spec["moves"]
    found = [_MOVE.fullmatch(move) if isinstance(move, str) else None for move in given if isinstance(given, list)]
    if not isinstance(given, list) or None in found:
        raise SpecError(f"moves must be a list of A, A forks, A ends, and so for B and C: {given!r}", key="moves")
    return [match[1] + (match[2] or " t")[1] for match in found if match]


def _told(move: str) -> str:
    return f"{move[0]} {_VERBS[move[1]]}"


def _record(step: int, move: str, pool: Pool) -> dict[str, Any]:
    used, shared, empty = pool.counts
    return (
        {"move": f"{step}: {_told(move)}"}
        | {f"table of {name}": blocks for name, _, blocks in pool.texts()}
        | {"in use": used, "shared": shared, "empty slots": empty}
    )
