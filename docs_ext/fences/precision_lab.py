"""The precision lab: attention whose numbers are kept in formats of 64 to 8 bits, and what that does to the result.

Over a sentence, with a format to choose for each of four places, and copies of the sentence to make the sums long:

    ```precision-lab
    mode: sentence
    caption: A format for every place
    tokens: SENTENCE
    x: embed(SENTENCE, EARLY)   # or q, k and v themselves
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
from docs_ext.html.tables import scrolling
from docs_ext.html.template import template
from docs_ext.html.widget import figure, still
from docs_ext.reading.expressions import value
from docs_ext.reading.head import read_head
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
    if missing := [key for key in _KEYS[spec["mode"]] if key not in spec]:
        raise SpecError(f"mode {spec['mode']!r} needs the key {missing[0]!r}", key="mode")
    if spec["mode"] == "sentence":
        return figure("precision-lab", {"id": spec["id"], "title": spec["caption"], **_sentence(spec)})
    if strange := [key for key in OPTIONAL if key in spec and key != "heads"]:
        raise SpecError(f"mode 'places' has no key {strange[0]!r}", key=strange[0])
    return _places(spec)


def exactly(q: Floats, k: Floats, v: Floats) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return weights and output in the widest format that NumPy has here."""
    wide_q, wide_k, wide_v = (x.astype(np.longdouble) for x in (q, k, v))
    s = wide_q @ wide_k.T / np.sqrt(np.longdouble(k.shape[-1]))
    e = np.exp(s - s.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return weights, weights @ wide_v


def _sentence(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the script draws."""
    one, copies = read_head(spec), spec["copies"]
    if one.v is None:
        raise SpecError("the lab shows outputs: give v, or x and w_v")
    if spec["format"] not in FORMATS:
        raise SpecError(f"format must be one of {', '.join(FORMATS)}: {spec['format']!r}", key="format")
    if copies not in [2**n for n in range(1, MOST + 1)]:
        raise SpecError(f"copies must be a power of two from 2 to {2**MOST}: {copies!r}", key="copies")
    weights, output = (x.astype(float) for x in exactly(one.q, one.k, one.v))
    names = {"formats": FORMATS, "places": PLACES, "format": spec["format"], "copies": copies, "most": MOST}
    head = {"words": names_of(one.queries), "q": one.q, "k": one.k, "v": one.v}
    return {**head, "weights": weights, "output": output, **names}


# one place at a time


def _rounded(x: Any, format: str) -> Floats:
    """Return x in float64, rounded to a format."""
    if format in ("float64", "float32"):
        return np.asarray(x, format).astype(float)
    return round_to_format(np.asarray(x, float), format)


def _running_sum(terms: Floats, format: str) -> Floats:
    total = np.zeros(terms.shape[:-1])
    for j in range(terms.shape[-1]):
        total = _rounded(total + terms[..., j], format)
    return total


def attend(q: Floats, k: Floats, v: Floats, formats: Mapping[str, str]) -> tuple[Floats, Floats]:
    """Return weights and output."""
    operands, scores, softmax, output = (formats[place] for place in PLACES)
    q, k, v = (_rounded(x, operands) for x in (q, k, v))
    s = _running_sum(_rounded(q[:, None] * k, scores), scores)  # (n_q, n_k)
    s = _rounded(s / math.sqrt(k.shape[-1]), scores)
    e = _rounded(np.exp(_rounded(s - s.max(axis=1, keepdims=True), softmax)), softmax)
    weights = _rounded(e / _running_sum(e, softmax)[:, None], softmax)
    terms = _rounded(_rounded(weights, operands)[:, None] * v.T, output)  # (n_q, d_v, n_k)
    return weights, _running_sum(terms, output)


_PLACES = template("""
<table class="weights">
<caption><span><span class="title">{{ caption }}</span></span></caption>
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
</table>
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
    rows = [(PLACES[place], list(row.values())) for place, row in one_place_at_a_time(q, k, v).items()]
    caption = str(spec["caption"])
    table = _PLACES(caption=caption, formats=FORMATS.values(), rows=rows, level=_level)
    return still("attention-grid precision-lab", str(spec["id"]), scrolling(caption, table))


def _level(error: float) -> float:
    """Return the darkness of a cell, as the script does: 0 up to an error of 1e-8, 1 from 1 on."""
    return float(np.clip(1 + np.log10(max(error, 1e-8)) / 8, 0, 1))
