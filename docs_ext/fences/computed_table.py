"""A table whose cells are computed while the page is being built.

```computed-table
caption: Softmax overflows early in small formats
data: '[{"type": t, "max": np.finfo(t).max} for t in ("half", "single")]'
```

`data` is an expression: a list of records, one a row, or a mapping of columns, each as long as the others.
"""

from markupsafe import Markup

from docs_ext.html.tables import scrolling, table
from docs_ext.html.widget import still
from docs_ext.reading.columns import to_records
from docs_ext.reading.keys import Spec

REQUIRED = ("caption", "data")
OPTIONAL = ()


def render(spec: Spec) -> Markup:
    """Turn the mapping of a fence into HTML."""
    caption = str(spec["caption"])
    return still("computed-table", spec["id"], scrolling(caption, table(to_records(spec), caption)))
