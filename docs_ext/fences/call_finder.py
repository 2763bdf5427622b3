"""The call finder: what you have, and the call that does it in each library.

    ```call-finder
    caption: Which call does it?
    panels: call      # ids of the tabs on this page: call-padding ...
    ```

Without JavaScript it is a table with a part for each task. The script adds the choice of a task and a library, and
shows the snippet that stands in the tabs.
"""

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from docs_ext.html.tables import scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.records import translations
from docs_ext.records.translations import OURS, TASKS, Snippet, libraries, snippets

REQUIRED = ("caption",)
OPTIONAL = ("panels",)
SHOWN_ON = "translator.md"

_ROWS = template("""
<thead><tr><th scope="col">library</th><th scope="col">what does it</th><th scope="col">how</th>
  <th scope="col">same result</th></tr></thead>
{% for task, title in tasks.items() %}
<tbody data-task="{{ task }}"{% if loop.first %} data-chosen{% endif %}>
<tr class="task"><th scope="rowgroup" colspan="4">{{ title }}</th></tr>
{% for name, library in libraries.items() %}
{% set one = snippets[task, name] %}
<tr data-library="{{ name }}"{% if name == chosen %} data-chosen{% endif %}><th scope="row">{{ library.title }}</th>
  <td>{% if one.call %}<code>{{ one.call }}</code>{% else %}&ndash;{% endif %}</td>
  <td>{{ how[one.kind] }}</td><td>{{ verdict(one) }}</td></tr>
{% endfor %}
</tbody>
{% endfor %}
""")
FIRST = "torch-sdpa"  # the library that is chosen at first
HOW = {"call": "one call", "detour": "a detour", "by hand": "by hand", "none": "no way"}


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    rows = _ROWS(tasks=TASKS, libraries=libraries(), snippets=snippets(), how=HOW, verdict=verdict, chosen=FIRST)
    detours = [one for one in snippets().values() if one.task == "sink" and one.library != OURS]
    calls = [libraries()[one.library].title for one in detours if one.kind == "call"]
    return widget(
        "call-finder",
        str(spec["id"]),
        title=str(spec["caption"]),
        question=f"{len(detours)} libraries are compared here. In how many does one call take the score of a sink?",
        answer=f"In {len(calls)}: {', '.join(calls)}. In the others you add a key of zeros, or shrink the output "
        "afterwards by the share that the sink takes.",
        body=scrolling_table("calls", str(spec["caption"]), rows),
        says=statement(snippets()["padding", FIRST]),
        first=FIRST,
        panels=spec.get("panels", ""),
        tasks=list(TASKS.items()),
        libraries=[[name, library.title] for name, library in libraries().items()],
    )


def verdict(one: Snippet) -> str:
    """Say whether it gave this package's result."""
    if one.gap is None:
        return "not run" if one.code else "none"
    return "yes" if one.gap <= translations.EQUAL else f"off by {one.gap:.1g}"


def statement(one: Snippet) -> str:
    """Say what does a task in a library: 'Padding in JAX: key_value_seq_lengths=lengths, in one call.'."""
    title = TASKS[one.task]
    library = libraries()[one.library].title.replace("This", "this")
    opening = f"{title[0].upper()}{title[1:]} in {library}"
    return f"{opening}: {one.call} ({HOW[one.kind]})." if one.call else f"{opening}: there is no way."
