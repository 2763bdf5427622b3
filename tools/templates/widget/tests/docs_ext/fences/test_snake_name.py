"""<kebab-name> as it stands without a script: its numbers, its sentence, and what it refuses."""

import pytest

from docs_ext.fences import snake_name
from docs_ext.errors import SpecError
from tests.site.fences.reading import read, rows, text

SPEC = {"id": "a", "caption": "c", "numbers": [1, 2, 3]}


def test_every_number_stands_in_the_table():
    shown = rows(read(snake_name.render(SPEC)))
    assert shown == pytest.fail("fill in: numbers from another source than the code under test", pytrace=False)


def test_the_sentence_says_what_the_table_shows():
    said = text(read(snake_name.render(SPEC)).find(".//output"))
    assert said == pytest.fail("fill in: the sentence, with a number worked out by hand", pytrace=False)


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
