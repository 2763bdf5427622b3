"""Templates: the HTML of a figure as one sees it, in which every value is escaped unless it is HTML already.

    _ROWS = template('''
    {% for word, weight in rows %}
    <tr><th scope="row">{{ word }}</th>
      <td style="--w:{{ weight }}">{{ weight }}</td></tr>
    {% endfor %}
    ''')
    _ROWS(rows=zip(words, weights))

HTML is `Markup`, text is `str`: what a template returns may stand in another one, and a word cannot be taken for HTML.
A name that nobody has given raises an error. An indented line continues the one above: with nothing in between if tags
or values meet there, else with a space. A filter of our own is `json`.
"""

import json
import re
from collections.abc import Callable
from functools import partial

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

_ENVIRONMENT = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
_ENVIRONMENT.filters["json"] = json.dumps
_ENVIRONMENT.globals["zip"] = partial(zip, strict=True)


def template(source: str) -> Callable[..., Markup]:
    """Return a function that takes the values of a template by name and returns its HTML."""
    joined = re.sub(r"(?<=[>}])\n +(?=[<{])", "", source.strip("\n"))
    compiled = _ENVIRONMENT.from_string(re.sub(r"\n +", " ", joined))
    return lambda **values: Markup(compiled.render(values).rstrip("\n"))
