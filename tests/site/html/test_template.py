"""Templates: what is text stays text, a forgotten value raises, and no module writes HTML by hand."""

import ast
import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from docs_ext.html.template import template

FOLDER = Path(__file__).parents[3] / "docs_ext"
MODULES = [path for floor in ("html", "fences") for path in sorted((FOLDER / floor).glob("[!_]*.py"))]
# What Jinja, KaTeX, Markdown, Pygments and Vega write; and our own sheets and scripts.
ENGINES = {"renderer", "template", "formula", "inline", "computed_code", "explained_code", "chart", "console"}
ENGINES |= {"translation_tabs", "standalone"}
REWRITES = {"console", "translation_tabs"}  # moves marks in the HTML of Pygments


def test_text_is_escaped_once_and_html_never():
    item, outer = template('<b title="{{ x }}">{{ x }}</b>'), template("<p>{{ x }}</p>")
    assert item(x='<"&') == '<b title="&lt;&#34;&amp;">&lt;&#34;&amp;</b>'
    assert outer(x=item(x="<")) == '<p><b title="&lt;">&lt;</b></p>'
    assert isinstance(outer(x=1), Markup)


@pytest.mark.parametrize("source", ["{{ x }}", "{% if x %}{% endif %}", "{{ y.x }}", "{% for a in x %}{% endfor %}"])
def test_a_value_that_nobody_gave_raises(source):
    with pytest.raises(UndefinedError, match="x"):
        template(source)(y={})


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("\n<tr>\n{{ a }}\n</tr>\n", "<tr>\n1\n</tr>"),
        ("<tr>\n  <td>\n    {{ a }}\n  </td></tr>", "<tr><td>1</td></tr>"),
        ('<td class="a"\n  id="b">one\n  word</td>', '<td class="a" id="b">one word</td>'),
        ("<p>\n{% if a %}\nyes\n{% endif %}\n</p>", "<p>\nyes\n</p>"),
        (
            "{% for n in (1, 2) %}\n<b>\n  {% if n > a %}\n  more\n  {% endif %}</b>\n{% endfor %}\n",
            "<b></b>\n<b> more </b>",
        ),
    ],
    ids=[
        "lines stay",
        "an indented line follows on",
        "after a space next to a word",
        "a statement leaves no line",
        "a loop",
    ],
)
def test_line_breaks_are_where_they_seem(source, html):
    assert template(source)(a=1) == html


def by_hand(source, name=""):
    """Return what in a module writes HTML without a template."""
    found = []
    for node in ast.walk(ast.parse(source)):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if isinstance(node, ast.ImportFrom) and node.module == "html" and "escape" in {a.name for a in node.names}:
            found.append("imports html.escape")
        if re.search(r"\|\s*safe\b|autoescape false", text):
            found.append("turns escaping off")
        if isinstance(node, ast.JoinedStr) and name not in REWRITES:
            parts = [part.value for part in node.values if isinstance(part, ast.Constant)]
            found += ["puts values between tags"] * any(re.search(r"</?[a-z]", part) for part in parts)
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Markup":
            [argument] = node.args
            trusted = ast.Name | ast.Subscript | ast.Call if name in ENGINES else ()
            if not isinstance(argument, ast.Constant) and not isinstance(argument, trusted):
                found.append(f"takes a text for HTML: {ast.unparse(argument)}")
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_module_writes_html_by_hand(path):
    assert not by_hand(path.read_text("utf-8"), path.stem)
