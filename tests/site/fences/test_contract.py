"""What every fence does: each kind of fence that a page holds, and the example that its own module gives."""

import json
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import yaml
from markupsafe import Markup
from material.plugins.search.plugin import Parser

from docs_ext.errors import SpecError
from docs_ext.extensions import draw_fences as fences
from docs_ext.theme.search import for_search
from tests.site.fences.reading import (
    KINDS,
    ON_PAGES,
    Figure,
    drawn_numbers,
    fences_in,
    numbers,
    plain,
    read,
    says,
    text,
)  # fmt: skip

KNOWN = yaml.safe_load(Path(__file__).with_name("contract.yaml").read_text("utf-8"))
SHOWN, MORE, ALONE, IDLE, ANSWERED = (KNOWN[part] for part in ("shown", "more", "alone", "idle", "answered"))
POINTERS = ("aria-labelledby", "aria-describedby", "aria-controls", "for")
every_kind = pytest.mark.parametrize(("name", "spec"), KINDS.values(), ids=KINDS)
every_name = pytest.mark.parametrize("name", fences.names())


def render(name, spec):
    return fences.draw(name, spec)


@every_name
def test_a_page_shows_it(name):
    assert name in {shown for shown, _ in KINDS.values()}


@every_name
def test_the_examples_of_its_module_hold(name):
    module = fences.fence(name)
    examples = [(other, body) for _, other, body in fences_in(module.__doc__)]
    assert examples
    for other, body in examples:
        assert other == name
        read(fences.render(name, body, "an-example"))


@every_kind
def test_it_is_valid_html_and_complete_without_a_script(name, spec):
    html = render(name, spec)
    assert isinstance(html, Markup)
    root = read(html)
    tags = {element.tag for element in root.iter() if isinstance(element.tag, str)}
    assert {tag for tag in tags if "-" in tag and "}" not in tag} <= set(fences.names())  # custom elements
    assert not tags & {"script", "style", "link", "iframe"}
    assert tags & {"table", "pre", "label", "figure", "ul", "ol"}
    assert len(text(root)) > 40
    assert len(root.findall(".//input")) == len(root.findall(".//label//input"))


RAW = re.compile(r"(?<![\w.])[A-Za-z]_(?:[A-Za-z0-9]|model)\b")


def spelt(element):
    """Yield what is read of an element or of its labels, without code and TeX."""
    if not isinstance(element.tag, str) or element.tag.rpartition("}")[2] in ("code", "pre", "annotation"):
        return
    yield from filter(None, (element.text, element.get("aria-label")))
    for child in element:
        yield from spelt(child)
        yield child.tail or ""


@pytest.mark.parametrize(("name", "body"), ON_PAGES.values(), ids=ON_PAGES)
def test_no_symbol_is_shown_with_an_underscore(name, body):
    assert [text for text in spelt(read(fences.render(name, body, "x"))) if RAW.search(text)] == []


@every_kind
def test_its_id_is_used_and_two_of_them_share_no_id_and_no_group(name, spec):
    both = [read(render(name, spec | {"id": ident})) for ident in ("one", "two")]
    found = [{value for element in root.iter() if (value := element.get("id"))} for root in both]
    ids = Counter(element.get("id") for root in both for element in root.iter() if element.get("id"))
    assert set(ids.values()) == {1}
    assert "one" in found[0]
    groups = [{radio.get("name") for radio in root.findall(".//input[@type='radio']")} for root in both]
    assert not groups[0] & groups[1]
    for root, own in zip(both, found, strict=True):
        for element in root.iter():
            for pointer in POINTERS:
                assert set(element.get(pointer, "").split()) <= own


@every_kind
def test_the_search_finds_nothing_of_it_but_the_question_of_a_quiz(name, spec):
    plugin = Parser()
    plugin.feed(for_search(render(name, spec)))
    plugin.close()
    seen = " ".join("".join(part) for section in plugin.data for part in (section.title, section.text))
    legend = read(render(name, spec)).find(".//legend") if name == "quiz-question" else None
    assert text(read(seen)) == ("" if legend is None else text(legend))


@every_kind
def test_a_key_that_is_unknown_or_missing_is_named(name, spec):
    module = fences.fence(name)
    with pytest.raises(SpecError, match="'unheard_of'"):
        fences.render(name, yaml.safe_dump(spec | {"unheard_of": 1}), "x")
    for key in module.REQUIRED:
        for change in ({}, {key: None}):
            rest = {other: item for other, item in spec.items() if other != key} | change
            with pytest.raises(SpecError, match=f"the key '{key}' is missing") as error:
                fences.render(name, yaml.safe_dump(rest), "x")
            assert error.value.key == key


# What a script draws in a browser, which V8 draws too

DRAWN = {
    kind: Figure(name, **spec)
    for kind, (name, spec) in KINDS.items()
    if hasattr(fences.fence(name), "data") or "data-given" in render(name, spec)
}
every_drawn = pytest.mark.parametrize("figure", DRAWN.values(), ids=DRAWN)
every_captioned = pytest.mark.parametrize("kind", [kind for kind, (_, spec) in KINDS.items() if "caption" in spec])
HOSTILE = "<u>&amp;\"'"


def shown(element, alone):
    """Return what is seen beside controls; a field that is typed into shows its value."""
    if not isinstance(element.tag, str) or element.get("type") == "text":
        return element.get("value", "")
    if {element.tag, *element.get("class", "").split()} & {"button", "widget-controls", "visually-hidden", *alone}:
        return ""
    return (element.text or "") + "".join(shown(child, alone) + (child.tail or "") for child in element)


@every_drawn
def test_a_script_begins_with_what_the_page_shows(figure):
    roots, alone = [figure.still().find(f".//{figure.name}"), figure.live()], ALONE.get(figure.name, [])
    still, live = ("".join(shown(root, alone).replace("\N{MINUS SIGN}", "-").split()) for root in roots)
    assert still == live
    assert len(still) > 100


@every_drawn
def test_every_control_has_a_name_and_every_part_of_the_state_a_field_that_keeps_it(figure):
    root, state = figure.live(), figure.call("first", figure.given)
    labelled = {field for label in root.iter("label") if text(label) for field in label.iter()}
    controls = [element for element in root.iter() if element.tag in ("input", "select", "button")]
    fields = {control.get("name") for control in controls} - {None}
    assert fields == set(state) - {"lit"}  # what has no field is lost to the address; the map follows the pointer
    for control in controls:
        named = text(control) or control.get("aria-label") or control in labelled or control.get("type") == "hidden"
        assert named, control.attrib
    for element in root.iterfind(".//*[@data-set]"):
        assert set(json.loads(element.get("data-set"))) <= fields
    reset = [] if figure.name == "lesson-map" else ["Reset"]  # the map holds links, and nothing to set
    assert [text(button) for button in root.iterfind(".//button[@class='reset']")] == reset


@every_drawn
def test_a_slider_says_what_its_value_means(figure):
    for slider in figure.live().findall(".//input[@type='range']"):
        name, least, most = slider.get("name"), int(slider.get("min")), int(slider.get("max"))
        said = set()
        for value in (least, least + 1, most):
            if figure.name != "head-browser" or name not in ("layer", "head"):  # of which the page has one alone
                slider = figure.live(**{name: value}).find(f".//input[@name='{name}'][@type='range']")
            said.add(slider.get("aria-valuetext"))
        assert all(re.search("[a-z°]", one) and not re.match("[\N{MINUS SIGN}-]?1 \\w+s$", one) for one in said), said
        assert len(said) >= 2 or figure.name == "head-browser"


def near(one, other):
    return math.isclose(one, other, rel_tol=6e-3, abs_tol=6e-3)


@every_drawn
def test_whatever_a_reader_does_a_figure_shows_what_it_computes_and_says_what_it_shows(figure):
    for state, root in figure.walk():
        shown = [*drawn_numbers(root)]
        found = figure.call("compute", figure.given, state) if figure.name in SHOWN else {}
        for part in SHOWN.get(figure.name, "").split():
            wanted = np.ravel(found[part] if isinstance(found, dict) else np.hstack([step[part] for step in found]))
            following = iter(shown)
            assert all(any(near(number, one) for one in following) for number in wanted), (state, part, wanted)
        if figure.name not in MORE and "column" not in figure.spec:
            unseen = [one for one in numbers(says(root)) if not any(near(one, other) for other in shown)]
            assert not unseen, f"it says {unseen}, which the figure does not show, in the state {state}"


@pytest.mark.parametrize(("name", "before", "sets", "why"), IDLE.values(), ids=IDLE)
def test_a_control_that_changes_nothing_says_why(name, before, sets, why):
    figure = next(
        figure
        for figure in DRAWN.values()
        if figure.name == name and figure.spec.keys().isdisjoint(("scene", "scores"))
    )
    before = figure.call("first", figure.given) | before
    told = figure.call("idle", figure.given, before, before | sets)
    assert (why in told) if why else told == ""


RESULT = re.compile(r"\([^()a-z]+\)|-?\d+(?:[./]\d+)*")  # a vector, a fraction, a number


@pytest.mark.parametrize("which", ANSWERED)
def test_the_answer_to_a_prediction_is_what_the_figure_then_shows(which):
    name, _, page = which.partition(" ")
    figure = next(figure for kind, figure in DRAWN.items() if kind.startswith(f"{name} docs/{page}"))
    results = RESULT.findall(plain(figure.still().find(".//details[@class='question']/p")))
    shown = []
    for state in ({}, *ANSWERED[which]):
        root = figure.live(**state)
        root.find(".//details[@class='question']").clear()
        shown.append(set(RESULT.findall(plain(root))))
    assert set(results) - shown[0]  # it says more than stands there at first
    assert set(results) <= set.union(*shown)


@every_captioned
def test_what_an_author_writes_is_text_and_no_html(kind):
    name, spec = KINDS[kind]
    figure = Figure(name, **spec | {"caption": HOSTILE})
    roots = [figure.still()]
    if kind in DRAWN:
        given = figure.given
        words = [HOSTILE + word if isinstance(word, str) else word for word in given.get("words", [])]
        roots.append(figure.live(given | {"words": words}))
    for root in roots:
        written = [text(root), *(value for element in root.iter() for value in element.attrib.values())]
        assert any(HOSTILE in one for one in written)
        assert root.find(".//u") is None
        assert not any("&lt;" in one for one in written)
