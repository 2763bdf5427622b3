"""The pages in reading order, with the glossary in hand: no term is used before the page that introduces it."""

import pytest

from docs_ext.reading.page import load
from tools.page import reading_order
from tools.terms import early


@pytest.mark.parametrize("name", reading_order())
def test_a_page_uses_no_term_before_the_page_that_introduces_it(name):
    found = [f"docs/{name}:{line}: {what}" for line, what in early(load(name), reading_order())]
    if found:
        pytest.fail("\n".join(found), pytrace=False)
