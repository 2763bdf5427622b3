"""The soft lookup: fits, shares and pages, what its table shows, and what it refuses."""

import numpy as np

from tests.site.fences.reading import Figure, rows

LIBRARY = Figure.sound("soft-lookup")


@LIBRARY.on_500_states
def test_500_states_share_by_the_topics_on_which_label_and_question_agree(rng):
    books, topics = rng.integers(1, 6, 2)
    labels, values = rng.integers(0, 2, (books, topics)), rng.integers(0, 99, (books, topics))
    asks = rng.integers(books)
    fits = np.array([sum(a == b for a, b in zip(label, labels[asks], strict=True)) for label in labels])
    weights = 2.0**fits / np.sum(2.0**fits)
    expected = {"fits": fits, "weights": weights, "copied": weights[:, None] * values, "output": weights @ values}
    return {"labels": labels, "values": values}, {"asks": asks}, expected


def test_the_table_goes_from_the_question_over_fit_and_share_to_pages():
    root = LIBRARY.still()
    assert rows(root) == [
        ["cats", "✓ cats✗ dogs", "2", "4/7", "32", "0"],
        ["dogs", "✗ cats✓ dogs", "0", "1/7", "0", "8"],
        ["both", "✓ cats✓ dogs", "1", "2/7", "16", "16"],
    ]
    assert [len(row.findall(".//td/span/i")) for row in root.findall(".//tbody/tr")] == [4, 1, 2]
    agrees = [[line.get("class") for line in row.iterfind(".//td/span/span")] for row in root.findall(".//tbody/tr")]
    assert agrees == [["line agrees", "line agrees"], ["line ", "line "], ["line agrees", "line "]]
    assert rows(root, ".//tfoot/tr") == [["you take home", "7/7", "48", "24"]]
