"""The sentence machine: words that stay where they are, a film that asks, keys, touch, and motion."""

import pytest

from tests.browser.conftest import DESKTOP, PHONE, Script

pytestmark = pytest.mark.nightly

JS = Script("fences/sentence_machine.js")
PAGE = ""  # the first


def scene(widget):
    return int(widget.get_by_label("Scene").input_value())


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_words_stay_and_everything_keeps_its_name_while_arrow_keys_go_through_the_scenes(widget, size):
    widget.page.set_viewport_size(size)
    widget.get_by_role("button", name="cats", exact=True).focus()
    shown = []
    for n in range(6):
        assert scene(widget) == n
        (svg,) = widget.evaluate(JS.boxes)
        shown.append(svg)
        widget.page.keyboard.press("ArrowRight")
    assert scene(widget) == 5
    widget.page.keyboard.press("ArrowLeft")
    assert scene(widget) == 4
    widget.page.set_viewport_size(DESKTOP)
    arcs = [len([name for name in svg["seen"] if name.startswith(("arc", "weight"))]) for svg in shown]
    assert arcs == [10, 0, 0, 10, 10, 10]
    for svg in shown:
        assert svg["ids"] == shown[0]["ids"]
        assert svg["boxes"] == pytest.approx(shown[0]["boxes"], abs=0.5)


def test_the_film_waits_for_a_guess_and_ends_with_a_verdict(open_page):
    page = open_page(viewport=PHONE, has_touch=True, reduced_motion="no-preference")
    widget = page.locator("sentence-machine")
    page.clock.install()
    assert not widget.get_by_role("button", name="Swap cats and dogs").is_visible()
    widget.get_by_role("button", name="Watch ran ask (12 s)").tap()
    assert scene(widget) == 1
    assert 0 < widget.evaluate(JS.longest) <= 0.9
    page.clock.run_for(5_500)
    assert widget.locator("output").text_content() == "Who gets most? Tap a word."
    widget.get_by_role("button", name="dogs", exact=True).tap()
    assert "You said dogs: it gets 1/8." in widget.locator("output").text_content()
    page.clock.run_for(7_500)
    assert scene(widget) == 5
    assert widget.get_by_role("button", name="Again").is_visible()
    widget.get_by_role("button", name="Swap cats and dogs").tap()
    assert "You said dogs: no word gets more." in widget.locator("output").text_content()
    widget.get_by_role("button", name="Swap cats and dogs").tap()
    widget.get_by_role("button", name="cats", exact=True).tap()
    assert "You said" not in widget.locator("output").text_content()
    assert scene(widget) == 0
    assert widget.locator(".widget-title").text_content().endswith("cats asks: which other animal is there?")
    widget.get_by_role("button", name="Watch cats ask").tap()
    page.clock.run_for(12_500)
    assert scene(widget) == 3  # nobody has guessed, and it goes on
    widget.get_by_role("button", name="Pause").tap()
    page.clock.run_for(9_000)
    assert scene(widget) == 3


def test_a_pointer_over_a_word_shows_its_arcs_until_it_leaves(widget):
    title = widget.locator(".widget-title")
    widget.get_by_role("button", name="Reset").evaluate("button => button.click()")
    widget.get_by_role("button", name="dogs", exact=True).hover()
    assert title.text_content().endswith("dogs asks: which other animal is there?")
    widget.get_by_role("button", name="Watch").hover()
    assert title.text_content().endswith("ran asks: which noun came first?")
    widget.get_by_role("button", name="dogs", exact=True).click()
    widget.get_by_role("button", name="Watch").hover()
    assert title.text_content().endswith("dogs asks: which other animal is there?")


@pytest.mark.parametrize("size", [(1280, 800), (1366, 768), (390, 844), (360, 740)], ids=str)
def test_the_first_screen_holds_the_arcs_and_the_button_and_nothing_moves_when_it_plays(open_page, size):
    page = open_page(viewport=dict(zip(("width", "height"), size, strict=True)), has_touch=size[0] < 500)
    page.locator("sentence-machine .play").wait_for()
    page.evaluate("document.fonts.ready.then(() => true)")
    before = {name: page.evaluate(JS.place, name) for name in (".sentence", ".machine-bar", ".home-top ~ h2")}
    button = page.evaluate(JS.place, ".machine-bar .play")
    assert before[".sentence"]["top"] > 0
    assert button["bottom"] <= min(size[1], 700 if size[0] < 500 else size[1])
    edges = page.evaluate(JS.place, "sentence-machine")
    assert edges["left"] == pytest.approx(size[0] - edges["right"], abs=1)
    page.locator("sentence-machine .play").press("Enter")
    assert {name: page.evaluate(JS.place, name) for name in before} == before
