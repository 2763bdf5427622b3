"""Going deeper: sections become rows, and what would belong to no row stops the build."""

from textwrap import dedent
from xml.etree.ElementTree import fromstring

import markdown
import pytest

from docs_ext.reading.converter import PageError
from tests.tables import beside, each_row

PAGE = beside(__file__, "folded.markdown")


@pytest.fixture
def convert():
    toc = {"permalink": True}
    extensions = ["attr_list", "toc", "footnotes", "pymdownx.superfences", "docs_ext.extensions.page_steps"]
    md = markdown.Markdown(extensions=extensions, extension_configs={"toc": toc})

    def convert(text):
        return fromstring(f"<body>{md.reset().convert(dedent(text)).replace('&para;', '¶')}</body>"), md

    return convert


def test_each_section_is_a_closed_fold_with_its_heading_in_the_summary(convert):
    body, md = convert(PAGE)
    assert [element.tag for element in body] == ["h1", "h2", "h3", "h2", "details", "details", "h2", "p"]
    shapes, pitfalls = body.findall("details")
    assert [fold.attrib for fold in (shapes, pitfalls)] == [{"class": "deeper"}] * 2
    assert [element.tag for element in shapes] == ["summary", "a", "p", "div", "h4", "p"]
    assert [element.tag for element in pitfalls] == ["summary", "a", "ul"]
    assert shapes.find("summary/h3").get("id") == "shapes"
    assert pitfalls.find("a[@class='headerlink']").get("href") == "#pitfalls"
    worked, deeper, sources = md.toc_tokens[0]["children"]
    assert [len(part["children"]) for part in (worked, deeper, sources)] == [1, 0, 0]


@each_row("text, message", "folded.toml")
def test_a_fault_stops_the_build_with_its_line(convert, text, message):
    with pytest.raises(PageError) as error:
        convert(text)
    assert message.replace(":", ", line of the text ", 1) in str(error.value)
