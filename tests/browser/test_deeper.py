"""A row of Going deeper opens by hand, by key, for whoever follows a link to something in it, and on paper."""

import pytest

from tests.browser.conftest import load

pytestmark = pytest.mark.nightly

PAGE = "practice/"
ROW, OTHER = "the-whole-site", "a-page-of-your-own"
IN_VIEW = """id => {
  const {top} = document.getElementById(id).getBoundingClientRect();
  const header = document.querySelector(".md-header").getBoundingClientRect().bottom;
  return top >= header && top < innerHeight;
}"""


def is_open(page, row=ROW):
    return page.locator(f"details.deeper[open] > summary > #{row}").count() == 1


def wait_until_open(page, row=ROW):
    page.locator(f"details.deeper[open] > summary > #{row}").wait_for()
    assert page.evaluate(IN_VIEW, row)


@pytest.fixture
def fresh(tab, server):
    return load(tab, server + PAGE)


def test_a_link_within_the_page_opens_the_row_however_often(fresh):
    for _ in range(2):
        fresh.locator(f".md-content p a[href$='#{OTHER}']").click()
        wait_until_open(fresh, OTHER)
        fresh.locator(f"#{OTHER}").click(position={"x": 5, "y": 5})
        assert not is_open(fresh, OTHER)


@pytest.mark.parametrize("scripts", [True, False])
def test_on_paper_all_rows_are_open(open_page, scripts):
    page = open_page(PAGE, java_script_enabled=scripts)
    page.emulate_media(media="print")
    for text in page.locator("details.deeper > p").all():
        text.wait_for(state="visible")
        assert text.bounding_box()["height"] > 10
