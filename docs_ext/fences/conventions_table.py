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
from docs_ext.reading.fence import Spec
from docs_ext.records import conventions

REQUIRED = ("show",)
OPTIONAL = ()
_BREAKS = re.compile(r"(?<=[_=,])(?=\w)|(?<=[a-z])(?=[A-Z])")  # attention_mask, FlexAttention: a column is narrow

_OVERVIEW = template("""
<table class="grid-of-words">
<caption><span>{{ caption }}</span></caption>
<thead><tr><td></td>
  {% for name in libraries %}<th scope="col">{{ name }}</th>{% endfor %}</tr></thead>
<tbody>
{% for topic, said, cells in rows %}
<tr><th scope="row"><a href="#{{ topic }}">{{ said }}</a></th>
  {% for address, word, executed in cells %}
  <td{% if not executed %} class="read"{% endif %}><a href="#{{ address }}">{{ word }}</a></td>
  {% endfor %}</tr>
{% endfor %}
</tbody>
</table>
""")
_TOPIC = template("""
<p class="ask">{{ ask }}</p>
<pre><code>{{ given }}</code></pre>
<table class="answers">
<caption><span class="visually-hidden">{{ caption }}</span></caption>
<thead><tr><th scope="col">library</th><th scope="col">what it does</th></tr></thead>
<tbody>
{% for row in rows %}
<tr id="{{ row.address }}"><th scope="row"><a href="#{{ row.address }}" title="Link to this cell">{{ row.name }}</a>
  <span class="word">{{ row.word }}</span></th>
  <td><p>{{ row.says }}</p>
{% for attempt in row.attempts %}
<p class="result">
  {%- if attempt.label %}<span class="label">{{ attempt.label }}:</span> {% endif %}{{ attempt.result }}</p>
{% endfor %}
{% if row.doc %}<p class="source"><a href="{{ row.doc }}">Read</a>, not executed</p>{% endif %}
<details><summary>The call, and the same here</summary>
{% if row.begins %}<p class="of">after <a href="#{{ row.begins }}">these lines</a></p>{% endif %}
{% for attempt in row.attempts %}
{% if attempt.call %}
<p class="of">{{ attempt.label or row.name }}</p>
<pre><code>{{ attempt.call }}</code></pre>
{% endif %}
{% if attempt.here %}
<p class="of">here</p>
<pre><code>{{ attempt.here }}</code></pre>
{% endif %}
{% if attempt.differs %}
<p class="of">Different on purpose: {{ attempt.differs }}</p>
{% endif %}
{% endfor %}
</details></td></tr>
{% endfor %}
</tbody>
</table>
""")
_LIBRARIES = template("""
{% for library in libraries %}
<details id="{{ library.address }}"><summary>{{ library.name }}: {{ library.versions }}</summary>
<p><a href="{{ library.link }}">{{ library.title }}</a></p>
{% if library.note %}<p>{{ library.note }}</p>{% endif %}
{% if library.begin %}<pre><code>{{ library.begin }}</code></pre>{% endif %}
</details>
{% endfor %}
""")


def render(spec: Spec) -> Markup:
    """Turn the mapping of a fence into HTML."""
    show, ident = str(spec["show"]), str(spec["id"])
    topics = conventions.record()["topics"]
    if show in topics:
        body = _topic(show, topics[show], ident)
    elif show in ("overview", "libraries"):
        body = _overview(topics) if show == "overview" else _libraries(ident)
    else:
        known = ["overview", "libraries", *topics]
        hint = did_you_mean(show, known) or f"; known: {', '.join(known)}"
        raise SpecError(f"there is no topic {show!r}{hint}", key="show")
    return still("conventions-table", ident, body)


def _overview(topics: dict[str, Any]) -> Markup:
    libraries = conventions.record()["libraries"]
    executed, cells = conventions.executed()
    rows = [
        (topic, symbols(about["grid"]), [_word(topic, about, stem, library) for stem, library in libraries.items()])
        for topic, about in topics.items()
    ]
    caption = (
        f"{executed} of {cells} cells were executed in the library, on a CPU ({executed / cells:.1%}). "
        "Those in italics were read, in its documentation or its source, and did not run."
    )
    names = [_breakable(library["name"]) for library in libraries.values()]
    return scrolling("What each library does with each topic", _OVERVIEW(caption=caption, libraries=names, rows=rows))


def _word(topic: str, about: dict[str, Any], stem: str, library: dict[str, Any]) -> tuple[str, Markup, bool]:
    cell = library["cells"][topic]
    return f"{topic}-{_dashed(stem)}", _breakable(conventions.word(about["readings"], cell)), "runs" in cell


def _breakable(words: str) -> Markup:
    return Markup("<wbr>").join(symbols(part) for part in _BREAKS.split(words))


def _topic(topic: str, about: dict[str, Any], ident: str) -> Markup:
    rows = []
    for stem, library in conventions.record()["libraries"].items():
        cell = library["cells"][topic]
        rows.append(
            {
                "address": f"{ident}-{_dashed(stem)}",
                "name": library["name"],
                "word": symbols(conventions.word(about["readings"], cell)),
                "says": inline(cell["says"]),
                "begins": f"library-{_dashed(stem)}" if "begin" in library else None,
                "doc": None if "runs" in cell else cell.get("doc", library["link"]),
                "attempts": [_attempt(attempt) for attempt in conventions.attempts(cell)],
            }
        )
    return _TOPIC(ask=inline(about["ask"]), given=about["given"].strip(), caption=symbols(about["grid"]), rows=rows)


def _attempt(attempt: dict[str, Any]) -> dict[str, Any]:
    shown = {key: attempt.get(key, "").strip() for key in ("label", "call", "here", "differs")}
    label = shown["label"] if shown["call"] else "this package, by what was read" if "gives" in attempt else ""
    return shown | {"label": _inline(label), "result": _result(attempt)}


def _result(attempt: dict[str, Any]) -> Markup:
    """Write the numbers of a result, the words of a signature, or the error."""
    if "raises" in attempt:
        return Markup("<code>{}</code>").format(attempt["raises"])
    texts = [f"{entry:g}" if isinstance(entry, float) else entry for entry in attempt.get("gives", [])]
    return Markup("<b>{}</b>").format(", ".join(texts))


def _libraries(ident: str) -> Markup:
    libraries = [
        {
            "address": f"{ident}-{_dashed(stem)}",
            "name": library["name"],
            "title": library["title"],
            "link": library["link"],
            "versions": ", ".join(" ".join(pair) for pair in library["versions"].items()) or "read only",
            "note": _inline(library.get("note", "")),
            "begin": library.get("begin", "").strip(),
        }
        for stem, library in conventions.record()["libraries"].items()
    ]
    return _LIBRARIES(libraries=libraries)


def _inline(text: str) -> str:
    return inline(text) if text else ""


def _dashed(stem: str) -> str:
    return stem.replace("_", "-")
