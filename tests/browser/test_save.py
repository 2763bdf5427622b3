"""A figure can be taken along: as it is shown, with its caption and the address of its page, in SVG and in PNG."""

from pathlib import Path
from xml.etree import ElementTree

import pytest


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
