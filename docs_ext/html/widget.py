"""The frames of figures: of a widget, which is complete before its script arrives, and of one without a script.

A widget has a title, a prediction to make, controls (which its script adds), the figure, and the sentence that says
what the figure shows. The script puts Reset beside the title.
"""

from typing import Any

from markupsafe import Markup

from docs_ext.html import renderer
from docs_ext.html.template import template

_WIDGET = template("""
<div data-search-exclude>
<{{ tag }} class="widget" id="{{ ident }}" role="group" aria-labelledby="{{ ident }}-title"
  {%- for name, item in data.items() %} data-{{ name }}="{{ item | json }}"{% endfor %}>
{{ head }}
<details class="question">
<summary>Before you try it: {{ question }}</summary>
<p>{{ answer }}</p>
</details>
{{ body }}
<output aria-live="polite">{{ says }}</output>
</{{ tag }}>
</div>
""")
_HEAD = template("""
<div class="widget-head"><p class="widget-title" id="{{ ident }}-title">{{ title }}</p></div>
""")
_FIGURE = template("""
<div data-search-exclude>
<{{ tag }} class="widget" id="{{ data.id }}" role="group" aria-labelledby="{{ data.id }}-title"
  data-given="{{ data | json }}">{{ body }}</{{ tag }}>
</div>
""")
_STILL = template("""
<div class="{{ kind }}" id="{{ ident }}" data-search-exclude>
{{ body }}
</div>
""")


def widget(
    tag: str, ident: str, *, title: str, question: str, answer: str, body: Markup, says: str, **data: Any
) -> Markup:
    """Write the element: its title, a prediction to make, the figure, and the sentence that says what it shows."""
    return _WIDGET(
        tag=tag,
        ident=ident,
        head=head(ident, title),
        question=question,
        answer=answer,
        body=body,
        says=says,
        data=data,
    )


def figure(tag: str, data: dict[str, Any]) -> Markup:
    """Write the element with its data and what its script draws of them in the first state."""
    plain = renderer.plain(data)
    return _FIGURE(tag=tag, data=plain, body=renderer.draw(tag, plain))


def head(ident: str, title: str) -> Markup:
    """Write the first line of a widget, to which its script adds Reset."""
    return _HEAD(ident=ident, title=title)


def still(kind: str, ident: str, body: Markup) -> Markup:
    """Write a figure that no script changes."""
    return _STILL(kind=kind, ident=ident, body=body)
