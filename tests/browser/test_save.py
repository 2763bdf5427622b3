"""A figure can be taken along: as it is shown, with its caption and the address of its page, in SVG and in PNG."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

SEEN = "Object.fromEntries([...document.querySelectorAll('[data-id]')].map(e => [e.dataset.id, e.style.opacity]))"


@pytest.mark.parametrize("name", ["learn/heads/", "learn/sharing-heads/", "#~home.scene=4"])
def test_a_figure_is_saved_with_its_caption_and_address(open_page, name):
    page = open_page(name)
    page.keyboard.press("Tab")  # the line comes with the first hand
    line = page.locator(".save").first
    line.scroll_into_view_if_needed()
    files = {}
    for kind in ("SVG", "PNG"):
        with page.expect_download() as started:
            line.get_by_role("button", name=kind).press("Enter")
        files[kind] = Path(started.value.path()).read_bytes()
    svg = ElementTree.fromstring(files["SVG"])
    texts = ["".join(text.itertext()) for text in svg.findall("{http://www.w3.org/2000/svg}text")]
    assert texts[-1] == page.url.split("#")[0]
    caption = line.locator("xpath=..").locator("figcaption, .widget-title").first
    assert " ".join(" ".join(texts[:-1]).split()) == " ".join(caption.text_content().split())
    assert b"var(" not in files["SVG"]
    wide, high = (int.from_bytes(files["PNG"][at : at + 4]) for at in (16, 20))
    assert abs(wide - 2 * float(svg.get("width"))) <= 2
    assert abs(high - 2 * float(svg.get("height"))) <= 2
    boxes = [button.bounding_box() for button in line.get_by_role("button").all()]
    assert all(min(box["width"], box["height"]) >= 24 for box in boxes)


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
def test_the_film_is_saved_as_a_loop_that_is_the_pour_where_nothing_moves(open_page, tmp_path, motion, moves):
    page = open_page("", reduced_motion=motion)
    page.keyboard.press("Tab")
    with page.expect_download() as started:
        page.get_by_role("button", name="loop, figure").press("Enter")
    file = tmp_path / started.value.suggested_filename
    started.value.save_as(file)
    assert not re.search(r"<script|var\(|href", file.read_text("utf-8"))
    page.goto(file.as_uri())
    times = page.evaluate("document.getAnimations().map(one => one.effect.getTiming().duration)")
    assert set(times) == ({6000} if moves else set())
    seen = page.evaluate(SEEN)
    assert seen["arc-0"] == seen["weight-0"] == seen["gift-0-0"] == "1"
    assert seen["plug-0"] == seen["block-0-0"] == "0"
