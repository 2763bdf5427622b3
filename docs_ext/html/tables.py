"""Tables: of records, and the box in which a wide one scrolls."""

from typing import Any

from markupsafe import Markup

from docs_ext.html.symbols import symbols
from docs_ext.html.template import template

_RECORDS = template("""
<table class="numbers">
{% if caption %}
<caption><span>{{ symbols(caption) }}</span></caption>
{% endif %}
<thead><tr>
  {% for name, item in records[0].items() %}
  <th scope="col"{% if item is string %} class="word"{% endif %}>{{ symbols(name) }}</th>
  {% endfor %}</tr></thead>
<tbody>
{% for record in records %}
<tr>
  {% for item in record.values() %}
  <td{% if item is string %} class="word"{% endif %}>{{ symbols(short(item)) }}</td>
  {% endfor %}</tr>
{% endfor %}
</tbody>
</table>
""")
_SCROLLING = template("""
<div class="scroll" tabindex="0" role="region" aria-label="{{ label }}">
{{ table }}
</div>
""")
_FOLDED = template("""
<details><summary>{{ summary }}</summary>
{{ table }}
</details>
""")


def table(records: list[dict[str, Any]], caption: str = "") -> Markup:
    """Write the records as a table."""
    return _RECORDS(records=records, caption=caption, short=_short, symbols=symbols)


def _short(item: Any) -> str:
    """Show numbers with up to five digits, integers in full.

    >>> _short(0.1 + 0.2), _short(16384), _short("fp16")
    ('0.3', '16384', 'fp16')
    """
    if item is None:
        return "none"
    return f"{item:.5g}" if isinstance(item, float) else str(item)


def scrolling(label: str, table: Markup) -> Markup:
    """Put a table that may be wide into a box of its own."""
    return _SCROLLING(label=label, table=table)


def folded(summary: str, table: Markup, label: str = "") -> Markup:
    """Fold a table away until a reader wants it."""
    return _FOLDED(summary=summary, table=scrolling(label or summary, table))
