"""A table whose cells are computed while the page is being built.

```computed-table
caption: Softmax overflows early in small formats
data: '[{"dtype": name, "largest": float(np.finfo(name).max)} for name in ("float16", "float32")]'
```
"""

from collections.abc import Mapping
from html import escape
from typing import Any

from docs_ext.html.tables import table
from docs_ext.spec.records import to_records

REQUIRED = ("caption", "data")
OPTIONAL = ()


def render(spec: Mapping[str, Any]) -> str:
    """Turn the mapping of a fence into HTML."""
    caption = escape(str(spec["caption"]))
    return f"""<div class="computed-table" id="{spec["id"]}" data-search-exclude>
<div class="scroll" tabindex="0" role="region" aria-label="{caption}">
{table(to_records(spec), caption)}
</div>
</div>"""
