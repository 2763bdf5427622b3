"""The call finder: what you have, and the call that does it in each library.

```call-finder
caption: Which call does it?
panels: call      # ids of the tabs on this page: call-padding ...
```

Without JavaScript it is a table with a part for each task. The script adds the choice of a task and a library, and
shows the snippet that stands in the tabs.
"""

from docs_ext.reading.keys import Data, Spec
from docs_ext.records import translations
from docs_ext.records.translations import OURS, TASKS, Snippet, libraries, snippets

REQUIRED = ("caption",)
OPTIONAL = ("panels",)

FIRST = "torch-sdpa"  # the library that is chosen at first
HOW = {"call": "one call", "detour": "a detour", "by hand": "by hand", "none": "no way"}


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    return {
        "first": FIRST,
        "own": OURS,
        "panels": spec.get("panels", ""),
        "tasks": list(TASKS.items()),
        "libraries": [[name, library.title] for name, library in libraries().items()],
        "calls": [[_call(snippets()[task, name]) for name in libraries()] for task in TASKS],
    }


def _call(one: Snippet) -> list[str]:
    """Say what does it, how, and whether it gave this package's result."""
    if one.gap is None:
        return [one.call, HOW[one.kind], "not run" if one.code else "none"]
    return [one.call, HOW[one.kind], "yes" if one.gap <= translations.EQUAL else f"off by {one.gap:.1g}"]
