"""Templates: what is text stays text, and a forgotten value raises."""

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from docs_ext.html.template import template
from tests.tables import each_row


def test_text_is_escaped_once_and_html_never():
    item, outer = template('<b title="{{ x }}">{{ x }}</b>'), template("<p>{{ x }}</p>")
    assert item(x='<"&') == '<b title="&lt;&#34;&amp;">&lt;&#34;&amp;</b>'
    assert outer(x=item(x="<")) == '<p><b title="&lt;">&lt;</b></p>'
    assert isinstance(outer(x=1), Markup)


@pytest.mark.parametrize("source", ["{{ x }}", "{% if x %}{% endif %}", "{{ y.x }}", "{% for a in x %}{% endfor %}"])
def test_a_value_that_nobody_gave_raises(source):
    with pytest.raises(UndefinedError, match="x"):
        template(source)(y={})


@each_row("source, html", "template.toml", "breaks")
def test_line_breaks_are_where_they_seem(source, html):
    assert template(source)(a=1) == html
