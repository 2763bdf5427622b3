"""Word arcs: sentences in which one word needs another, and an arc that leads to it.

```word-arcs
caption: Another word tells you which bank it is
alt: Three sentences with the word bank. An arc leads from it to boat, to loan and to sister.
sentences:
  - The *boat* drifted towards the **bank**.
  - The **bank** turned down her *loan*.
```

The bold word needs the one in italics. The arcs are the stage's, but all are equally thick: nothing is computed.
"""

import re
from typing import Any

from markupsafe import Markup

from attention.show.curves import Place, centres, curves, widths
from docs_ext.errors import SpecError
from docs_ext.html.template import template
from docs_ext.html.widget import still
from docs_ext.reading.keys import Spec

REQUIRED = ("caption", "alt", "sentences")
OPTIONAL = ()
_ARC = Place(floor=0, budget=9, lowest=10, rise=0.2, loop=0, gap=0)  # flatter than a stage's
_HIGH, _BASE, _APART, _END = 38, 28, 18, 8  # a word's box and its letters within; between sentences; a full stop
_MARKED = re.compile(r"(?P<mark>\*{1,2})(?P<word>[\w'-]+)(?P=mark)(?P<end>\W*)")

_FIGURE = template("""
<figure>
<svg viewBox="0 0 {{ wide }} {{ high }}" role="img" aria-label="{{ alt }}">
{% for line in lines %}
<g transform="translate(0 {{ line.top }})">
  <path class="arc" d="{{ line.arc.d }}" stroke-width="{{ line.arc.thickness }}"/>
  {% for word in line.words %}
  <g class="{{ word.kind }}" transform="translate({{ word.x }} 0)">
    {% if word.kind %}<rect x="{{ -word.half }}" width="{{ 2 * word.half }}" height="{{ box }}" rx="6"/>{% endif %}
    <text y="{{ base }}">{{ word.text }}</text>
    {% if word.end %}<text class="end" x="{{ word.half + 2 }}" y="{{ base }}">{{ word.end }}</text>{% endif %}</g>
  {% endfor %}</g>
{% endfor %}
</svg>
<figcaption>{{ caption }}</figcaption>
</figure>
""")


def render(spec: Spec) -> Markup:
    """Turn the mapping of a fence into HTML."""
    lines, top, wide = list[dict[str, Any]](), 0.0, 0.0
    for sentence in spec["sentences"]:
        line = _line(sentence)
        top += line["rises"]
        lines.append({**line, "top": top})
        top += _HIGH + _APART
        wide = max(wide, line["wide"])
    drawn = _FIGURE(
        lines=lines, wide=wide, high=top - _APART, box=_HIGH, base=_BASE, alt=spec["alt"], caption=spec["caption"]
    )
    return still("word-arcs", spec["id"], drawn)


def _line(sentence: str) -> dict[str, Any]:
    """Return the words of a sentence in their columns, the arc over them, and how far it rises."""
    words = list[dict[str, Any]]()
    for part in sentence.split():
        found = _MARKED.fullmatch(part)
        kind = ("answers", "asks")[len(found["mark"]) - 1] if found else ""
        words.append({"kind": kind, "text": found["word"] if found else part, "end": found["end"] if found else ""})
    kinds = [word["kind"] for word in words]
    if sorted(filter(None, kinds)) != ["answers", "asks"]:
        raise SpecError(f"a sentence has one word in bold and one in italics: {sentence!r}", key="sentences")
    columns = widths([word["text"] for word in words])
    middles = centres(columns)
    for word, x, column in zip(words, middles, columns, strict=True):
        word |= {"x": x, "half": column / 2 - 4}
    weights = [1.0 if kind == "answers" else None for kind in kinds]
    arc = curves(middles, _ARC, kinds.index("asks"), weights)[0]
    return {"words": words, "arc": arc, "rises": arc.thickness / 2 - arc.top[1], "wide": sum(columns) + _END}
