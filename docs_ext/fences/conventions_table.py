"""What libraries do with the same input: an overview, a table for each topic, and how each library was called.

```conventions-table
show: libraries     # or overview, or a topic: polarity, causal, …
```

Everything in it was recorded by examples/record_conventions.py. A cell of the overview leads to its row in the table of
its topic, `#causal-jax-nn`, and a row to the lines that its calls begin with, `#library-jax-nn`: so on the page a topic
is the id of its fence, and `library` that of the last one. A row unfolds to the call that was executed and to the call
of this package that agrees.
"""

import re
from typing import Any

from markupsafe import Markup

from docs_ext.errors import SpecError, did_you_mean
from docs_ext.html.inline import inline
from docs_ext.html.symbols import symbols
from docs_ext.html.tables import scrolling
from docs_ext.html.template import template
from docs_ext.html.widget import still
from docs_ext.reading.keys import Spec
from docs_ext.records import conventions

REQUIRED = ("show",)
OPTIONAL = ()
_BREAKS = re.compile(r"(?<=[_=,])(?=\w)|(?<=[a-z])(?=[A-Z])")  # attention_mask, FlexAttention: a column is narrow

_OVERVIEW = template("""
<table class="grid-of-words">
<caption><span>{{ caption }}</span></caption>
<thead><tr><td></td>
  {% for library in libraries.values() %}<th scope="col">{{ breakable(library.name) }}</th>{% endfor %}</tr></thead>
<tbody>
{% for topic, about in topics.items() %}
<tr><th scope="row"><a href="#{{ topic }}">{{ symbols(about.grid) }}</a></th>
  {% for stem, library in libraries.items() %}
  {% set cell = library["cells"][topic] %}
  <td{% if "runs" not in cell %} class="read"{% endif %}><a href="#{{ topic }}-{{ stem | replace("_", "-") }}">
    {{- breakable(word(about.readings, cell)) }}</a></td>
  {% endfor %}</tr>
{% endfor %}
</tbody>
</table>
""")
_TOPIC = template("""
<p class="ask">{{ inline(about.ask) }}</p>
<pre><code>{{ about.given | trim }}</code></pre>
<table class="answers">
<caption><span class="visually-hidden">{{ symbols(about.grid) }}</span></caption>
<thead><tr><th scope="col">library</th><th scope="col">what it does</th></tr></thead>
<tbody>
{% for stem, library in libraries.items() %}
{% set dashed, cell = stem | replace("_", "-"), library["cells"][topic] %}
{% set address = ident ~ "-" ~ dashed %}
<tr id="{{ address }}"><th scope="row"><a href="#{{ address }}" title="Link to this cell">{{ library.name }}</a>
  <span class="word">{{ symbols(word(about.readings, cell)) }}</span></th>
  <td><p>{{ inline(cell.says) }}</p>
{% for attempt in attempts(cell) %}
{% set read = "this package, by what was read" if "gives" in attempt %}
{% set label = attempt.get("label") if attempt.get("call") else read %}
<p class="result">
  {%- if label %}<span class="label">{{ inline(label | trim) }}:</span> {% endif %}{{ result(attempt) }}</p>
{% endfor %}
{% if "runs" not in cell %}
<p class="source"><a href="{{ cell.get("doc", library.link) }}">Read</a>, not executed</p>{% endif %}
<details><summary>The call, and the same here</summary>
{% if library.get("begin") %}<p class="of">after <a href="#library-{{ dashed }}">these lines</a></p>{% endif %}
{% for attempt in attempts(cell) %}
{% if attempt.get("call") %}
<p class="of">{{ inline(attempt.label | trim) if attempt.get("label") else library.name }}</p>
<pre><code>{{ attempt.call | trim }}</code></pre>
{% endif %}
{% if attempt.get("here") %}
<p class="of">here</p>
<pre><code>{{ attempt.here | trim }}</code></pre>
{% endif %}
{% if attempt.get("differs") %}
<p class="of">Different on purpose: {{ attempt.differs | trim }}</p>
{% endif %}
{% endfor %}
</details></td></tr>
{% endfor %}
</tbody>
</table>
""")
_LIBRARIES = template("""
{% for stem, library in libraries.items() %}
<details id="{{ ident }}-{{ stem | replace("_", "-") }}"><summary>{{ library.name }}:
  {% for name, version in library.versions.items() %}
    {{- ", " if not loop.first }}{{ name }} {{ version }}
  {%- else %}read only{% endfor %}</summary>
<p><a href="{{ library.link }}">{{ library.title }}</a></p>
{% if library.get("note") %}<p>{{ inline(library.note) }}</p>{% endif %}
{% if library.get("begin") %}<pre><code>{{ library.begin | trim }}</code></pre>{% endif %}
</details>
{% endfor %}
""")


def render(spec: Spec) -> Markup:
    """Turn the mapping of a fence into HTML."""
    show, ident, record = str(spec["show"]), str(spec["id"]), conventions.record()
    topics, given = record["topics"], {**record, **_FUNCTIONS, "ident": ident}
    if show in topics:
        body = _TOPIC(topic=show, about=topics[show], **given)
    elif show == "overview":
        executed, cells = conventions.executed()
        caption = (
            f"{executed} of {cells} cells were executed in the library, on a CPU ({executed / cells:.1%}). "
            "Those in italics were read, in its documentation or its source, and did not run."
        )
        body = scrolling("What each library does with each topic", _OVERVIEW(caption=caption, **given))
    elif show == "libraries":
        body = _LIBRARIES(**given)
    else:
        known = ["overview", "libraries", *topics]
        hint = did_you_mean(show, known) or f"; known: {', '.join(known)}"
        raise SpecError(f"there is no topic {show!r}{hint}", key="show")
    return still("conventions-table", ident, body)


def _breakable(words: str) -> Markup:
    return Markup("<wbr>").join(symbols(part) for part in _BREAKS.split(words))


def _result(attempt: dict[str, Any]) -> Markup:
    """Write the numbers of a result, the words of a signature, or the error."""
    if "raises" in attempt:
        return Markup("<code>{}</code>").format(attempt["raises"])
    texts = [f"{entry:g}" if isinstance(entry, float) else entry for entry in attempt.get("gives", [])]
    return Markup("<b>{}</b>").format(", ".join(texts))


_FUNCTIONS = {"symbols": symbols, "breakable": _breakable, "inline": inline, "result": _result}
_FUNCTIONS |= {"word": conventions.word, "attempts": conventions.attempts}
