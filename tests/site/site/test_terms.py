"""The pages in reading order, with the glossary in hand: no term is used before the page that introduces it."""

import re
from functools import cache
from itertools import takewhile

import pytest

from docs_ext.extensions.glossary import entries
from docs_ext.reading.page import load
from tests.site.pages import ROOT

# A term is sought as a whole word in any case, singular or plural, in the prose before Going deeper; code and formulas
# are left out. The link at the end of its entry in the glossary names the page that introduces it. On an earlier page
# the paragraph of its first use must link to that page. These words mean something in everyday English too: of them
# only what a page sets in bold, as it does with a term, counts; bold that ends with a full stop opens a paragraph.
_EVERYDAY = """
    attention bias block budget clip distance feature future head key layer norm odds output position project rank
    reach shard slope value weight worker
"""
EVERYDAY = set(_EVERYDAY.split())

# What is not prose.
OTHER = re.compile(
    r"\$[^$\n]+\$"
    r"|<!--.*?-->|<[^>]+>"
    r"|!\[[^]]*\]\([^)]*\)"  # a drawing has words of its own
    r"|(?<!`)`[^`\n]+`(?!`)"
    r"|\{[^{}\n]*\}",
    re.DOTALL,
)
LINK = re.compile(r"\]\(([^)#\s]*)[^)]*\)")
END = ("Going deeper", "Sources")


@cache
def paragraphs(name):
    """Return line and text of each paragraph of a page's first part."""
    page = load(name)
    first = takewhile(lambda block: block.name != "##" or block.text not in END, page.blocks)
    prose = [block for block in first if block.kind in ("text", "heading")]
    return [(block.line, OTHER.sub(lambda other: "\n" * other[0].count("\n"), page.source(block))) for block in prose]


def use(name, paragraph):
    """Find a term: 'query' finds queries, and 'head' only what is bold."""
    if name in EVERYDAY:
        parts = paragraph.split("**")  # bold is every second one
        is_term = [i % 2 and not part.endswith(".") for i, part in enumerate(parts)]
        paragraph = "**".join(p if kept else re.sub(r"\w", "_", p) for p, kept in zip(parts, is_term, strict=True))
    word = re.escape(name[:-1]) + "(?:y|ies)" if name.endswith("y") else re.escape(name) + "(?:s|es)?"
    return re.search(rf"(?<![\w-]){word}(?![\w-])", paragraph, re.IGNORECASE)


def first_use(name, introduced, page):
    """Return the line on which a page uses a term without a link to the page that introduces it; None is well."""
    for start, paragraph in paragraphs(page):
        if found := use(name, LINK.sub("]", paragraph)):
            linked = {link.rpartition("/")[2] for link in LINK.findall(paragraph)}
            return None if introduced.rpartition("/")[2] in linked else start + paragraph[: found.start()].count("\n")
    return None


def test_no_page_uses_a_term_before_the_page_that_introduces_it():
    menu = (ROOT / "mkdocs.yml").read_text("utf-8").partition("  - Reference:")[0]
    order = re.findall(r"- (index\.md|learn/.+\.md)$", menu, re.MULTILINE)
    early = []
    for term in entries():
        before = takewhile(lambda page, term=term: page != term.page, order if term.page in order else ())
        for page in before:
            if line := first_use(term.name, term.page, page):
                early.append((order.index(page), line, f"docs/{page}:{line}: {term.name} comes with {term.page}"))
    if early:
        pytest.fail("\n".join(message for *_, message in sorted(early)), pytrace=False)
