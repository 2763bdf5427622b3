"""The API pages: a name leads to what it names, and nothing is told twice."""

import re
from xml.etree.ElementTree import fromstring

import pytest

import attention
from docs_ext.extensions.api_links import _link
from tests.site import built
from tests.site.pages import ROOT

API = [path.stem for path in sorted((ROOT / "docs/reference").glob("*.md")) if "\n::: attention." in path.read_text()]


def test_what_follows_a_linked_name_stays_behind_its_link():
    root = fromstring("<p>See <code>softmax</code>, above.</p>")
    _link(root)
    assert [*root.itertext()] == ["See ", "softmax", ", above."]
    assert [link.get("identifier") for link in root] == ["attention.numerics.softmax"]


@pytest.fixture(scope="module")
def pages(site):
    return {name: built.page(site / "reference" / name / "index.html") for name in API}


@pytest.mark.parametrize("name", API)
def test_a_name_in_a_docstring_is_a_link_to_its_explanation(pages, name):
    missing = []
    for block in pages[name].iterfind(".//div[@class='doc-md-description']"):
        linked = {code for link in block.iter("a") for code in link.iter("code")}
        missing += [code.text for code in block.iter("code") if code.text in attention.__all__ and code not in linked]
    assert not missing


@pytest.mark.parametrize("name", API)
def test_the_source_does_not_repeat_the_docstring(pages, name):
    sources = pages[name].findall(".//details[@class='mkdocstrings-source']")
    assert sources or name == "example"
    for source in sources:
        code = "".join(source.find(".//pre").itertext())
        assert re.match(r"(?:@.*\n)*(?:def|class) ", code)
        assert '"""' not in code
        assert "\n\n\n" not in code
