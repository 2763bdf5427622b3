"""The tabs of the translator: one task in every library, each snippet as it ran, with what it printed.

```translation-tabs
task: padding       # as the record of the translator calls it
first: torch-sdpa   # the tab that is open at first; else this package's
```

The snippets come from `docs/assets/records/translations.json`, which `examples/record_translations.py` writes. The tabs
are radio buttons, so they work without a script; on paper all of them are open.
"""

import re

from markupsafe import Markup
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import PythonLexer  # type: ignore[import-untyped]

from docs_ext.errors import SpecError, did_you_mean
from docs_ext.html.template import template
from docs_ext.html.widget import still
from docs_ext.reading.keys import Spec
from docs_ext.records import translations
from docs_ext.records.translations import Snippet

REQUIRED = ("task",)
OPTIONAL = ("first",)
_NAME = re.compile(r'<span class="n">(.*?)</span>')  # it has the colour of text: 90 snippets need no spans for it

_TABS = template("""
<fieldset>
<legend class="visually-hidden">{{ title }} in</legend>
{% for name, library in libraries.items() %}
<label><input type="radio" name="{{ ident }}-library" value="{{ name }}"{{ " checked" if name == first }}>
  <span>{{ library.title }}</span></label>
{% endfor %}
</fieldset>
{% for name, library in libraries.items() %}
<section class="panel" data-library="{{ name }}" aria-label="{{ title }} in {{ library.title }}">
<p class="place"><strong>{{ library.title }}</strong>, <span>{{ library.version }}; {{ library.layout }}</span></p>
{% if snippets[name].code %}
<div class="highlight"><pre><code>{{ code(snippets[name]) }}</code></pre></div>
{% endif %}
<p class="printed">{{ result(snippets[name]) }}</p>
</section>
{% endfor %}
""")
_PRINTS = template("""
{% if note %}{{ note }} {% endif %}Prints <code>{{ prints }}</code>{{ how }}.
""")
_HOW = {"call": "", "detour": ", by a detour", "by hand": ", by hand"}


def render(spec: Spec) -> Markup:
    """Turn the mapping of a fence into HTML."""
    task = spec["task"]
    if task not in translations.TASKS:
        known = list(translations.TASKS)
        hint = did_you_mean(str(task), known) or f"; known: {', '.join(known)}"
        raise SpecError(f"there is no task {task!r}{hint}", key="task")
    libraries = translations.libraries()
    first = spec.get("first", translations.OURS)
    if first not in libraries:
        raise SpecError(f"there is no library {first!r}{did_you_mean(str(first), list(libraries))}", key="first")
    title = translations.TASKS[task]
    tabs = _TABS(
        ident=spec["id"],
        title=title[0].upper() + title[1:],
        libraries=libraries,
        snippets={name: translations.snippets()[task, name] for name in libraries},
        first=first,
        code=_highlighted,
        result=_result,
    )
    return still("translation-tabs", spec["id"], tabs)


def _highlighted(snippet: Snippet) -> Markup:
    html = highlight(snippet.code, PythonLexer(stripnl=False), HtmlFormatter(nowrap=True))
    return Markup(_NAME.sub(r"\1", html))


def _result(snippet: Snippet) -> str:
    if snippet.prints is not None:
        return _PRINTS(note=snippet.note, prints=snippet.prints, how=_HOW[snippet.kind])
    return snippet.note or "Not run here: it needs a CUDA device. Written from its documentation."
