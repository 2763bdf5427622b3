"""Checks of numbers: they reach no reader, and leave paragraph, list and table whole."""

import markdown

from tests.tables import beside

PAGE = beside(__file__, "checks.markdown")
CHECK = "<!-- check: 2 = x;\n     1 = y -->"


def html(text):
    extensions = ["attr_list", "tables", "pymdownx.superfences", "docs_ext.extensions.page_steps"]
    return markdown.Markdown(extensions=extensions).convert(text)


def test_a_page_with_checks_looks_as_it_does_without_them():
    plain = PAGE.replace("CHECK\n", "")
    assert html(PAGE.replace("CHECK", CHECK)) == html(plain)
    assert 'id="anchor"' in html(plain)
    assert "<table>" in html(plain)


def test_the_empty_corner_of_a_table_is_no_header():
    table = html("|  | b |\n| - | - |\n| 1 | 2 |\n")
    assert (table.count("<th>"), table.count("<td>")) == (1, 3)


def test_what_looks_like_one_in_a_fence_stays():
    shown = html(f"```text\n{CHECK}\n```\n\n{CHECK}\n")
    assert shown.count("check: 2 = x") == 1
