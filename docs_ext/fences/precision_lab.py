"""The precision lab: attention whose numbers are kept in formats of 64 to 8 bits, and what that does to the result.

Over a sentence, with a format to choose for each of four places, and copies of the sentence to make the sums long:

    ```precision-lab
    mode: sentence
    caption: A format for every place
    tokens: S5
    x: embed(S5, EARLY5)   # or q, k and v themselves
    w_q: W_Q1
    w_k: W_K
    w_v: W_V               # required here
    format: bfloat16       # of all four places, shown first
    copies: 1024           # in the prediction and the table of choices
    ```

One place at a time, all others in float64, as a figure without a script:

    ```precision-lab
    mode: places
    caption: One place at a time
    heads: >-              # queries, keys and values
      [rng.standard_normal((n, 64)) for rng in [np.random.default_rng(0)]
       for n in (8, 512, 512)]
    ```

Errors are measured against `np.longdouble`, the widest format that NumPy has on the machine that builds the page.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from attention import round_to_format
from docs_ext.errors import SpecError
from docs_ext.html.tables import folded, scrolling_table, table
from docs_ext.html.template import template
from docs_ext.html.widget import still, widget
from docs_ext.reading.expressions import value
from docs_ext.reading.head import Head, read_head
from docs_ext.reading.words import names_of

REQUIRED = ("mode", "caption")
OPTIONAL = ("tokens", "x", "w_q", "w_k", "w_v", "q", "k", "v", "format", "copies", "heads")
FORMATS = {
    "float64": "float64",
    "float32": "float32",
    "float16": "float16",
    "bfloat16": "bfloat16",
    "float8_e4m3fn": "fp8",
}
PLACES = {
    "operands": "what is multiplied",
    "scores": "scores",
    "softmax": "exponentials, sum",
    "output": "output",
}
MOST = 14  # doublings of the sentence
_KEYS = {"sentence": ("tokens", "format", "copies"), "places": ("heads",)}

Floats = NDArray[np.float64]


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    if spec["mode"] not in _KEYS:
        raise SpecError(f"mode must be 'sentence' or 'places': {spec['mode']!r}", key="mode")
    for key in _KEYS[spec["mode"]]:
        if key not in spec:
            raise SpecError(f"mode {spec['mode']!r} needs the key {key!r}", key="mode")
    if spec["mode"] == "places" and (strange := [key for key in OPTIONAL if key in spec and key != "heads"]):
        raise SpecError(f"mode 'places' has no key {strange[0]!r}", key=strange[0])
    return _sentence(spec) if spec["mode"] == "sentence" else _places(spec)


# the arithmetic


def rounded(x: Any, format: str) -> Floats:
    """Return x in float64, rounded to a format."""
    if format in ("float64", "float32"):
        return np.asarray(x, format).astype(float)
    return round_to_format(np.asarray(x, float), format)


def running_sum(terms: Floats, format: str, copies: int = 1) -> Floats:
    """Add the terms of the last axis one after the other, and all of them again for every copy."""
    if format in ("float64", "float32", "float16"):  # NumPy does the same in a type of its own
        with np.errstate(over="ignore", invalid="ignore"):
            return np.add.accumulate(np.tile(terms, copies), axis=-1, dtype=format)[..., -1].astype(float)
    total = np.zeros(terms.shape[:-1])
    for _ in range(copies):
        before = total
        for j in range(terms.shape[-1]):
            total = rounded(total + terms[..., j], format)
        if np.array_equal(total, before):
            break  # it has stopped, and no further copy moves it
    return total


def attend(q: Floats, k: Floats, v: Floats, formats: Mapping[str, str], copies: int = 1) -> tuple[Floats, Floats]:
    """Return the weights of one copy of the keys, and the output over all copies."""
    operands, scores, softmax, output = (formats[place] for place in PLACES)
    q, k, v = (rounded(x, operands) for x in (q, k, v))
    s = running_sum(rounded(q[:, None] * k, scores), scores)  # (n_q, n_k)
    s = rounded(s / math.sqrt(k.shape[-1]), scores)
    e = rounded(np.exp(rounded(s - s.max(axis=1, keepdims=True), softmax)), softmax)
    weights = rounded(e / running_sum(e, softmax, copies)[:, None], softmax)
    terms = rounded(rounded(weights, operands)[:, None] * v.T, output)  # (n_q, d_v, n_k)
    return weights, running_sum(terms, output, copies)


def exactly(q: Floats, k: Floats, v: Floats) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return weights and output in the widest format that NumPy has here."""
    wide_q, wide_k, wide_v = (x.astype(np.longdouble) for x in (q, k, v))
    s = wide_q @ wide_k.T / np.sqrt(np.longdouble(k.shape[-1]))
    e = np.exp(s - s.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return weights, weights @ wide_v


# how errors are shown


def percent(error: float) -> str:
    """Write a relative error with two digits, halves up as the script does.

    >>> percent(0.00390625), percent(-0.125), percent(1e-7), percent(0)
    ('0.39%', '\N{MINUS SIGN}13%', '<0.001%', '0')
    """
    size, scale = abs(error) * 100, 1
    if size < 1e-10:
        return "0"
    if size < 0.001:
        return "<0.001%"
    while size * scale < 10 and scale < 10000:
        scale *= 10
    return f"{chr(0x2212) if error < 0 else ''}{math.floor(size * scale + 0.5) / scale:g}%"


def level(error: float) -> float:
    """Return the darkness of a cell: 0 up to an error of 1e-8, 1 from 1 on, and as the digits between."""
    return float(np.clip(1 + np.log10(max(abs(error), 1e-8)) / 8, 0, 1))


def point(x: float) -> str:
    """Write a coordinate with up to three decimals, halves up as the script does.

    >>> point(5.0), point(2.40625), point(-0.00001)
    ('5', '2.406', '0')
    """
    thousandths = math.floor(x * 1000 + 0.5)
    return f"{thousandths / 1000:.7g}".replace("-", "\N{MINUS SIGN}") if thousandths else "0"


def points(row: Floats) -> str:
    """Write a vector: '(5, 1.992)'."""
    return f"({', '.join(map(point, row.tolist()))})"


# a sentence

_LEGEND = template("""
<span class="legend"><span class="role-query">Rows ask</span>, <span class="role-key">columns answer</span>;
  <span class="swatch"></span> error of a weight, from none to all of it</span>
""")
_CELLS = template("""
<thead><tr><td></td>
  {% for word in words %}
  <th scope="col" class="key">{{ word }}</th>
  {% endfor %}
  <th scope="col" class="output">output</th></tr></thead>
<tbody>
{% for word, row, output in rows %}
<tr><th scope="row" class="query">{{ word }}</th>
  {% for error in row %}
  <td data-weight="{{ error }}" style="--w:{{ level(error) }}">{{ percent(error) }}</td>
  {% endfor %}
  <td class="output">{{ points(output) }}</td></tr>
{% endfor %}
</tbody>
""")
_GRID = template("""
<div class="attention-grid">
{{ table }}
</div>
""")


def choices() -> dict[str, dict[str, str]]:
    """Return the choices that the table compares."""
    everywhere = {f"all in {text}": dict.fromkeys(PLACES, name) for name, text in FORMATS.items() if name != "float64"}
    sums = dict.fromkeys(PLACES, "float32")
    return everywhere | {
        "bfloat16 multiplied, float32 summed": sums | {"operands": "bfloat16"},
        "fp8 multiplied, float32 summed": sums | {"operands": "float8_e4m3fn"},
        "float32, but scores in bfloat16": sums | {"scores": "bfloat16"},
        "float32, but the sum of exponentials in bfloat16": sums | {"softmax": "bfloat16"},
        "float32, but the output in bfloat16": sums | {"output": "bfloat16"},
    }


def _sentence(spec: Mapping[str, Any]) -> Markup:
    one, copies = read_head(spec), spec["copies"]
    if one.v is None:
        raise SpecError("the lab shows outputs: give v, or x and w_v")
    if spec["format"] not in FORMATS:
        raise SpecError(f"format must be one of {', '.join(FORMATS)}: {spec['format']!r}", key="format")
    if copies not in [2**n for n in range(1, MOST + 1)]:
        raise SpecError(f"copies must be a power of two from 2 to {2**MOST}: {copies!r}", key="copies")
    words, formats = names_of(one.queries), dict.fromkeys(PLACES, spec["format"])
    exact, wanted = (x.astype(float) for x in exactly(one.q, one.k, one.v))  # as the script knows them
    weights, output = attend(one.q, one.k, one.v, formats)
    rows = zip(words, weights / exact - 1, output, strict=True)
    cells = _CELLS(words=words, rows=rows, level=level, percent=percent, points=points)
    grid = _GRID(table=scrolling_table("weights", str(spec["caption"]), cells, legend=_LEGEND()))
    repeated = attend(one.q, one.k, one.v, formats, copies)[1]
    return widget(
        "precision-lab",
        str(spec["id"]),
        title=str(spec["caption"]),
        question=f"everything is kept in {FORMATS[spec['format']]}. If the sentence stands there {copies} times in a "
        f"row, the right output of {words[-1]} is still {points(wanted[-1])}. What comes out?",
        answer=f"{points(repeated[-1])}. Once, the output was {points(output[-1])}. The sums have become long, and "
        "further terms are too small to move them.",
        body=grid + folded("Some choices side by side", table(_compared(one, copies))),
        says=statement(words, 1, weights, output, exact, wanted),
        words=words,
        q=one.q.tolist(),
        k=one.k.tolist(),
        v=one.v.tolist(),
        weights=exact.tolist(),
        output=wanted.tolist(),
        formats=FORMATS,
        places=PLACES,
        format=spec["format"],
        most=MOST,
    )


def statement(words: list[str], copies: int, weights: Floats, output: Floats, exact: Floats, wanted: Floats) -> str:
    """Say what the grid shows, the last row in full."""
    worst = float(np.abs(weights * copies / exact - 1).max())
    return (
        f"{len(words) * copies} words. The worst weight is off by {percent(worst)}, the worst output by "
        f"{point(float(np.abs(output - wanted).max()))}. {words[-1]} receives {points(output[-1])}; "
        f"right is {points(wanted[-1])}."
    )


def _compared(one: Head, copies: int) -> list[dict[str, Any]]:
    """Return a record for each choice: what the last word receives from one sentence, and from many copies."""
    assert one.v is not None
    return [
        {"formats": name}
        | {
            f"output of {one.queries[-1]}, {many}": points(attend(one.q[-1:], one.k, one.v, formats, n)[1][0])
            for n, many in ((1, "once"), (copies, f"{copies} times"))
        }
        for name, formats in choices().items()
    ]


# one place at a time

_PLACES = template("""
<thead><tr><td></td>
  {% for name in formats %}
  <th scope="col">{{ name }}</th>
  {% endfor %}</tr></thead>
<tbody>
{% for place, row in rows %}
<tr><th scope="row">{{ place }}</th>
  {% for error in row %}
  <td data-weight="{{ error }}" style="--w:{{ level(error) }}">{{ "%.0e" | format(error) }}</td>
  {% endfor %}</tr>
{% endfor %}
</tbody>
""")


def one_place_at_a_time(q: Floats, k: Floats, v: Floats) -> dict[str, dict[str, float]]:
    """Return the relative error of the output (root of the mean square) for each place and format."""
    wanted = exactly(q, k, v)[1]
    wide = dict.fromkeys(PLACES, "float64")

    def error(place: str, format: str) -> float:
        off = attend(q, k, v, wide | {place: format})[1] - wanted
        return float(np.sqrt((off**2).mean() / (wanted**2).mean()))

    return {place: {format: error(place, format) for format in FORMATS} for place in PLACES}


def _places(spec: Mapping[str, Any]) -> Markup:
    q, k, v = value(spec, "heads")
    errors = one_place_at_a_time(q, k, v)
    rows = [(PLACES[place], list(row.values())) for place, row in errors.items()]
    cells = _PLACES(formats=FORMATS.values(), rows=rows, level=level)
    return still(
        "attention-grid precision-lab", str(spec["id"]), scrolling_table("weights", str(spec["caption"]), cells)
    )
