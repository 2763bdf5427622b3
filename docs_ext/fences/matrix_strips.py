"""X W = Q, K and V as coloured strips: one sequence, three matrices, and the products behind each number.

    ```matrix-strips
    caption: One sequence, three matrices
    tokens: S5                         # words, at most 8
    x: embed(S5, EARLY5)
    features: [cat, dog, asks, early]  # columns of x, rows of all three
    w_q: W_Q1
    w_k: W_K
    w_v: W_V
    meet: [noun, early, asks, which]   # columns of w_q and w_k
    give: [cat, dog]                   # columns of w_v
    unit: {name: ln 2, size: np.log(2)}  # of w_q; by default 1
    selected: cat                      # word or index; else the last
    column: key early                  # role and column chosen at first
    ```

A query meets a key in the columns that `meet` names. A number of a result stands in its word's row, below the column
of the matrix that made it. Choosing is the browser's own: radio buttons in the heads of rows and columns, to which the
style sheet answers. Where the page is narrow it shows one matrix at a time. The script says the products, and takes a
click on any cell.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attention import project
from docs_ext.errors import SpecError
from docs_ext.html.numbers import number, vector
from docs_ext.html.strips import strips
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading.expressions import array, value
from docs_ext.reading.words import names_of, row_of, words_of

REQUIRED = ("caption", "tokens", "x", "features", "w_q", "w_k", "w_v", "meet", "give", "column")
OPTIONAL = ("unit", "selected")
ROLES = {"query": "Q", "key": "K", "value": "V"}
PLURALS = {"query": "queries", "key": "keys", "value": "values"}
MAX_WORDS, MAX_COLUMNS = 8, 6  # the style sheet has one rule a row and one a column

Floats = NDArray[np.float64]

_BODY = template("""
<div class="scroll" tabindex="0" role="region" aria-label="{{ caption }}">
<div class="matrix-strips" style="--one:{{ one }};--every:{{ every }}">
<div class="which">
  {% for panel in panels %}
  <label class="{{ panel.role }}" for="{{ ident }}-column-{{ panel.first }}">{{ panel.maker }} makes
    {{ panel.plural }}</label>
  {% endfor %}</div>
<div class="given">{{ given }}</div>
{% for panel in panels %}
<div class="panel {{ panel.role }}">{{ panel.matrix }}<div class="made">{{ panel.made }}</div></div>
{% endfor %}
</div>
</div>
""")
_ROW = template("""
<label><input type="radio" name="{{ ident }}-row" value="{{ row }}"{{ " checked" if chosen }}> {{ word }}</label>
""")
_COLUMN = template("""
<label><input type="radio" name="{{ ident }}-column" id="{{ ident }}-column-{{ column }}" value="{{ column }}"
  aria-label="{{ role }}: {{ name }}"{{ " checked" if chosen }}> {{ name }}</label>
""")
_MATRIX = template("W<sub>{{ letter }}</sub>{% if unit %} / {{ unit }}{% endif %}")
_MADE = template("{{ letter }}{% if unit %} / {{ unit }}{% endif %}")
_ASIDE = template("<span>{{ text }}</span>")  # stands beside the table


class Product(NamedTuple):
    """One matrix and what it makes of x."""

    role: str
    columns: Sequence[str]
    matrix: Floats  # (d_model, columns)
    made: Floats  # (n, columns)
    unit: str


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    words, features, x, products = _read(spec)
    row, chosen = row_of(spec, "selected", words), _column(spec, products)
    twice = [vector(2 * product.made[row]) for product in products]
    return widget(
        "matrix-strips",
        str(spec["id"]),
        title=str(spec["caption"]),
        question=f"double every feature of {words[row]}. What happens to its query, its key and its value?",
        answer="All three double, because each of their numbers is a sum of products with these features: the key "
        f"is then {twice[1]}, the value {twice[2]} and the query {twice[0]}{_in(products[0].unit)}.",
        body=_body(spec, words, features, x, products, row, chosen),
        says=statement(names_of(words)[row], x[row], products[chosen[0]], row, chosen[1]),
        words=names_of(words),
        x=x.tolist(),
        products=[
            {
                "role": product.role,
                "columns": list(product.columns),
                "matrix": product.matrix.tolist(),
                "made": product.made.tolist(),
                "unit": _in(product.unit),
            }
            for product in products
        ],
    )


def statement(word: str, x: Floats, product: Product, row: int, column: int) -> str:
    """Say how a number comes about: 'The key of cat, early: 2 · 0 + 0 · 0 + 0 · 0 + 2 · 2 = 4. …'."""
    terms = [f"{number(a)} \N{MIDDLE DOT} {_bracketed(b)}" for a, b in zip(x, product.matrix[:, column], strict=True)]
    made = product.made[row]
    return (
        f"The {product.role} of {word}, {product.columns[column]}: {' + '.join(terms)} = {number(made[column])}. "
        f"The whole {product.role} is {vector(made)}{_in(product.unit)}."
    )


def _in(unit: str) -> str:
    return f", in units of {unit}" if unit else ""


def _bracketed(x: float) -> str:
    return f"({number(x)})" if x < 0 else number(x)


def _read(spec: Mapping[str, Any]) -> tuple[Sequence[str], Sequence[str], Floats, list[Product]]:
    words, features, x = words_of(spec, "tokens"), words_of(spec, "features"), array(spec, "x")
    if len(words) > MAX_WORDS:
        raise SpecError(f"tokens must be at most {MAX_WORDS}: {len(words)}", key="tokens")
    if x.shape != (len(words), len(features)):
        raise SpecError(f"{len(words)} words with {len(features)} features but x has shape {x.shape}", key="x")
    unit, size = _unit(spec)
    products = []
    for key, role, names in (("w_q", "query", "meet"), ("w_k", "key", "meet"), ("w_v", "value", "give")):
        columns, matrix = words_of(spec, names), array(spec, key)
        if matrix.shape != (len(features), len(columns)) or len(columns) > MAX_COLUMNS:
            raise SpecError(
                f"{key} must have {len(features)} rows and the {len(columns)} columns of {names!r}, at most "
                f"{MAX_COLUMNS}: shape {matrix.shape}",
                key=key,
            )
        mine = (size, unit) if role == "query" else (1.0, "")
        products.append(Product(role, columns, matrix / mine[0], project(x, matrix) / mine[0], mine[1]))
    return words, features, x, products


def _unit(spec: Mapping[str, Any]) -> tuple[str, float]:
    if "unit" not in spec:
        return "", 1.0
    unit = spec["unit"]
    if not isinstance(unit, dict) or unit.keys() != {"name", "size"}:
        raise SpecError("unit is a mapping, such as {name: ln 2, size: np.log(2)}", key="unit")
    return str(unit["name"]), float(value({"unit": unit["size"]}, "unit"))


def _column(spec: Mapping[str, Any], products: Sequence[Product]) -> tuple[int, int]:
    role, _, name = str(spec["column"]).partition(" ")
    for which, product in enumerate(products):
        if role == product.role and name in product.columns:
            return which, product.columns.index(name)
    known = ", ".join(f"{product.role} {name}" for product in products for name in product.columns)
    raise SpecError(f"column must be one of {known}: {spec['column']!r}", key="column")


def _body(
    spec: Mapping[str, Any],
    words: Sequence[str],
    features: Sequence[str],
    x: Floats,
    products: Sequence[Product],
    row: int,
    chosen: tuple[int, int],
) -> Markup:
    ident, column, panels = str(spec["id"]), 0, []
    for which, product in enumerate(products):
        letter, unit = ROLES[product.role], product.unit
        heads = [
            _COLUMN(ident=ident, role=product.role, name=name, column=column + i, chosen=(which, i) == chosen)
            for i, name in enumerate(product.columns)
        ]
        above, below = ([_ASIDE(text=text) for text in texts] for texts in (features, names_of(words)))
        panels.append(
            {
                "role": product.role,
                "plural": PLURALS[product.role],
                "first": column,
                "maker": _MATRIX(letter=letter, unit=""),
                "matrix": strips(
                    product.matrix,
                    product.role,
                    name=_MATRIX(letter=letter, unit=unit),
                    words=above,
                    features=heads,
                ),
                "made": strips(product.made, product.role, name=_MADE(letter=letter, unit=unit), words=below),
            }
        )
        column += len(product.columns)
    asks = [_ROW(ident=ident, row=i, word=word, chosen=i == row) for i, word in enumerate(names_of(words))]
    cells = [len(product.columns) for product in products]  # beside those of x: of one matrix, or of all of them
    given = strips(x, name="X", words=asks, features=features)
    one, every = (len(features) + count(cells) for count in (max, sum))
    return _BODY(caption=spec["caption"], ident=ident, one=one, every=every, panels=panels, given=given)
