"""<kebab-name> under mouse and keys: it shows what the package computes."""

import pytest

from docs_ext.fences import snake_name

PAGE = "learn/"  # fill in: the address of the page that shows the widget


@pytest.fixture
def widget(page):
    page.wait_for_selector("kebab-name form")
    yield page.locator("kebab-name")
    page.locator("kebab-name").get_by_role("button", name="Reset").click()


def test_it_shows_what_the_package_computes(widget):
    widget.get_by_label("factor").press("End")
    total = snake_name.LARGEST * 6.0  # fill in: the numbers of the page, through the package
    assert widget.locator("output").inner_text() == snake_name.statement(snake_name.LARGEST, total)


def test_it_works_by_keys_alone(widget):
    widget.get_by_label("factor").focus()
    widget.page.keyboard.press("ArrowRight")
    assert widget.locator(".at").inner_text() == "2"
