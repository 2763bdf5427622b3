"""Reading the HTML of a fence, in the page and in any state, and the fences of the pages."""

import json
from functools import cached_property

import html5lib
import numpy as np
import pytest

from docs_ext.errors import SpecError
from docs_ext.extensions import draw_fences as fences
from docs_ext.html import renderer
from docs_ext.reading.keys import parse
from docs_ext.reading.page import read as page_of
from tests.site.pages import PAGES, ROOT

HEAD = {  # head 1 of the running example
    "tokens": "SENTENCE",
    "x": "embed(SENTENCE, EARLY)",
    "w_q": "W_Q1",
    "w_k": "W_K",
    "w_v": "W_V",
}


def read(html):
    """Parse as a browser does, but take nothing that is not valid HTML."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parseFragment(html)


def text(element):
    return " ".join("".join(element.itertext()).split())


def plain(element):
    """Return the text with the minus that a keyboard has."""
    return text(element).replace("\N{MINUS SIGN}", "-")


def rows(root, path=".//tbody/tr"):
    return [[plain(cell) for cell in row] for row in root.findall(path)]


def says(root):
    return plain(root.find(".//output"))


def answer(root):
    """Return the answer to the prediction."""
    return plain(root.find(".//details/p"))


class Figure:
    """A sound fence that a script draws: as it stands in the page, and in any state."""

    def __init__(self, name, **spec):
        self.name, self.spec = name, {"id": "x", "caption": "c"} | spec

    def still(self, **change):
        """Draw the fence, changed like this, as it stands in the page."""
        return read(fences.draw(self.name, self.spec | change))

    @cached_property
    def given(self):
        """What the page hands to the script."""
        return json.loads(self.still().find(f".//{self.name}").get("data-given"))

    def call(self, function, *given):
        return renderer.call(f"widgets/{self.name}.js", function, *given)

    def live(self, given=None, **state):
        """Draw what a browser shows once these parts of the first state are changed."""
        given = given or self.given
        state = self.call("first", given) | state
        return read(self.call("html", given, state, {"problems": {}, "message": ""})["text"])

    def on_500_states(self, case):
        """Turn a function of a random generator into a test: from data and a state the script computes what it says."""

        def test():
            rng = np.random.default_rng(0)
            for _ in range(500):
                data, state, expected = case(rng)
                shown = self.call("compute", data, state)
                for name, numbers in expected.items():
                    np.testing.assert_allclose(shown[name], numbers, rtol=1e-12, atol=1e-12, err_msg=name)

        return test

    def refuses(self, table):
        module = fences.fence(self.name)
        return refuses(getattr(module, "data", None) or module.render, self.spec, table)


def fences_in(page):
    """Yield line, name and YAML of every fence in a text."""
    return [(fence.line, fence.name, fence.text) for fence in page_of("", page).fences(*fences.names())]


ON_PAGES = {
    f"{page.relative_to(ROOT)}:{line}": (name, yaml)
    for page in PAGES
    for line, name, yaml in fences_in(page.read_text("utf-8"))
}


def _kinds():
    """Yield the first fence of every name and set of keys, as the extension hands it to its module."""
    found = set()
    for place, (name, yaml) in ON_PAGES.items():
        spec = {"id": f"{name}-1"} | parse(yaml)[0]
        keys = () if fences.fence(name).OPTIONAL is None else tuple(spec)  # the other keys of charts are Vega-Lite's
        if (name, keys) not in found:
            found.add((name, keys))
            yield f"{name} {place}", (name, spec)


KINDS = dict(_kinds())


def refuses(render, spec, table):
    """Return a test: every change of a sound spec is refused, at its key, by a message with these words."""

    @pytest.mark.parametrize(("change", "key", "words"), table.values(), ids=table)
    def test(change, key, words):
        render(spec)
        with pytest.raises((SpecError, ValueError, TypeError)) as error:
            render(spec | change)
        assert getattr(error.value, "key", None) == key
        for part in [words] if isinstance(words, str) else words:
            assert part in str(error.value)
        assert "\n" not in str(error.value)

    return test
