"""Moving within a page and between pages: a link to a state leads to it, and Back and Forward restore it."""

import pytest

from tests.browser.conftest import Script, follow, load

pytestmark = pytest.mark.nightly

JS = Script("navigation.js")
STATE = "learn/scaling/#~lab.n=2"


def test_a_link_to_a_state_leads_to_its_widget(open_page):
    page = open_page(STATE, at_once=False)
    page.wait_for_function(JS.inSight)


@pytest.mark.parametrize("page", ["teach/", "teach/lecture/", "teach/lab/"])
def test_a_figure_takes_every_state_that_a_page_for_teachers_links_to(tab, server, page):
    links = load(tab, server + page).evaluate(JS.linkedStates)
    assert links
    for link in links:
        load(tab, link)
        for state in link.partition("#~")[2].split("&"):
            widget, name, value = state.replace("=", ".", 1).split(".")
            field = f'[id="{widget}"] form [name="{name}"][value="{value}"]'
            tab.locator(f'{field}:checked, {field}:not([type="radio"])').first.wait_for(state="attached")


STATES = [  # where, the widget, two states of it
    ("learn/line-by-line/", "design-a-head", "noun=2", "noun=3"),
    ("learn/line-by-line/", "spend-the-budget", "laid=aab", "laid=abb"),
    ("learn/read-the-grid/", "attention-grid", "row=1", "row=2"),
    ("learn/order/", "order-switch", "swap=true", "positions=false"),
    ("learn/masks/", "mask-painter", "mask=" + "1" * 25, "mask=" + "10000" * 5),
    ("", "sentence-machine", "swap=yes", "scene=2"),
]


@pytest.mark.parametrize(("where", "tag", "one", "other"), STATES, ids=lambda text: text or "the first page")
def test_back_and_forward_show_what_the_address_says(tab, server, where, tag, one, other):
    def begin(state):
        load(tab, f"{server}{where}#~{name}.{state}")
        tab.locator(f"{tag}:defined output").first.wait_for(state="attached")
        return tab.evaluate(JS.fields, tag)

    load(tab, server + where)
    name = tab.locator(tag).first.evaluate("widget => widget.id || widget.dataset.state")
    seen, before = begin(one), begin(other)
    assert seen != before
    for state in (one, other):
        tab.evaluate("address => location.hash = address", f"~{name}.{state}")
    tab.go_back()
    shows(tab, tag, seen)
    tab.go_forward()
    shows(tab, tag, before)
    follow(tab, tab.locator(".md-footer__link--next"))
    follow(tab, tab.go_back)
    shows(tab, tag, before)


def shows(tab, tag, fields):
    for _ in range(50):  # a busy machine takes its time
        if tab.locator(f"{tag}:defined").count() and tab.evaluate(JS.fields, tag) == fields:
            return
        tab.wait_for_timeout(100)
    assert tab.evaluate(JS.fields, tag) == fields


def test_an_anchor_leaves_what_a_reader_has_set(tab, server):
    load(tab, f"{server}learn/line-by-line/#~who-ran.laid=aab")
    tab.locator("spend-the-budget:defined output").first.wait_for(state="attached")
    seen = tab.evaluate(JS.fields, "spend-the-budget")
    tab.locator(".md-sidebar--secondary nav a[href*='#']").nth(2).press("Enter")
    tab.wait_for_function("!location.hash.startsWith('#~')")
    tab.evaluate("new Promise(requestAnimationFrame).then(() => 0)")  # what listens to the address has heard of it
    assert tab.evaluate(JS.fields, "spend-the-budget") == seen
