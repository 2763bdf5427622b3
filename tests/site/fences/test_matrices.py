"""Matrices: words before rows, features above columns, and what the package computes in between."""

from docs_ext.fences import matrices
from tests.site.fences.reading import read, refuses, rows, text

V = {"role": "value", "rows": "SENTENCE", "columns": ["cats", "dogs"], "data": "attend(embed(SENTENCE), W_Q1)[1] / 4"}
SPEC = {"id": "m", "matrices": {"$V$": V}}


def test_a_word_stands_before_its_row_and_a_zero_is_a_dot():
    given = {"output": V, "$W_V$": V | {"rows": list("abcd"), "data": "-W_V / 8"}}
    root = read(matrices.render(SPEC | {"matrices": given}))
    tables = root.findall(".//table")
    assert text(tables[0].find("caption")) == "output"
    assert tables[0].find("caption/span").get("class") == "role-value"
    assert rows(tables[1])[:2] == [["", "cats", "dogs"], ["a", "-1/2", "\N{MIDDLE DOT}"]]
    assert [head.get("scope") for head in tables[0].findall(".//th")[:3]] == ["col", "col", "row"]


REFUSED = {"another shape": ({"matrices": {"$V$": V | {"columns": ["cats"]}}}, "matrices", "5 x 1 names, but shape")}
test_what_does_not_fit_is_refused = refuses(matrices.render, SPEC, REFUSED)
