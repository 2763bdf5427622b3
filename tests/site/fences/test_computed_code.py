"""Computed code: it holds the text that the expression gives, letter by letter."""

from docs_ext.fences import computed_code
from tests.site.fences.reading import read, refuses

SPEC = {
    "id": "c",
    "caption": "A <caption>",
    "language": "nginx",
    "code": 'f"listen {16 * 5};\\n# <{SENTENCE[0]}> & more"',
}


def test_it_holds_what_the_expression_gives():
    root = read(computed_code.render(SPEC))
    (code,) = root.findall(".//pre/code")
    assert "".join(code.itertext()).strip() == "listen 80;\n# <cats> & more"
    assert [element.get("aria-label") for element in root.iter() if element.get("role") == "group"] == ["A <caption>"]


test_what_does_not_fit_is_refused = refuses(computed_code.render, SPEC, "computed-code")
