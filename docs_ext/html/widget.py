"""The frame of a widget: a custom element that is complete before its script arrives, and without it."""

import json
from html import escape
from typing import Any


def widget(tag: str, ident: str, *, question: str, answer: str, body: str, says: str, **data: Any) -> str:
    """Write the element: a prediction to make, the figure, and the sentence that says what it shows."""
    attributes = "".join(f' data-{name}="{escape(json.dumps(item))}"' for name, item in data.items())
    return f"""<div data-search-exclude>
<{tag} class="widget" id="{ident}"{attributes}>
<details class="question">
<summary>Before you try it: {question}</summary>
<p>{answer}</p>
</details>
{body}
<output aria-live="polite">{escape(says)}</output>
</{tag}>
</div>"""


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
