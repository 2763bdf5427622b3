"""The API pages: each public function leads to the pages that explain it and names the file that tests it."""

import pytest

import attention
from docs_ext.extensions.function_links import links
from docs_ext.reading.crosslinks import path_of
from tests.site import built


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


@pytest.fixture(scope="module")
def entries(site):
    """Return the line of each function as an element, by its path."""
    found = {}
    for module in {path_of(name).split(".")[1] for name in attention.__all__}:
        page = built.page(site / f"reference/{module}/index.html")
        parents = {child: parent for parent in page.iter() for child in parent}
        for line in page.iter("p"):
            words = "".join(line.itertext())
            if "Tested in tests/package/" in words:
                entry = parents[line]
                while "doc-object" not in entry.get("class", "").split():
                    entry = parents[entry]
                heading = next(element for element in entry.iter("h2"))
                found[heading.get("id")] = line
    return found


def test_every_public_function_and_nothing_else_has_the_line(entries):
    assert set(entries) == {path_of(name) for name in attention.__all__}
