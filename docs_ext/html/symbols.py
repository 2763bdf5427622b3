"""Names of symbols in plain texts, such as the d_k of a legend: a letter with a subscript, never an underscore."""

import re
from html import unescape

from markupsafe import Markup

from docs_ext.html.template import template

_NAME = re.compile(r"(?<![\w.])([A-Za-z])_([A-Za-z0-9]|model|head)(?!\w)")
_TEXT = re.compile(r"(?<=>)[^<>]+(?=</text>)")
_HTML = template("""
{{ before }}{% for letter, below, after in parts %}<i>{{ letter }}</i><sub>{{ below }}</sub>{{ after }}{% endfor %}
""")
_DRAWN = template("""
{{ before }}{% for letter, below, after in parts %}
{{ letter }}<tspan dy=".25em" font-size="75%">{{ below }}</tspan>
  {%- if after %}<tspan dy="-.2em">{{ after }}</tspan>{% endif %}{% endfor %}
""")


def symbols(text: str) -> Markup:
    """Write the symbols of a text as HTML.

    >>> symbols("joined by W_O"), symbols("tiled_attention")
    (Markup('joined by <i>W</i><sub>O</sub>'), Markup('tiled_attention'))
    """
    before, parts = _split(text)
    return _HTML(before=before, parts=parts)


def symbols_in_drawing(svg: str) -> str:
    """Write the symbols in the texts of an SVG.

    >>> symbols_in_drawing('<text x="1">√d_k in all</text>')
    '<text x="1">√d<tspan dy=".25em" font-size="75%">k</tspan><tspan dy="-.2em"> in all</tspan></text>'
    """

    def drawn(text: re.Match[str]) -> str:
        before, parts = _split(unescape(text[0]))
        return str(_DRAWN(before=before, parts=parts)) if parts else text[0]

    return _TEXT.sub(drawn, svg)


def _split(text: str) -> tuple[str, list[tuple[str, ...]]]:
    before, *rest = _NAME.split(text)
    return before, list(zip(rest[::3], rest[1::3], rest[2::3], strict=True))


def said(text: str) -> str:
    """Put the symbols of a text into words.

    >>> said("at d_k = 1")
    'at d sub k = 1'
    """
    return _NAME.sub(r"\1 sub \2", text)
