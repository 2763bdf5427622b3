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
