"""Attention on paper: a few words with their q, k and v, and the four steps for one of them.

    ```qkv-calculator
    caption: Four steps for three words
    tokens: [cats, who, dogs]
    x: embed(["cats", "who", "dogs"], [2, 1, 0])   # or q, k and v themselves
    w_q: W_Q1
    w_k: W_K
    w_v: W_V                                      # required here
    query: that                                   # the word that asks at first
    features: {key: [noun, early, asks, which], value: [cats, dogs]}
    ```

Queries are shown in doublings, without the factor ln 2 of the example. So scores count doublings, and a weight is a
power of two, 2 to the score, over the sum of all.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from docs_ext.errors import SpecError
from docs_ext.html.formula import render as formula
from docs_ext.reading import head
from docs_ext.reading.head import read_head
from docs_ext.reading.words import features_of, names_of, row_of

REQUIRED = (*head.REQUIRED, "query", "features")
OPTIONAL = ("x", "w_q", "w_k", "w_v", "q", "k", "v")
FORMULAS = {  # of the matrices, and of the steps
    "q": r"\Q",
    "k": r"\K",
    "v": r"\V",
    "product": r"\q_i \cdot \k_j",
    "score": r"s_{ij} = \dfrac{\q_i \cdot \k_j}{\sqrt{\dk}}",
    "power of two": r"2^{s_{ij}}",
    "weight": r"a_{ij} = \dfrac{2^{s_{ij}}}{\sum_l 2^{s_{il}}}",
    "weight \N{MULTIPLICATION SIGN} value": r"a_{ij}\, \v_j",
}


def data(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the script draws."""
    one = read_head(spec)
    if one.v is None:
        raise SpecError("a calculator needs values: v, or x and w_v")
    if len(one.keys) < 3:
        raise SpecError("a calculator needs three words: one that rises, two that keep their ratio", key="tokens")
    return {
        "words": names_of(one.keys),
        "query": row_of(spec, "query", one.queries),
        "q": np.round(one.q / np.log(2), 12),  # in units of ln 2
        "k": one.k,
        "v": one.v,
        "features": features_of(spec, {"key": one.k.shape[1], "value": one.v.shape[1]}),
        "formulas": {name: formula(tex) for name, tex in FORMULAS.items()},
    }
