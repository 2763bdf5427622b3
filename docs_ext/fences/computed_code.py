"""Code that is written while the page is being built, such as a configuration that holds what the build knows.

```computed-code
caption: A matrix of the running example, as NumPy prints it
language: text
code: 'f"{W_K}  # {W_K.shape[0]} features a word"'
```

`code` is an expression that gives a text. `language` is a name that Pygments knows, for the colours.
"""

from markupsafe import Markup
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

from docs_ext.errors import SpecError
from docs_ext.html.template import template
from docs_ext.html.widget import still
from docs_ext.reading.expressions import value
from docs_ext.reading.keys import Spec

REQUIRED = ("caption", "language", "code")
OPTIONAL = ()

_CODE = template("""
<div class="highlight" role="group" aria-label="{{ caption }}"><pre><code>{{ code }}</code></pre></div>
""")


def render(spec: Spec) -> Markup:
    """Turn the mapping of a fence into HTML."""
    code = value(spec, "code")
    if not isinstance(code, str):
        raise SpecError(f"code is an expression that gives a text, not {type(code).__name__}", key="code")
    try:
        lexer = get_lexer_by_name(str(spec["language"]))
    except ClassNotFound:
        raise SpecError(f"Pygments knows no language {spec['language']!r}", key="language") from None
    drawn = Markup(highlight(code, lexer, HtmlFormatter(nowrap=True)))
    return still("computed-code", spec["id"], _CODE(caption=str(spec["caption"]), code=drawn))
