"""<kebab-name> as it stands without a script: its numbers, its sentence, and what it refuses."""

import pytest

pytest.importorskip("html5lib", reason="html5lib is not installed: pip install -e .[dev]")

import html5lib

from docs_ext.fences import snake_name
from docs_ext.spec.errors import SpecError

SPEC = {"id": "a", "caption": "c", "numbers": [1, 2, 3]}


def parse(spec):
    return html5lib.parseFragment(snake_name.render(spec), namespaceHTMLElements=False)


def test_every_number_stands_in_the_table():
    cells = [cell.text for cell in parse(SPEC).findall(".//td")]
    assert cells == pytest.fail("fill in: numbers from another source than the code under test", pytrace=False)


def test_the_sentence_says_what_the_table_shows():
    (output,) = parse(SPEC).findall(".//output")
    assert output.text == pytest.fail("fill in: the sentence, with a number worked out by hand", pytrace=False)


@pytest.mark.parametrize(
    ("change", "key", "message"),
    [
        pytest.param({"numbers": 3}, "numbers", "list of numbers", id="one number"),
        pytest.param({"numbers": []}, "numbers", "list of numbers", id="none"),
    ],
)
def test_what_does_not_fit_is_refused(change, key, message):
    with pytest.raises(SpecError, match=message) as error:
        snake_name.render(SPEC | change)
    assert error.value.key == key
