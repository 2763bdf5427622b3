"""The table of symbols: its formulas and shapes are computed, its names are names of the package."""

import inspect
import re

import numpy as np
import pytest

import attention
from attention import attention_scores, attention_vjp, attention_weights, partial_attention
from tests.site.pages import ROOT
from tests.site.reference.test_formulas import LETTERS as OURS
from tools.numbers.formulas import statements_that_fail

TEXT = (ROOT / "docs/reference/notation.md").read_text("utf-8")
SIZES = {r"\dmodel": 7, r"\dk": 3, r"\dv": 2, r"\nq": 5, r"\nk": 11, "n": 5, "h": 4, "d_Y": 13, "1": 1}


def rows(heading):
    table = TEXT.split(f"| {heading} |")[1].split("\n\n")[0]
    return [
        [cell.strip() for cell in row.strip()[1:-1].split("|")] for row in table.splitlines()[2:] if row.startswith("|")
    ]


SYMBOLS = {row[0]: row[1:] for row in rows("symbol | name in code | shape | meaning")}


def arrays():
    """Return what each symbol of the table stands for, with every size different."""
    rng = np.random.default_rng(0)
    n_q, n_k, d_model, d_k, d_v = (SIZES[name] for name in (r"\nq", r"\nk", r"\dmodel", r"\dk", r"\dv"))
    x, y = rng.standard_normal((n_q, d_model)), rng.standard_normal((n_k, SIZES["d_Y"]))
    w_q, w_k, w_v = (rng.standard_normal((d_model, width)) for width in (d_k, d_k, d_v))
    other = rng.standard_normal((n_k, d_model))  # whose keys and values are asked for
    q, k, v = x @ w_q, other @ w_k, other @ w_v
    s = attention_scores(q, k)
    a = attention_weights(q, k)
    part = partial_attention(q, k, v)
    w_o = rng.standard_normal((SIZES["h"] * d_v, d_model))
    m = s.max(axis=-1, keepdims=True)
    ell = np.exp(s - m).sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(np.exp(s - m) @ v / ell, a @ v, rtol=0, atol=1e-12)  # z = o / l
    np.testing.assert_allclose((m + np.log(ell))[:, 0], part.logsumexp, rtol=0, atol=1e-12)  # L = m + ln l
    return {
        "X": [x], "W_Q, W_K, W_V": [w_q, w_k, w_v], r"\Q": [q], r"\K": [k], r"\V": [v], "S": [s], "M": [s > 0],
        "B": [s], "A": [a], r"\Z": [a @ v], "W_O": [w_o], r"m, \ell, o": [m, ell, np.exp(s - m) @ v],
        "L": [part.logsumexp], "Y": [y], r"\q_i, \k_j, \v_j, \z_i": [q[0], v[0]],
    }  # fmt: skip


ARRAYS = arrays()
SHAPED = {symbol: cells for symbol, cells in SYMBOLS.items() if cells[1]}


def measured(shape):
    axes = shape.replace(r"\, ", " ").split(", ")
    return tuple(int(np.prod([SIZES[part] for part in axis.split()])) for axis in axes)


@pytest.mark.parametrize("symbol", SHAPED)
def test_a_symbol_has_the_shape_of_its_array(symbol):
    name = symbol.strip("$").split(" = ")[0]
    if name == "dX":
        query = ARRAYS[r"\Q"][0]
        grads = attention_vjp(query, ARRAYS[r"\K"][0], ARRAYS[r"\V"][0], ARRAYS[r"\Z"][0])
        assert SHAPED[symbol][1] == "that of $X$"
        assert grads[0].shape == query.shape
        return
    shapes = [measured(shape) for shape in re.findall(r"\$\(([^$]*)\)\$", SHAPED[symbol][1])]
    assert shapes == [array.shape for array in ARRAYS[name]]


MADE = OURS["LAYER"] | {letter: OURS["X"] @ OURS[f"W_{letter}"] for letter in "QKV"}  # in self-attention
LETTERS = {r"\Q": MADE, r"\K": MADE, r"\V": MADE, r"\delta": {r"\delta": 2, "j": 5, "i": 3}}


def test_every_formula_of_the_table_is_true_of_what_its_letters_stand_for():
    formulas = [symbol.strip("$") for symbol in SYMBOLS if " = " in symbol]
    assert len(formulas) == 7
    for formula in formulas:
        names = LETTERS.get(formula.split()[0], OURS["TOKENS"] | {"A": OURS["P"], "Z": OURS["Z"]})
        assert statements_that_fail(formula, names) == [], formula


def test_every_name_in_code_is_used_by_the_package():
    functions = [getattr(attention, name) for name in attention.__all__ if not name.endswith("Options")]
    parameters = {name for function in functions for name in inspect.signature(function).parameters}
    documented = " ".join(function.__doc__ for function in functions)
    written = {name for cells in SYMBOLS.values() for name in re.findall(r"`(\w+)`", " ".join(cells))}
    assert len(written) > 20
    assert not [name for name in written if name not in parameters and not re.search(rf"\b{name}\b", documented)]
