"""The sentence machine: words that stay where they are, a guess that plays, keys, touch, and motion."""

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
    assert not [name for name in shown[0]["seen"] if name.startswith(("arc", "weight", "block", "score"))]
    assert len([name for name in shown[3]["seen"] if name.startswith(("arc", "weight"))]) == 10
    for svg in shown:
        assert svg["ids"] == shown[0]["ids"]
        assert svg["boxes"] == pytest.approx(shown[0]["boxes"], abs=0.5)


def test_a_tap_is_a_guess_that_plays_all_scenes_and_then_a_word_that_asks(open_page):
    page = open_page(viewport=PHONE, has_touch=True, reduced_motion="no-preference")
    widget = page.locator("sentence-machine")
    page.clock.install()
    widget.get_by_role("button", name="dogs", exact=True).tap()
    assert scene(widget) == 1
    assert 0 < widget.evaluate(JS.longest) <= 0.9
    page.clock.run_for(12_000)
    assert scene(widget) == 5
    assert widget.get_by_role("button", name="Play").is_visible()
    assert "You said dogs" in widget.locator("output").text_content()
    widget.get_by_role("button", name="cats", exact=True).tap()  # a guess is made once; then a word asks
    assert "You said" not in widget.locator("output").text_content()
    assert scene(widget) == 5
    assert widget.locator(".widget-title").text_content().startswith("cats asks")
    widget.get_by_role("button", name="Play").tap()
    page.clock.run_for(5_000)
    widget.get_by_role("button", name="Pause").tap()
    paused = scene(widget)
    page.clock.run_for(9_000)
    assert 1 < paused == scene(widget) < 5
