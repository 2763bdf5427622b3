"""Every display formula of a page is evaluated on a small case, symbol by symbol."""

import re
from itertools import accumulate, product  # noqa: F401  # the tables name what is not used here

import numpy as np
import pytest

import attention as at
from attention import example  # noqa: F401
from docs_ext.reading.consoles import page as run  # noqa: F401
from tests.site.pages import PAGES, ROOT, page
from tests.site.reference import test_formulas as docstrings
from tests.site.reference.test_formulas import evaluated, table, with_letters
from tools.numbers.formulas import statements_that_fail


def slopes(function, at_point, step=1e-5):
    """Return how much the result changes with each number of a point: (shape of the point, shape of the result)."""
    one_by_one = step * np.eye(at_point.size).reshape(at_point.size, *at_point.shape)
    each = [(function(at_point + more) - function(at_point - more)) / (2 * step) for more in one_by_one]
    return np.reshape(each, at_point.shape + np.shape(each[0]))


def of_self(x, w_q):
    return (at.self_attention(x, w_q, LETTERS["W_K"], LETTERS["W_V"]) * LETTERS["D_Z"]).sum()


class Reals:
    """The real numbers, or rows of n of them."""

    def __init__(self, n=1):
        self.n = n

    def __pow__(self, n):
        return Reals(n)

    def __contains__(self, value):
        return np.size(value) == self.n


class Hull:
    """All blends of two points on a line."""

    def __init__(self, *points):
        self.points = np.ravel(points)

    def __contains__(self, point):
        return self.points.min() <= np.ravel(point)[0] <= self.points.max()


def from_first(values):
    """Count from 1."""
    return np.concatenate([np.full_like(values[:1], np.nan), values])


def merged(one, other):
    parts = [at.PartialAttention(np.array([[z]]), np.array([lse])) for lse, z in (one, other)]
    whole = at.merge_partials(*parts)
    return np.array([whole.logsumexp[0], whole.output[0, 0]])


LETTERS = with_letters(vars(docstrings) | docstrings.LETTERS | globals(), "pages")
CASES_OF = table("page_formulas.yaml")
FORMULAS = {
    path.relative_to(ROOT / "docs").with_suffix("").as_posix(): [
        formula
        for block in page(path).blocks
        if block.kind in ("formula", "text")
        for formula in re.findall(r"\$\$(.+?)\$\$", page(path).source(block), re.DOTALL)
    ]
    for path in PAGES
    if path.is_relative_to(ROOT / "docs")
}


def test_each_display_formula_has_its_case():
    assert {name: len(formulas) for name, formulas in FORMULAS.items() if formulas} == {
        name: len(cases) for name, cases in CASES_OF.items()
    }


@pytest.mark.parametrize(
    ("formula", "entry"),
    [
        pytest.param(formula, case, id=f"{name}-{number}")
        for name, cases in CASES_OF.items()
        for number, (formula, case) in enumerate(zip(FORMULAS[name], cases, strict=False), 1)
    ],
)
def test_a_formula_is_true_of_what_its_letters_stand_for(formula, entry):
    cases = evaluated(entry, LETTERS)
    for names in cases if isinstance(cases, list) else [cases]:
        false = statements_that_fail(formula, names)
        assert false == names.get("fails", []), f"of {formula!r}, statements {false}, from 0, are false of {names}"
