"""Computed code: it holds the text that the expression gives, letter by letter."""

from docs_ext.fences import computed_code
from tests.site.fences.reading import SOUND, read

SPEC = {"id": "c"} | SOUND["computed-code"]["sound"]


def test_it_holds_what_the_expression_gives():
    root = read(computed_code.render(SPEC))
    (code,) = root.findall(".//pre/code")
    assert "".join(code.itertext()).strip() == "listen 80;\n# <cats> & more"
    assert [element.get("aria-label") for element in root.iter() if element.get("role") == "group"] == ["A <caption>"]
