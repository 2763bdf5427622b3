"""The poster: what is drawn is what the package computes."""

import re

import numpy as np

from attention import attention_scores, project
from attention.example import EARLY, SENTENCE, W_K, W_V, attend, embed, w_q
from docs_ext.fences import poster
from docs_ext.html.rounding import fraction, number, vector
from tests.site.fences.reading import plain, read

X, ROW = embed(SENTENCE, EARLY), SENTENCE.index("chased")
SPEC = {"id": "p", "tokens": "SENTENCE", "x": "embed(SENTENCE, EARLY)", "w_k": "W_K", "w_v": "W_V", "asks": "chased"}
SPEC |= {"meet": list("abcd"), "give": ["cats", "dogs"], "heads": {"first?": "w_q(1, 1)", "second?": "w_q(0, -1)"}}


def shares_of(widths):
    wide = np.array([float(width) for width in widths])
    return wide / wide.sum()


def test_arcs_cells_and_what_pours_are_the_packages_numbers():
    drawing = read(poster.render(SPEC)).find(".//{*}svg")

    def drawn(kind, path=".//{*}text"):
        return [plain(text).partition(" of ")[0] for text in drawing.findall(path) if text.get("class") in kind]

    k, v, queries, scores, gets, poured = project(X, W_K), project(X, W_V), [], [], [], []
    for n, matrix in enumerate([w_q(1, 1), w_q(0, -1)], 1):
        weights, output = (rows[ROW] for rows in attend(X, matrix))
        head = f".//{{*}}g[@data-head='{n}']/{{*}}"
        arcs = sorted(drawing.findall(f"{head}path"), key=lambda arc: arc.get("data-id"))
        widths = [re.search(r"stroke-width:([\d.]+)", arc.get("style"))[1] for arc in arcs]
        np.testing.assert_allclose(shares_of(widths), weights, atol=1e-3)
        assert sorted(drawn(["number"], f"{head}g/{{*}}text")) == sorted(f"{fraction(weight)}" for weight in weights)
        queries += [project(X, matrix)[ROW] / np.log(2)]
        scores += [f"2{x:g} = {2**x:g}" for x in attention_scores(queries[-1:], k)[0].round(9) + 0.0]
        gets += [f"{number(part)} parts {name}" for part, name in zip(output, SPEC["give"], strict=True)]
        poured += [part for of in (weights * v.T) for part in of if part]
    assert drawn(["score"]) == scores
    assert drawn(["gets from", "gets to"]) == gets
    ribbons = [path.get("stroke-width") for path in drawing.findall(".//{*}path") if path.get("class") == "pour"]
    np.testing.assert_allclose(shares_of(ribbons), poured / np.sum(poured), atol=1e-4)
    cells = [f"{x:g}" if abs(x) > 1e-9 else "\N{MIDDLE DOT}" for x in np.ravel([*k, *queries])]
    assert drawn(["entry", "zero"]) == cells
    assert drawn(["value"]) == list(map(vector, v))
