"""The frames of figures: of a widget, which is complete before its script arrives, and of one without a script."""

from typing import Any

from markupsafe import Markup

from docs_ext.html.template import template

_WIDGET = template("""
<div data-search-exclude>
<{{ tag }} class="widget" id="{{ ident }}"
  {%- for name, item in data.items() %} data-{{ name }}="{{ item | json }}"{% endfor %}>
<details class="question">
<summary>Before you try it: {{ question }}</summary>
<p>{{ answer }}</p>
</details>
{{ body }}
<output aria-live="polite">{{ says }}</output>
</{{ tag }}>
</div>
""")
_STILL = template("""
<div class="{{ kind }}" id="{{ ident }}" data-search-exclude>
{{ body }}
</div>
""")


def widget(tag: str, ident: str, *, question: str, answer: str, body: Markup, says: str, **data: Any) -> Markup:
    """Write the element: a prediction to make, the figure, and the sentence that says what it shows."""
    return _WIDGET(tag=tag, ident=ident, question=question, answer=answer, body=body, says=says, data=data)


def still(kind: str, ident: str, body: Markup) -> Markup:
    """Write a figure that no script changes."""
    return _STILL(kind=kind, ident=ident, body=body)
