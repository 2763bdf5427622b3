"""<head-browser> under the hand: clicks, a record that comes when it is needed, and the file that stands alone."""

import numpy as np
import pytest

from examples import real_model_page

pytestmark = pytest.mark.nightly

PAGE = "learn/real-model/"
RECORD = "assets/records/heads.json"


def says(widget, words):
    return widget.locator("output", has_text=words)


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
