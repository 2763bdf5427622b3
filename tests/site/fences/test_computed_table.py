"""Computed tables: they hold what the expression gives, and nothing that was typed."""

from docs_ext.fences import computed_table
from tests.site.fences.reading import SOUND, read, rows, text

SPEC = {"id": "t"} | SOUND["computed-table"]["sound"]


def test_it_holds_what_the_expression_gives():
    root = read(computed_table.render(SPEC))
    assert rows(root) == [["cats", "0.5"], ["who", "0.25"], ["chased", "0.0625"], ["dogs", "0.125"], ["ran", "0.0625"]]
    assert [(text(head), head.get("scope")) for head in root.findall(".//th")] == [("word", "col"), ("weight", "col")]
    assert text(root.find(".//caption")) == root.find(".//div[@role='region']").get("aria-label") == "c"
