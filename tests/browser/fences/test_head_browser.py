"""<head-browser> under the hand: clicks, a record that comes when it is needed, and the file that stands alone."""

import numpy as np
import pytest

from examples import real_model_page

pytestmark = pytest.mark.nightly

PAGE = "learn/real-model/"
RECORD = "assets/records/heads.json"


def says(widget, words):
    return widget.locator("output", has_text=words)


def wait(page):
    page.wait_for_selector("head-browser form")
    page.wait_for_selector("head-browser:not([aria-busy])")


def test_a_click_on_a_small_picture_chooses_its_head_and_one_on_a_row_its_token(widget):
    widget.locator(".map td").nth(2 * 12 + 9).click()
    widget.locator("table.weights tbody tr").nth(3).locator("td").first.click()
    says(widget, "Layer 2, head 9: chased gives").wait_for()
    current = widget.locator(".map [aria-current] svg")
    assert current.get_attribute("aria-label").startswith("layer 2, head 9: ")
    assert widget.locator("table.weights [data-chosen] th").text_content() == "chased"
    assert widget.locator(".words :checked").get_attribute("value") == "3"
    assert widget.get_by_label("layer", exact=True).input_value() == "2"
    assert widget.page.url.endswith("heads.layer=2&heads.head=9&heads.row=3")


def test_the_record_is_fetched_when_another_head_is_asked_for_and_not_before(open_page, handler):
    handler.served.clear()
    page = open_page(PAGE)
    wait(page)
    page.locator("[name=row][value='3']").check()  # of the head that stands in the page
    page.wait_for_load_state("networkidle")
    assert not [path for path, _ in handler.served if path.endswith(RECORD)]
    for layer in "012":
        page.get_by_label("layer", exact=True).fill(layer)
    says(page, "Layer 2, head 11: chased gives").wait_for()
    page.get_by_label("sentence", exact=True).select_option("6")
    words = page.locator("head-browser option").nth(6).text_content()
    assert page.locator(".words").inner_text().split()[1:4] == words.lower().split()[:3]
    assert [size < 300_000 for path, size in handler.served if path.endswith(RECORD)] == [True]


def test_a_record_that_does_not_come_is_said_and_asked_for_again(open_page):
    page = open_page(PAGE + "#~heads.sentence=6&heads.row=15")
    widget = page.locator("head-browser")
    wait(page)
    assert widget.locator(".words :checked").get_attribute("value") == "15"  # of a sentence that came later
    page.route(f"**/{RECORD}", lambda route: route.abort())
    page.reload()
    page.wait_for_selector("head-browser form")
    says(widget, "could not be fetched").wait_for()
    page.unroute(f"**/{RECORD}")
    page.get_by_label("layer", exact=True).fill("1")
    says(widget, "Layer 1, head 11: [SEP] gives").wait_for()


def test_a_file_that_stands_alone_works_from_the_disk_with_the_network_off(browser, tmp_path):
    rng = np.random.default_rng(2)
    words = ["a", "</script>", "a", "<b>", *(f"word{i}" for i in range(17))]  # more than any recorded
    tokens = ["[CLS]", *words, "[SEP]"]
    weights = rng.dirichlet(np.ones(len(tokens)), (2, 3, len(tokens)))
    file = tmp_path / "heads.html"
    file.write_text(real_model_page.page("a </script> a <b>", tokens, weights, "Two layers of three heads."), "utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    faults, asked = [], []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    assert page.locator("h1").text_content() == "a </script> a <b>"
    page.get_by_label("layer", exact=True).fill("1")
    page.get_by_label("head", exact=True).fill("2")
    page.locator("[name=row][value='20']").check()
    assert page.locator(".words label").all_text_contents() == tokens
    shown = [float(text) for text in page.locator(".shares span").all_text_contents()]
    np.testing.assert_allclose(shown, weights[1, 2, 20], atol=0.0056)
    says(page, "Layer 1, head 2: word15 gives").wait_for()
    said = page.locator("head-browser [role=status]").bounding_box()
    assert (said["width"], said["height"]) == (1, 1)  # heard, not seen
    assert asked == [file.as_uri()]
    assert faults == []
    context.close()
