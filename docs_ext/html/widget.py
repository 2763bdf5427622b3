"""The frames of figures: of a widget, which its own script draws, and of one without a script."""

from typing import Any

from markupsafe import Markup

from docs_ext.html import renderer
from docs_ext.html.template import template

_FIGURE = template("""
<div>
<{{ tag }} class="widget" id="{{ data.id }}" data-search-exclude role="group" aria-labelledby="{{ data.id }}-title"
  data-given="{{ data | json }}">{{ body }}</{{ tag }}>
</div>
""")
_STILL = template("""
<div class="{{ kind }}" id="{{ ident }}" data-search-exclude>
{{ body }}
</div>
""")


def figure(tag: str, data: dict[str, Any]) -> Markup:
    """Write the element with its data and what its script draws of them in the first state."""
    plain = renderer.plain(data)
    return _FIGURE(tag=tag, data=plain, body=renderer.draw(tag, plain))


def still(kind: str, ident: str, body: Markup) -> Markup:
    """Write a figure that no script changes."""
    return _STILL(kind=kind, ident=ident, body=body)
