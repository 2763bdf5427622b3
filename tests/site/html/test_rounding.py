"""Numbers in figures: exact where they can be, never misleading elsewhere."""

import numpy as np
import pytest

from docs_ext.html import rounding


@pytest.mark.parametrize(
    ("weight", "printed"),
    [(0.0, "0"), (1.0, "1"), (1 / 3, "1/3"), (0.5 + 1e-10, None), (1 / 211, None), (float("nan"), None)],
    ids=str,
)
def test_only_a_weight_that_is_a_fraction_is_printed_as_one(weight, printed):
    assert rounding.fraction(weight) == printed


def test_a_coordinate_is_a_fraction_or_has_three_decimals():
    assert [rounding.number(x) for x in (-0.0, 1e-17, -2.5, 80 / 13, 1e6, np.pi)] == [
        "0", "0", "\N{MINUS SIGN}2.5", "80/13", "1000000", "3.142",
    ]  # fmt: skip
