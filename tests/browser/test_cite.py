"""Cite this page: folded, copied whole, left out on paper, and of the page that is shown."""

import json

from tests.browser.conftest import follow

PAGE, NEXT = "learn/masks/", "learn/self-and-cross/"
FOLD = "details.cite"
ENTRY = f"{FOLD} code"


def test_keys_open_the_fold_and_the_button_copies_the_entry(open_page, server):
    page = open_page(PAGE, permissions=["clipboard-read", "clipboard-write"])
    assert not page.locator(ENTRY).is_visible()
    page.locator(f"{FOLD} summary").press("Enter")
    page.locator(f"{FOLD} button").click()
    page.locator(".md-dialog--active").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == page.locator(ENTRY).inner_text().strip()
    assert copied.startswith("@misc{attention_line_by_line_learn_masks,\n")
    page.emulate_media(media="print")
    assert not page.locator(FOLD).is_visible()


def test_it_opens_without_a_script(plain, server):
    plain.goto(server + PAGE)
    plain.locator(f"{FOLD} summary").click()
    assert plain.locator(ENTRY).is_visible()


def test_instant_navigation_brings_the_entry_and_the_data_of_the_next_page(open_page):
    page = open_page(PAGE)
    follow(page, page.locator(f'.md-footer a[href$="{NEXT.removeprefix("learn/")}"]'))
    assert "learn_self_and_cross" in page.locator(ENTRY).text_content()
    (data,) = [json.loads(text) for text in page.locator('script[type="application/ld+json"]').all_text_contents()]
    assert data["url"].endswith(NEXT)
