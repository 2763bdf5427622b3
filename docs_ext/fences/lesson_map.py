"""The map of the lessons: stations by what they build on, as large as they take minutes; the way to one is lit.

```lesson-map
caption: What builds on what
lit: masks                    # the lesson to which the way is lit until the reader points at another or has begun
root: ../                     # the way from the page to the first one; else the page is the first one
```

What a lesson is called and builds on stands in its head (docs_ext/reading/lessons.py). On a narrow window the map is a
list. The script fills a station by the share of its questions that the reader has answered.
"""

import math
from collections.abc import Mapping
from typing import Any

from docs_ext.errors import SpecError, did_you_mean
from docs_ext.html import renderer
from docs_ext.html.symbols import said
from docs_ext.reading.lessons import lessons
from docs_ext.reading.reading_time import reading

REQUIRED = ("caption", "lit")
OPTIONAL = ("root",)


def data(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the script draws."""
    known = lessons()
    if spec["lit"] not in known:
        raise SpecError(f"there is no lesson {spec['lit']!r}{did_you_mean(str(spec['lit']), known)}", key="lit")
    names = list(known)
    needs = [[names.index(need) for need in lesson.needs] for lesson in known.values()]
    placed: dict[str, Any] = renderer.call("lib/layers.js", "layout", needs)
    stations = [
        {"name": name, "short": one.short, "question": said(one.page.title), "part": one.part}
        | {"minutes": math.ceil(reading(one.page).first), "questions": len(one.page.fences("quiz-question"))}
        | {"needs": needs[i], "column": placed["columns"][i], "y": placed["ys"][i]}
        for i, (name, one) in enumerate(known.items())
    ]
    return {"lit": names.index(spec["lit"]), "root": spec.get("root", ""), "lessons": stations} | placed
