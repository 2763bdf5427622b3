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

from docs_ext.errors import SpecError
from docs_ext.html import renderer
from docs_ext.reading.keys import Data, Spec, whole

REQUIRED = ("caption", "blocks", "size", "moves", "step")
OPTIONAL = ()
_MOVE = re.compile("([ABC])( forks| ends)?")


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    moves = _moves(spec)
    found = {
        "blocks": whole(spec, "blocks", 1, 8),
        "size": whole(spec, "size", 1, 3),
        "moves": moves,
        "step": whole(spec, "step", 0, len(moves)),
    }
    pool = renderer.call("widgets/block-table.js", "compute", found, {"moves": "".join(moves)})
    if isinstance(pool, str):
        raise SpecError(f"a move cannot be made: {pool}", key="moves")
    return found


def _moves(spec: Spec) -> list[str]:
    """Read ['A', 'A forks', 'A ends'] as ['At', 'Af', 'Ae']."""
    given = spec["moves"]
    found = [_MOVE.fullmatch(str(move)) for move in given] if isinstance(given, list) else []
    if not found or None in found:
        raise SpecError(f"moves must be a list of A, A forks, A ends, and so for B and C: {given!r}", key="moves")
    return [match[1] + (match[2] or " t")[1] for match in found if match]
