"""The calculator under the hand: keys alone, and what is typed, good or bad."""

import pytest

pytestmark = pytest.mark.nightly

PAGE = "learn/line-by-line/"
DEFAULT = "who: cats 4/7, who 2/7, dogs 1/7; sum 1; output (40/7, 16/7)"


def field(widget, name):
    return widget.locator(f"[name={name}]")


def says(widget):
    return widget.locator("output").text_content()


def test_keys_alone_choose_the_word_raise_a_score_and_type(widget):
    page = widget.page
    widget.get_by_role("radio", name="who").focus()
    page.keyboard.press("ArrowRight")
    assert says(widget) == "dogs: cats 1/3, who 1/3, dogs 1/3; sum 1; output (4, 4)"
    assert widget.locator("[data-chosen] th").text_content() == "dogs"
    page.keyboard.press("ArrowLeft")
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert says(widget) == (
        "who: cats 1/2, who 1/4, dogs 1/4; sum 1; output (5, 3). "
        "Without the extra doublings: cats 4/7, who 2/7, dogs 1/7. cat : that stays 2 : 1."
    )
    page.keyboard.press("ArrowLeft")
    assert says(widget) == DEFAULT
    page.keyboard.press("Tab")
    page.keyboard.type("3")  # cat asks something now, but it is not cat's turn
    assert field(widget, "q00").input_value() == "3"
    assert says(widget) == DEFAULT


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("1/0", "“1/0” divides by 0, which gives no number."),
        ("201/2", "100.5 is out of range. Type a number from \N{MINUS SIGN}100 to 100."),
    ],
)
def test_what_is_not_a_number_is_named_and_the_last_good_result_stays(widget, typed, why):
    one, errors = field(widget, "k01"), widget.locator(".error")
    one.fill("2")
    good = says(widget)
    assert good != DEFAULT
    one.fill(typed)
    assert errors.all_text_contents() == [""] * 3  # nobody complains about what is still being typed
    errors.filter(has_text=why).wait_for()  # once the hand rests
    assert errors.all_text_contents() == ["", f"k of cats, early: {why}", ""]
    assert one.get_attribute("aria-invalid") == "true"
    assert one.get_attribute("aria-describedby") == errors.nth(1).get_attribute("id")
    assert says(widget) == good
    one.fill("4")
    assert errors.all_text_contents() == [""] * 3
    assert one.get_attribute("aria-invalid") == "false"
    assert says(widget) == DEFAULT
