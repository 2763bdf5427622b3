"""The head browser: what its script draws of any head against the record, and what it refuses."""

import re

import numpy as np
import pytest

from docs_ext.reading.words import names_of
from docs_ext.records.recorded import recorded
from tests.site.fences.reading import Figure, rows, says, text

BROWSER = Figure.sound("head-browser")
ONE = recorded().sentence("the cat that the")
WEIGHTS = np.rint(1000 * ONE.weights).astype(int)


def in_hundredths(thousandths):
    """Round half up by hand."""
    whole, rest = divmod(thousandths, 10)
    whole += rest >= 5
    return f"{whole / 100:.2f}".removeprefix("0")


def assert_shows(root, tokens, weights, layer, head, row):
    """Compare the grid, the shares, the arcs and the sentence with a recorded head."""
    one, names = weights[layer, head], names_of(tokens)
    table = root.find(".//table[@class='weights']")
    assert rows(table) == [[token, *map(in_hundredths, line.tolist())] for token, line in zip(tokens, one, strict=True)]
    cells = [float(cell.get("data-weight")) for cell in table.findall(".//td[@data-weight]")]
    np.testing.assert_allclose(1000 * np.array(cells), one.ravel(), atol=1e-9)
    assert [i for i, line in enumerate(table.findall("tbody/tr")) if "data-chosen" in line.attrib] == [row]
    shares = root.findall(".//div[@class='shares']/span")
    assert [text(share) for share in shares] == [in_hundredths(weight) for weight in one[row].tolist()]
    arcs = {int(arc.get("data-key")): float(arc.get("stroke-width")) for arc in root.findall(".//{*}path[@data-key]")}
    assert arcs == pytest.approx({key: max(0.028 * weight, 1.5) for key, weight in enumerate(one[row]) if weight >= 10})
    most, average = one[row].argmax(), one.mean(axis=0)
    given = f"{names[most]} {in_hundredths(int(one[row, most]))}"
    assert says(root).startswith(f"Layer {layer}, head {head}: {names[row]} gives {given}, ")
    assert says(root).endswith(f"{names[average.argmax()]} gets most, {in_hundredths(float(average.max()))}.")


def test_any_head_of_any_sentence_is_the_recorded_one():
    rng, start = np.random.default_rng(0), BROWSER.given
    for number, one in enumerate(recorded().sentences + recorded().example):
        weights = np.rint(1000 * one.weights).astype(int)
        record = [None] * number + [{"tokens": one.tokens, "weights": weights}]
        for _ in range(2):
            layer, head, row = (int(rng.integers(size)) for size in (6, 12, len(one.tokens)))
            root = BROWSER.live(start | {"record": record}, sentence=number, layer=layer, head=head, row=row)
            assert_shows(root, one.tokens, weights, layer, head, row)


def test_every_head_has_a_small_picture_whose_squares_are_its_weights():
    pictures = BROWSER.still().findall(".//div[@class='map']//td/{*}svg")
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
        np.testing.assert_array_equal(drawn, sum((grid >= limit).astype(int) for limit in (100, 250, 500, 750)))
        most = names_of(ONE.tokens)[grid.sum(axis=0).argmax()]
        assert svg.get("aria-label").startswith(f"layer {at // 12}, head {at % 12}: {most} gets most, ")
