"""The map under the hand: no two names on each other, the way that lights up, what has been read."""

import json
import re

import pytest

from docs_ext.reading.lessons import lessons
from tests.browser.conftest import Script

JS = Script("fences/lesson_map.js")
PAGE, KNOWN = "map/", lessons()


@pytest.mark.parametrize("scripts", [True, False])
def test_no_two_names_overlap_in_any_window_and_font(open_page, scripts):
    page = open_page(PAGE, java_script_enabled=scripts)
    figure = page.locator("lesson-map")
    for font in ("sans-serif", "monospace"):
        figure.evaluate("(map, font) => map.style.fontFamily = font", font)
        for width in (1280, 1130, 1024, 700, 390, 360):
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_function("width => innerWidth === width", arg=width)
            assert figure.evaluate(JS.overlaps) == 0, (font, width)
            assert figure.locator("path").first.is_visible() == (width > 1100)


def test_pointer_and_focus_light_the_way_and_answers_fill_it(open_page):
    page = open_page(PAGE)
    record = {"title": "x", "of": 2, "first": []}
    every = {key: [0] for key in "abcd"}
    answered = {"the-problem": every, "masks": every, "decoding": {"a": [0]}}
    path = page.evaluate("location.pathname").removesuffix(PAGE)
    answers = json.dumps({f"{path}learn/{name}/": record | {"chosen": chosen} for name, chosen in answered.items()})
    page.evaluate("given => localStorage.setItem('attention-line-by-line.answers', given)", answers)
    page.reload()
    figure = page.locator("lesson-map:has(form)")
    figure.wait_for()
    page.evaluate("document.fonts.ready.then(() => true)")  # until then stations move from under a pointer

    def lights(name):
        way = [other.short for key, other in KNOWN.items() if key == name or key in KNOWN[name].behind]
        assert figure.locator("li[data-lit] b").all_text_contents() == way
        read = f"; you have read {1 + ('masks' in KNOWN[name].behind)} of them."
        assert re.match(f"{way[-1]}: {len(way)} lessons, .* minutes{read}", figure.locator("output").inner_text())

    lights("lookup")
    assert figure.get_by_role("link", name=re.compile(r"^KV cache: .*, 1 of 2 questions answered$")).count() == 1
    figure.get_by_role("link", name=re.compile("^a real model: What do trained heads do")).hover()
    lights("real-model")
    page.mouse.move(0, 0)
    lights("lookup")
    page.goto(page.url.replace(PAGE, "learn/from-text-to-next-word/"))
    assert page.locator(".way a:has(.done)").all_text_contents() == ["masks done"]
