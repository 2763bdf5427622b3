"""Tables: of records, of steps, and the box in which a wide one scrolls."""

from html import escape
from typing import Any


def table(records: list[dict[str, Any]], caption: str = "") -> str:
    """Write the records as a table; the caption is HTML."""
    rows = ["".join(_cell("td", item, item) for item in record.values()) for record in records]
    head = "".join(_cell('th scope="col"', name, item) for name, item in records[0].items())
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    title = f"<caption><span>{caption}</span></caption>\n" if caption else ""
    return f'<table class="numbers">\n{title}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>'


def _cell(tag: str, text: Any, item: Any) -> str:
    word = ' class="word"' if isinstance(item, str) else ""
    return f"<{tag}{word}>{escape(_short(text))}</{tag.split()[0]}>"


def _short(item: Any) -> str:
    """Show numbers with up to five digits, integers in full.

    >>> _short(0.1 + 0.2), _short(16384), _short("fp16")
    ('0.3', '16384', 'fp16')
    """
    if item is None:
        return "none"
    return f"{item:.5g}" if isinstance(item, float) else str(item)


def scrolling_table(caption: str, head: str, body: str, foot: str = "") -> str:
    """Write a table of steps in a box of its own; head, body and foot are HTML."""
    tfoot = f"\n<tfoot>\n{foot}\n</tfoot>" if foot else ""
    return f"""<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">
<table class="steps">
<caption><span>{escape(caption)}</span></caption>
<thead>
{head}
</thead>
<tbody>
{body}
</tbody>{tfoot}
</table>
</div>"""
