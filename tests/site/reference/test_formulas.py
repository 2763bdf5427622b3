"""Every formula of a docstring is evaluated on a small case of its function, symbol by symbol."""

import math  # noqa: F401  # the tables name it
import re
from pathlib import Path

import numpy as np
import pytest
import yaml

import attention as at
from attention import MultiHeadWeights  # noqa: F401
from tools.numbers.formulas import statements_that_fail

RNG = np.random.default_rng(7)


def drawn(*shape):
    return RNG.standard_normal(shape)


def by_step(rows):
    """Count from 1, and give each token a matrix of one row."""
    return np.concatenate([np.full_like(rows[:1], np.nan), rows]).reshape(len(rows) + 1, 1, -1)


def feed_forward(tokens):
    block = LETTERS["BLOCK"]
    return at.feed_forward(tokens, block.w_in, block.w_out, block.b_in, block.b_out)


def table(name):
    """Read what the letters of formulas stand for, as expressions."""
    return yaml.load(Path(__file__).with_name(name).read_text("utf-8"), yaml.BaseLoader)


def evaluated(entry, names):
    """Return what the letters of an entry stand for; several cases, where one does not tell."""
    if isinstance(entry, str):
        return eval(entry, names)
    if isinstance(entry, list):
        return [evaluated(case, names) for case in entry]
    letters = {letter: eval(expression, names) for letter, expression in entry.items()}
    return letters.pop("all of", {}) | letters


def with_letters(names, part):
    """Add to some names those of a part of letters.yaml, each an expression in the names before it."""
    names = dict(names)
    for letters, expression in table("letters.yaml")[part].items():
        found = eval(expression, names)
        names |= dict(zip(letters.split(", "), found, strict=True)) if ", " in letters else {letters: found}
    return names


LETTERS = with_letters(globals(), "docstrings")
CASES = {name: evaluated(entry, LETTERS) for name, entry in table("formulas.yaml").items()}
NOT_TRIED = dict.fromkeys(("merge_heads", "split_heads"), "shapes, which test_docstring_shapes.py tries")
CONVENTIONS = {"entropy": [1]}  # 0 ln 0 = 0 is agreed on, not computed
FORMULAS = [
    (name + (" with gates" if number else ""), formula)
    for name in at.__all__
    for number, formula in enumerate(re.findall(r"\$\$(.+?)\$\$", getattr(at, name).__doc__ or "", re.DOTALL))
]


def test_each_formula_has_its_case():
    lacks = {name for name, _ in FORMULAS} - {*CASES, *NOT_TRIED}
    assert not lacks, f"write in formulas.yaml what the letters stand for in the formula of {', '.join(sorted(lacks))}"
    assert sorted(name for name, _ in FORMULAS) == sorted([*CASES, *NOT_TRIED])


@pytest.mark.parametrize(("name", "formula"), [each for each in FORMULAS if each[0] in CASES])
def test_the_formula_of_a_docstring_is_what_the_function_computes(name, formula):
    for names in CASES[name] if isinstance(CASES[name], list) else [CASES[name]]:
        false = statements_that_fail(formula, names)
        assert false == CONVENTIONS.get(name, []), f"of {formula!r}, statements {false}, from 0, are false of {names}"
