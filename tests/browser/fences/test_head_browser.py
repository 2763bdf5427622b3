"""<head-browser> in the browser: any head, as recorded, fetched when it is needed; and the file that stands alone."""

import numpy as np
import pytest

from docs_ext.fences import head_browser
from docs_ext.html.arcs import arcs, widths
from docs_ext.records.recorded import recorded
from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/real-model/"
CONTRACT = [Widget("head-browser", PAGE, "layer=6 head=12 row=99 sentence=10", fetches=True)]
RECORD = "assets/records/heads.json"
SHOWN = """widget => {
  const numbers = (from, name) => [...from.querySelectorAll(`[${name}]`)].map(e => Number(e.getAttribute(name)));
  return {
    tokens: [...widget.querySelectorAll(".words label")].filter(e => !e.hidden).map(e => e.textContent.trim()),
    columns: [...widget.querySelectorAll("table.weights thead th")].map(e => e.textContent),
    weights: [...widget.querySelectorAll("table.weights tbody tr")].map(row => numbers(row, "data-weight")),
    texts: [...widget.querySelectorAll("table.weights tbody tr")].map(
      row => [...row.querySelectorAll("td")].map(e => e.textContent)),
    chosen: [...widget.querySelectorAll("table.weights tbody tr")].findIndex(e => e.matches("[data-chosen]")),
    shares: [...widget.querySelectorAll(".shares span")].map(e => e.textContent),
    map: [...widget.querySelectorAll(".map svg")].map(e => e.innerHTML.replace(/ xmlns="[^"]*"/g, "")),
    named: [...widget.querySelectorAll(".map svg")].map(e => e.getAttribute("aria-label")),
    current: [...widget.querySelectorAll(".map [aria-current]")].map(
      e => [e.dataset.layer, e.dataset.head].map(Number)),
    arcs: [...widget.querySelectorAll(".stage > svg path")].map(
      e => [e.dataset.key, e.getAttribute("stroke-width"), ...e.getAttribute("d").match(/-?[\\d.]+/g)].map(Number)),
    says: widget.querySelector("output").textContent,
  };
}"""


def pick(widget, *, sentence, layer, head, row):
    widget.get_by_label("sentence").select_option(str(sentence))
    widget.get_by_label("layer", exact=True).fill(str(layer))
    widget.get_by_label("head", exact=True).fill(str(head))
    widget.locator(f"[name=row][value='{row}']").check()
    widget.page.wait_for_selector("head-browser:not([aria-busy])")
    return widget.evaluate(SHOWN)


def numbers(path):
    return [float(part) for part in path.replace("M", " ").replace("C", " ").split()]


def test_every_head_is_shown_as_it_was_recorded(widget):
    rng = np.random.default_rng(0)
    for sentence, one in enumerate(recorded().sentences):
        weights = np.rint(1000 * one.weights).astype(int)
        for _ in range(3):
            layer, head, row = (int(rng.integers(size)) for size in (6, 12, len(one.tokens)))
            shown = pick(widget, sentence=sentence, layer=layer, head=head, row=row)
            chosen = weights[layer, head]
            assert shown["tokens"] == shown["columns"] == one.tokens
            np.testing.assert_allclose(1000 * np.array(shown["weights"]), chosen, atol=1e-9)
            assert shown["texts"] == [[head_browser.hundredths(weight) for weight in line] for line in chosen]
            assert shown["chosen"] == row
            assert shown["current"] == [[layer, head]]
            assert shown["shares"] == shown["texts"][row]
            assert shown["says"] == head_browser.statement(one.tokens, weights, layer, head, row)
            heard = {key: weight / 1000 for key, weight in enumerate(chosen[row].tolist()) if weight >= 10}
            drawn = [[arc.key, arc.thickness, *numbers(arc.path)] for arc in arcs(row, heard, widths(one.tokens))]
            np.testing.assert_allclose(shown["arcs"], drawn, rtol=1e-5)
        small = [str(head_browser.paths(grid)).replace("/>", "></path>") for heads in weights for grid in heads]
        assert shown["map"] == small
        assert shown["named"][5].startswith("layer 0, head 5: ")


def test_a_click_on_a_small_picture_chooses_its_head_and_one_on_a_row_its_token(widget):
    widget.locator(".map td").nth(2 * 12 + 9).click()
    widget.page.wait_for_selector("head-browser:not([aria-busy])")
    widget.locator("table.weights tbody tr").nth(3).locator("td").first.click()
    shown = widget.evaluate(SHOWN)
    assert (shown["current"], shown["chosen"]) == ([[2, 9]], 3)
    assert widget.get_by_label("layer", exact=True).input_value() == "2"
    assert "heads.layer=2&heads.head=9&heads.row=3" in widget.page.url


def test_the_record_is_fetched_when_another_head_is_asked_for_and_not_before(open_page, handler):
    handler.served.clear()
    page = open_page(PAGE)
    page.wait_for_selector("head-browser form")
    page.locator("[name=row][value='3']").check()  # of the head that stands in the page
    page.wait_for_load_state("networkidle")
    assert not [path for path, _ in handler.served if path.endswith(RECORD)]
    page.get_by_label("layer", exact=True).fill("0")
    page.wait_for_selector("head-browser:not([aria-busy])")
    page.get_by_label("layer", exact=True).fill("1")
    assert [size < 300_000 for path, size in handler.served if path.endswith(RECORD)] == [True]


def test_a_record_that_does_not_come_is_said_and_asked_for_again(open_page):
    page = open_page(PAGE)
    page.wait_for_selector("head-browser form")
    page.route(f"**/{RECORD}", lambda route: route.abort())
    page.get_by_label("layer", exact=True).fill("0")
    page.locator("head-browser output", has_text="could not be fetched").wait_for()
    page.unroute(f"**/{RECORD}")
    page.get_by_label("layer", exact=True).fill("1")
    page.locator("head-browser output", has_text="Layer 1, head 11: ran gives").wait_for()


@pytest.fixture
def alone(tmp_path):
    rng = np.random.default_rng(2)
    tokens = [
        "[CLS]",
        "a",
        "</script>",
        "a",
        "<b>",
        *(f"word{i}" for i in range(17)),
        "[SEP]",
    ]  # longer than any recorded
    weights = rng.dirichlet(np.ones(len(tokens)), (2, 3, len(tokens)))
    file = tmp_path / "heads.html"
    file.write_text(head_browser.alone("a </script> a <b>", tokens, weights, "Two layers of three heads."), "utf-8")
    return file, tokens, weights


def test_a_file_that_stands_alone_works_from_the_disk_with_the_network_off(browser, alone):
    file, tokens, weights = alone
    context = browser.new_context(offline=True)
    page = context.new_page()
    faults, asked = [], []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    assert page.locator("h1").text_content() == "a </script> a <b>"
    shown = pick(page.locator("head-browser"), sentence=0, layer=1, head=2, row=20)
    thousandths = np.rint(1000 * weights).astype(int)
    assert shown["tokens"] == tokens
    np.testing.assert_allclose(1000 * np.array(shown["weights"]), thousandths[1, 2], atol=1e-9)
    assert shown["says"] == head_browser.statement(tokens, thousandths, 1, 2, 20)
    assert shown["current"] == [[1, 2]]
    said = page.locator("head-browser [role=status]").bounding_box()
    assert (said["width"], said["height"]) == (1, 1)  # heard, not seen
    assert asked == [file.as_uri()]
    assert faults == []
    context.close()
