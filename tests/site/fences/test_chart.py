"""Charts: data from the package, one SVG for both schemes, the numbers as a table."""

import re

import pytest

from docs_ext.fences import chart
from tests.site.fences.reading import SOUND, read, rows

SPEC = {"id": "chart-1"} | SOUND["chart"]["sound"]


def parse(spec):
    return read(chart.render(spec))


def test_the_numbers_of_the_package_stand_below_the_chart():
    page = parse(SPEC)
    numbers = [["dk", "deviation", "name"], ["1", "1", "a"], ["4", "2", "b"], ["64", "8", "c"]]
    assert rows(page, ".//details//tr") == numbers
    assert page.find(".//details//th/sub").text == "k"
    assert [one.text for one in page.findall(".//{*}svg//{*}tspan")] == ["k", "k"]  # the title of the axis


def test_the_chart_is_one_image_with_a_description_and_a_heading():
    page = parse(SPEC)
    desk, phone = page.findall(".//{*}svg")  # of which the column shows one
    assert desk.get("role") == phone.get("role") == "img"
    assert desk.get("aria-label") == 'A line from 1 to 8, "steep" at first.'
    assert phone.get("aria-labelledby") == desk.get("id")
    assert not [element for element in page.iter() if "aria-roledescription" in element.attrib]
    assert [desk.get("viewBox")[:7], phone.get("viewBox")[:7]] == ["0 0 720", "0 0 320"]


def test_a_series_is_named_at_its_end_or_where_the_fence_says():
    data = '[{"x": x, "y": y * x, "kind": kind} for kind, y in (("one", 1), ("two", 2)) for x in range(5)]'
    encoding = {"x": {"field": "x"}, "y": {"field": "y"}, "color": {"field": "kind"}}
    spec = SPEC | {"data": data, "encoding": encoding}
    label = {"one": {}, "two": {"at": 2.2, "text": "twice"}}
    page = parse(spec | {"label": {"kind": label}, "phone": {"encoding": {"x": {"title": "narrow"}}}})
    for svg, title in zip(page.findall(".//{*}svg"), ("x", "narrow"), strict=True):
        places = {one.text: re.findall(r"[\d.]+", one.get("transform")) for one in svg.findall(".//{*}text")}
        assert title in places
        one, twice = (float(places[name][0]) - 8 for name in ("one", "twice"))
        assert twice == pytest.approx(one / 2, abs=1)


def test_words_on_an_axis_stand_in_the_order_of_the_data():
    data = '{"name": ["b", "a"], "deviation": [1, 2]}'
    desk = parse(SPEC | {"data": data, "encoding": {"x": {"field": "name"}, "y": {"field": "deviation"}}}).find(
        ".//{*}svg"
    )
    assert [one.text for one in desk.findall(".//{*}text") if one.text in ("a", "b")] == ["b", "a"]
