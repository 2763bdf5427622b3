"""The API pages: each public function leads to the pages that explain it and names the file that tests it."""

import pytest

import attention
from docs_ext.extensions.function_links import links


def test_the_line_has_the_pages_their_formulas_and_the_tests():
    line, _ = links("attention.masks.sliding_window_mask", "reference/masks.md")
    explained, tested = line.split(" · ")
    page = "../learn/windows-and-sinks.md"
    assert f"]({page}) [(1)]({page}#formula-1) [(2)]({page}#formula-2), [Who may look at whom?](../learn/masks.md)" in (
        explained
    )
    assert tested == "Tested in `tests/package/test_masks.py`"


@pytest.mark.parametrize(
    "path", ["attention.cache.KVCache.append", "attention.masks.softmax", "attention.example.embed"]
)
def test_what_is_not_public_has_none(path):
    assert links(path, "reference/cache.md") == []


def test_every_public_function_has_the_line_on_its_page(site):
    pages = "".join(page.read_text("utf-8") for page in site.glob("reference/*/index.html"))
    assert pages.count("Tested in <code>tests/package/") == len(attention.__all__)
