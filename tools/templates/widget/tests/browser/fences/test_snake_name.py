"""<kebab-name> in the browser: it shows what the package computes. Keys, reset and the rest are in test_contract.py."""

import pytest

from docs_ext.fences import snake_name
from tests.browser.widget import Widget

PAGE = "learn/"  # fill in: the address of the page that shows the widget
CONTRACT = [Widget("kebab-name", PAGE, "factor=9")]  # and a state in the address that it cannot mean


@pytest.fixture
def widget(page):
    page.wait_for_selector("kebab-name form")
    yield page.locator("kebab-name")
    page.locator("kebab-name").get_by_role("button", name="Reset").click()


def test_it_shows_what_the_package_computes(widget):
    widget.get_by_label("factor").press("End")
    total = snake_name.LARGEST * 6.0  # fill in: the numbers of the page, through the package
    assert widget.locator("output").inner_text() == snake_name.statement(snake_name.LARGEST, total)
