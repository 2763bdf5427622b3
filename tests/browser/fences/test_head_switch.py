"""The head switch under the hand: the words that may ask are those of the sentence that is chosen."""

import pytest

from tests.browser.widget import Widget

pytestmark = pytest.mark.nightly

PAGE = "learn/heads/"
CONTRACT = [Widget("head-switch", PAGE, "order=2&heads=&asks=9")]


def test_another_sentence_changes_who_may_ask_and_what_is_said(widget):
    words, output = widget.locator("fieldset:last-of-type label"), widget.locator("output")
    first = words.all_text_contents()
    widget.locator("input[name=order]").nth(1).check()
    assert sorted(words.all_text_contents()) == sorted(first)
    assert words.all_text_contents() != first
    for name, place, says in (("heads", 1, "heads averaged: "), ("asks", 0, f"{words.first.text_content()} receives")):
        widget.locator(f"input[name={name}]").nth(place).check()
        assert says in output.text_content()
