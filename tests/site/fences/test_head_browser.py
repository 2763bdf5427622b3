"""<head-browser> as it stands without a script: one head, and a small picture of every head."""

import re

import numpy as np

from docs_ext.fences import head_browser
from docs_ext.records.recorded import recorded
from tests.site.fences.reading import read, refuses, rows, text

SPEC = {"id": "h", "caption": "c", "sentence": "the cat that the", "layer": 3, "head": 1, "selected": "dog"}
ONE = recorded().sentence("the cat that the")
WEIGHTS = np.rint(1000 * ONE.weights).astype(int)


def document(**change):
    return read(head_browser.render(SPEC | change))


def in_hundredths(thousandths):
    """Round half up by hand."""
    whole, rest = divmod(thousandths, 10)
    whole += rest >= 5
    return f"{whole / 100:.2f}".removeprefix("0")


def test_the_grid_is_the_recorded_head():
    table = document().find(".//table[@class='weights']")
    wanted = [[token, *map(in_hundredths, row)] for token, row in zip(ONE.tokens, WEIGHTS[3, 1].tolist(), strict=True)]
    assert rows(table) == wanted
    cells = [float(cell.get("data-weight")) for cell in table.findall(".//td[@data-weight]")]
    np.testing.assert_allclose(np.reshape(cells, (9, 9)), ONE.weights[3, 1], atol=1e-12)
    chosen = [i for i, line in enumerate(table.findall("tbody/tr")) if line.get("data-chosen") is not None]
    assert chosen == [ONE.tokens.index("dog")]


def test_every_head_has_a_small_picture_whose_squares_are_its_weights():
    pictures = document().findall(".//div[@class='map']//td/{*}svg")
    assert len(pictures) == 72
    for at, svg in enumerate(pictures):
        drawn = np.zeros((9, 9), int)
        for path in svg:
            level = int(path.get("class")[1]) + 1
            for square in path.get("d").split("M")[1:]:
                j, i, high = map(int, re.fullmatch(r"(\d+) (\d+)h1v(\d+)h-1z", square).groups())
                assert not drawn[i : i + high, j].any()
                drawn[i : i + high, j] = level
        grid = WEIGHTS[at // 12, at % 12]
        wanted = sum((grid >= limit).astype(int) for limit in (100, 250, 500, 750))
        np.testing.assert_array_equal(drawn, wanted)
        most = grid.sum(axis=0).argmax()
        assert svg.get("aria-label").startswith(f"layer {at // 12}, head {at % 12}: {ONE.tokens[most].split()[0]}")


def test_the_statement_tells_the_row_and_its_control():
    row = WEIGHTS[3, 1, ONE.tokens.index("dog")]
    says = text(document().find(".//output"))
    top = ONE.tokens[row.argmax()]
    assert says.startswith(f"Layer 3, head 1: dog gives {top} {in_hundredths(int(row.max()))}, ")
    average = WEIGHTS[3, 1].mean(axis=0)
    assert says.endswith(f"{ONE.tokens[average.argmax()]} gets most, {in_hundredths(float(average.max()))}.")


def test_the_prediction_is_settled_by_the_record():
    answer = text(document().find(".//details/p"))
    for layer in (0, 4):
        share = ONE.weights[layer, :, 1:-1, 0].mean()
        assert in_hundredths(round(1000 * share, 9)) in answer
    assert ONE.weights[4, :, 1:-1, 0].mean() > ONE.weights[0, :, 1:-1, 0].mean()


test_what_does_not_fit_is_refused = refuses(
    head_browser.render,
    SPEC,
    {
        "sentence": ({"sentence": "the cow"}, None, "no sentence 'the cow'"),
        "layer": ({"layer": 6}, "layer", "from 0 to 5: 6"),
        "head": ({"head": "1.5"}, "head", "from 0 to 11: 1.5"),
        "word": ({"selected": "cow"}, "selected", "must be a word or an index from 0 to 8"),
    },
)
