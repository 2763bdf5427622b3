"""The model of a page: every line stands in one block, and what is broken is told with its line."""

import json
import re

import pytest

from docs_ext.errors import SpecError
from docs_ext.extensions.page_steps import faults
from docs_ext.reading.page import decoded, load, read
from tests.site import built
from tests.site.pages import PAGES, ROOT, page
from tests.tables import beside, each_row

TEXT = beside(__file__, "blocks.markdown")
BLOCKS = beside(__file__, "blocks.toml")["blocks"]


def test_a_page_is_blocks_with_their_lines():
    found = read("a.md", TEXT)
    assert [[b.kind, b.line, b.end, b.name, b.text] for b in found.blocks] == BLOCKS
    assert (found.title, found.blocks[1].anchor, found.deeper) == ("A page", "a", 34)
    assert [fence.line for fence in found.fences("pycon", "text")] == [19, 25]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_line_of_a_page_stands_in_one_block(path):
    found = page(path)
    held = [number for block in found.blocks for number in range(block.line, block.end + 1)]
    assert len(held) == len(set(held))
    assert {number for number, line in enumerate(found.lines, 1) if line.strip()} <= set(held)


@each_row("text, message", "broken.toml")
def test_what_is_broken_is_told_in_one_line(text, message):
    try:
        told = [f"{line}: {fault}" for line, fault in faults(read("a.md", text))]
    except SpecError as error:
        told = [f"{error.line}: {error}"]
    assert len(told) == 1
    assert "\n" not in told[0]
    assert re.match(message, told[0]), told


def test_a_byte_that_is_no_text_is_told_with_its_line():
    with pytest.raises(SpecError, match="the byte 0xff is no UTF-8") as error:
        decoded(b"# A\n\n\xff")
    assert error.value.line == 3
    assert decoded(b"\xef\xbb\xbf# A\r\n\r\nb") == "# A\n\nb"


def test_no_heading_no_link_and_no_entry_of_the_search_is_a_mark(site):
    index = json.loads((site / "search/search_index.json").read_text("utf-8"))["docs"]
    words = [entry["title"] for entry in index]
    for path in site.rglob("index.html"):
        tags = ("a", "title", "summary", *(f"h{n}" for n in range(1, 7)))
        words += ["".join(element.itertext()) for element in built.page(path).iter() if element.tag in tags]
    words += [load(path.relative_to(ROOT / "docs").as_posix()).title for path in PAGES[1:]]
    assert len(words) > 1000
    assert not [text for text in words if "check: " in text]
