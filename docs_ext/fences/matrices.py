"""Matrices as one writes them: in brackets, a word before each row, a feature above each column.

```matrices
matrices:
  $V$: {role: value, rows: SENTENCE, columns: [cats, dogs], data: "embed(SENTENCE, EARLY) @ W_V"}
```

A dot is a zero.
"""

from markupsafe import Markup

from docs_ext.errors import SpecError
from docs_ext.html.inline import inline
from docs_ext.html.symbols import said
from docs_ext.html.tables import scrolling
from docs_ext.html.template import template
from docs_ext.html.widget import still
from docs_ext.reading.expressions import array
from docs_ext.reading.keys import Spec
from docs_ext.reading.words import words_of

REQUIRED, OPTIONAL = ("matrices",), ()
_MATRIX = template("""
<table class="matrix"><caption><span{% if role %} class="role-{{ role }}"{% endif %}>{{ name }}</span></caption>
<tr><td></td>{% for column in columns %}<th scope="col">{{ column }}</th>{% endfor %}</tr>
{% for word, row in zip(rows, data) %}
<tr><th scope="row">{{ word }}</th>
  {% for x in row %}<td>{{ (x | share).replace("-", "\N{MINUS SIGN}") if x else "\N{MIDDLE DOT}" }}</td>
  {% endfor %}</tr>
{% endfor %}</table>
""")


def render(spec: Spec) -> Markup:
    """Turn the mapping of a fence into HTML."""
    drawn = list[Markup]()
    for name, given in spec["matrices"].items():
        rows, columns, data = words_of(given, "rows"), words_of(given, "columns"), array(given, "data")
        if data.shape != (len(rows), len(columns)):
            raise SpecError(f"{name}: {len(rows)} x {len(columns)} names, but shape {data.shape}", key="matrices")
        matrix = _MATRIX(name=inline(name), role=given.get("role"), rows=rows, columns=columns, data=data)
        drawn.append(scrolling(said(name.replace("$", "")), matrix))
    return still("matrices", spec["id"], Markup("\n").join(drawn))
