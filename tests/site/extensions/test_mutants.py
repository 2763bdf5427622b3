"""What a page says of the mutants comes from the list of the program: table, changes, links."""

import re

import html5lib
import markdown
import pytest

from attention.practice.mutants import MUTANTS
from docs_ext.reading.converter import PageError
from tests.site.pages import ROOT

EXTENSIONS = ["attr_list", "tables", "pymdownx.superfences", "pymdownx.details", "docs_ext.extensions.page_steps"]


def convert(text):
    return markdown.markdown(text, extensions=EXTENSIONS)


def words(element):
    return " ".join("".join(element.itertext()).split())


def test_the_table_has_a_row_for_each_mutant_with_its_page_and_a_folded_hint():
    root = html5lib.parseFragment(convert("<!-- mutants -->\n"), namespaceHTMLElements=False)
    rows = root.findall(".//tbody/tr")
    assert len(rows) == len(MUTANTS)
    for row, mutant in zip(rows, MUTANTS, strict=True):
        name, wrong, page = row
        assert name.find("code").get("id") == words(name) == mutant.name
        assert words(wrong) == f"{mutant.wrong}Hint{mutant.hint}"
        assert "open" not in wrong.find("details").attrib
        assert words(wrong.find("details/p")) == mutant.hint
        assert page.find("a").get("href") == f"../learn/{mutant.page}.md"
        heading = re.search(r"^# (.+)$", (ROOT / f"docs/learn/{mutant.page}.md").read_text("utf-8"), re.M)[1]
        assert words(page) == heading


@pytest.mark.parametrize("indent", ["", "    "])
def test_a_change_shows_the_lines_that_go_and_those_that_come(indent):
    fold = '??? question "Solution"\n\n' if indent else ""
    html = convert(f"{fold}{indent}<!-- mutant mask-inverted -->\n")
    shown = re.sub(r"<[^>]*>", "", re.search(r"<pre>(.*?)</pre>", html, re.DOTALL)[1])
    assert shown.strip().split("\n") == [
        "# attention/dot_product.py: _weights",
        "- np.where(given.mask, scores, -np.inf)",
        "+ np.where(given.mask, -np.inf, scores)",
    ]


def test_a_misspelt_mutant_stops_the_build_with_its_line():
    with pytest.raises(PageError, match=r"3: no mutant is called 'mask-invertd' \(did you mean 'mask-inverted'\?\)"):
        convert("# T\n\n<!-- mutant mask-invertd -->\n")
