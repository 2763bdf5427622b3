"""A row of Going deeper opens by hand, by key, and for whoever follows a link into it; on paper is what was open."""

import pytest

from tests.browser.conftest import load

pytestmark = pytest.mark.nightly

PAGE = "reference/performance/"
ROW, OTHER = "accuracy", "against-others"
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
def test_on_paper_is_what_was_open(open_page, scripts):
    page = open_page(PAGE, java_script_enabled=scripts)
    page.locator(f"#{OTHER}").click(position={"x": 5, "y": 5})
    if scripts:
        page.evaluate("dispatchEvent(new Event('beforeprint'))")  # the theme opens all then
    page.emulate_media(media="print")
    assert page.locator("details.deeper > p").filter(visible=True).count() > 0
    assert page.locator("details.deeper > summary").filter(visible=True).count() == 1
    assert page.get_by_role("heading", name="Going deeper").is_visible()
