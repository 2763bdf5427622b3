"""Terms of the glossary that a page uses before the page that introduces them.

A term is sought as a whole word in any case, singular or plural, in the prose before Going deeper; code and formulas
are left out. The link at the end of its entry in the glossary names the page that introduces it. On an earlier page
the paragraph of its first use must link to that page.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from docs_ext.extensions.glossary import entries
from docs_ext.reading.page import Page

# These words mean something in everyday English too: of them only what a page sets in bold, as it does with a term,
# counts; bold that ends with a full stop opens a paragraph.
_EVERYDAY = """
    attention bias block budget clip distance feature future head key layer norm odds output position project prompt
    rank reach shard slope value weight worker
"""
EVERYDAY = set(_EVERYDAY.split())
END = ("Going deeper", "Sources")

_NO_PROSE = re.compile(
    r"\$[^$\n]+\$"
    r"|<!--.*?-->|<[^>]+>"
    r"|!\[[^]]*\]\([^)]*\)"  # a drawing has words of its own
    r"|(?<!`)`[^`\n]+`(?!`)"
    r"|\{[^{}\n]*\}",
    re.DOTALL,
)
_LINK = re.compile(r"\]\(([^)#\s]*)[^)]*\)")


def early(page: Page, order: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield each line on which a page uses a term too early, and the term with its page, by the order of reading."""
    if page.name not in order:
        return
    prose = _paragraphs(page)
    for term in entries():
        is_later = term.page in order and order.index(page.name) < order.index(term.page)
        if is_later and (line := _first_use(term.name, term.page, prose)):
            yield line, f"{term.name} comes with {term.page}: link to it, or use another word"


def _paragraphs(page: Page) -> list[tuple[int, str]]:
    """Return line and text of each paragraph of a page's first part."""
    first = takewhile(lambda block: block.name != "##" or block.text not in END, page.blocks)
    prose = [block for block in first if block.kind in ("text", "heading")]
    return [(block.line, _NO_PROSE.sub(lambda o: "\n" * o[0].count("\n"), page.source(block))) for block in prose]


def _use(name: str, paragraph: str) -> re.Match[str] | None:
    """Find a term: 'query' finds queries, and 'head' only what is bold."""
    if name in EVERYDAY:
        parts = paragraph.split("**")  # bold is every second one
        is_term = [i % 2 and not part.endswith(".") for i, part in enumerate(parts)]
        paragraph = "**".join(p if kept else re.sub(r"\w", "_", p) for p, kept in zip(parts, is_term, strict=True))
    word = re.escape(name[:-1]) + "(?:y|ies)" if name.endswith("y") else re.escape(name) + "(?:s|es)?"
    return re.search(rf"(?<![\w-]){word}(?![\w-])", paragraph, re.IGNORECASE)


def _first_use(name: str, introduced: str, prose: Sequence[tuple[int, str]]) -> int:
    """Return the line of the first use, if nothing there links to the page that introduces the term; 0 is well."""
    for start, paragraph in prose:
        if found := _use(name, _LINK.sub("]", paragraph)):
            linked = {link.rpartition("/")[2] for link in _LINK.findall(paragraph)}
            is_linked = introduced.rpartition("/")[2] in linked
            return 0 if is_linked else start + paragraph[: found.start()].count("\n")
    return 0
