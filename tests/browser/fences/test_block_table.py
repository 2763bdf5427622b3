"""The block table: whatever a reader does, it shows the pool that the fence computes, and says why it cannot."""

import numpy as np
import pytest

from docs_ext.fences import block_table
from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/shared-caches/"
CONTRACT = [Widget("block-table", PAGE, f"moves=AtBe moves=Ax moves=AtA moves={13 * 'At'}")]
START = ["At", "At", "At", "Af"]
BLOCKS, SIZE = 6, 2
VERBS = {"t": "writes", "f": "forks", "e": "ends"}
SHOWN = """widget => ({
  pool: [...widget.querySelectorAll(".pool tbody tr")].map(row => [
    row.dataset.state, [...row.cells].map(cell => cell.textContent),
    [...row.cells].map(cell => cell.hasAttribute("data-empty"))]),
  texts: [...widget.querySelectorAll(".texts tbody tr")].map(row => [...row.cells].map(cell => cell.textContent)),
  says: widget.querySelector("output").textContent,
})"""
SETS = """(widget, moves) => {
  const field = widget.querySelector("[name=moves]");
  field.value = moves;
  for (const event of ["input", "change"]) field.dispatchEvent(new Event(event, {bubbles: true}));
  return (SHOWN)(widget);
}""".replace("SHOWN", SHOWN)


def button(widget, name):
    return widget.get_by_role("button", name=name, exact=True)


def expected(moves):
    pool = block_table.run(BLOCKS, SIZE, moves)
    return {
        "pool": [
            [row.state, [str(block), *row.slots, row.users], [False, *(slot == "empty" for slot in row.slots), False]]
            for block, row in enumerate(pool.rows())
        ],
        "texts": [[name, str(length), blocks] for name, length, blocks in pool.texts()],
        "says": block_table.statement(pool),
    }


def test_buttons_make_the_moves_and_undo_takes_them_back(widget):
    assert widget.evaluate(SHOWN) == expected(START)
    script = ["At", "Bt", "Bt", "Bf", "Ae", "Ct", "Ce"]
    for n, move in enumerate(script, 1):
        button(widget, f"{move[0]} {VERBS[move[1]]}").click()
        assert widget.evaluate(SHOWN) == expected(START + script[:n])
    for n in range(len(START + script) - 1, -1, -1):
        button(widget, "Undo").click()
        assert widget.evaluate(SHOWN) == expected((START + script)[:n])
    button(widget, "Undo").click()  # there is nothing more
    assert widget.evaluate(SHOWN) == expected([])


def test_three_hundred_games_by_chance_show_what_the_fence_computes(widget):
    rng, kinds = np.random.default_rng(0), set()
    for _ in range(300):
        moves = []
        for _ in range(int(rng.integers(1, 30))):
            move = rng.choice(list(block_table.NAMES)) + rng.choice(list("tttfe"))
            try:
                said = block_table.run(BLOCKS, SIZE, [*moves, move]).said
            except ValueError:
                continue
            moves.append(move)
            kinds.add(next(word for word in ("was free", "copied", "slot", "forks", "ends") if word in said))
        assert widget.evaluate(SETS, "".join(moves)) == expected(moves)
    assert len(kinds) == 5
