"""The API pages: a name leads to what it names, and nothing is told twice."""

import re

import pytest

import attention
from tests.site import built
from tests.site.pages import ROOT

API = [path.stem for path in sorted((ROOT / "docs/reference").glob("*.md")) if "\n::: attention." in path.read_text()]


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
