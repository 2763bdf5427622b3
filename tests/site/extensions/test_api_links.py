"""The API pages: a name leads to what it names, and nothing is told twice."""

import re
from collections import Counter

import pytest

import attention
from tests.site import built
from tests.site.pages import ROOT

API = [path.stem for path in sorted((ROOT / "docs/reference").glob("*.md")) if "\n::: attention." in path.read_text()]
DASH = "\N{EN DASH}"  # between a name and its description


@pytest.fixture(scope="module")
def pages(site):
    return {name: built.page(site / "reference" / name / "index.html") for name in API}


def parameters(page):
    """Yield each list of parameters."""
    for contents in page.iter("div"):
        title = ""
        for child in contents:
            if child.tag == "ul" and title == "Parameters:":
                yield child
            title = "".join(child.itertext()).strip()


@pytest.mark.parametrize("name", API)
def test_no_list_of_parameters_says_a_thing_twice(pages, name):
    for entries in parameters(pages[name]):
        said = [" ".join("".join(entry.itertext()).split()).partition(f" {DASH} ")[2] for entry in entries]
        told = Counter(text for text in said if not text.startswith("As in "))  # "as in" tells where, for each type
        assert max(told.values(), default=1) == 1, told.most_common(1)


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
