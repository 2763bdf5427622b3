"""Reading the HTML of a fence, in the page and in any state, and the fences of the pages."""

import json
import re
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from random import Random

import html5lib
import numpy as np
import yaml

from docs_ext.extensions import draw_fences as fences
from docs_ext.html import renderer
from docs_ext.reading.keys import parse
from docs_ext.reading.page import read as page_of
from tests.site.built import tree
from tests.site.pages import PAGES, ROOT

SOUND = yaml.safe_load(Path(__file__).with_name("sound.yaml").read_text("utf-8"))
HEAD = SOUND["head"]  # head 1 of the running example


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


def numbers(words):
    """Read the numbers of a text: 1/2 and .5, 50% and 8,192."""
    found = re.findall(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:/\d+)?%?|(?<!\w)\.\d+", words)
    return [float(Fraction(one.rstrip("%").replace(",", ""))) / (100 if "%" in one else 1) for one in found]


def drawn_numbers(element):
    """Yield the numbers of a drawing in their order: those that are seen, beside controls, and the weights of cells."""
    if element.tag in ("button", "output", "select") or element.get("class") == "visually-hidden":
        return
    yield from numbers(element.get("data-weight", ""))
    yield from numbers((element.text or "").replace("\N{MINUS SIGN}", "-"))
    for child in element:
        yield from drawn_numbers(child)
        yield from numbers((child.tail or "").replace("\N{MINUS SIGN}", "-"))


def says(root):
    return plain(root.find(".//output"))


def answer(root):
    """Return the answer to the prediction."""
    return plain(root.find(".//details/p"))


class Figure:
    """A sound fence that a script draws: as it stands in the page, and in any state."""

    def __init__(self, name, **spec):
        self.entry, self.name, self.spec = name, name.split()[0], {"id": "x", "caption": "c"} | spec

    @classmethod
    def sound(cls, entry):
        """Take a fence of sound.yaml: its name, and more words if there are two."""
        return cls(entry, **SOUND[entry]["sound"])

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
        return read(self.call("html", given, state, {"message": ""})["text"])

    def walk(self):
        """Yield the first state and eight more, drawn; up to three controls of one lead to the next."""
        rng, state = Random(0), self.call("first", self.given)
        for _ in range(9):
            drawn = self.call("html", self.given, state, {"message": ""})
            root = tree(drawn["text"])  # faster than html5lib
            yield state, root
            moves = [json.loads(element.get("data-set")) for element in root.iterfind(".//*[@data-set]")]
            for field in [*root.iter("input"), *root.iter("select")]:
                name, values = field.get("name"), [option.get("value") for option in field.iter("option")]
                if field.get("type") == "range":
                    values = [rng.randint(int(field.get("min")), int(field.get("max")))]
                elif field.get("type") == "radio":
                    values = [field.get("value")]
                moves += [{name: type(state[name])(value)} for value in values]
            if not moves:
                return
            for move in rng.sample(moves, min(3, len(moves))):
                state |= move

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
    for place, (name, body) in ON_PAGES.items():
        spec = {"id": f"{name}-1"} | parse(body)[0]
        if "from" in spec:  # the figure of another page, which has its own place here
            continue
        keys = () if fences.fence(name).OPTIONAL is None else tuple(spec)  # the other keys of charts are Vega-Lite's
        if (name, keys) not in found:
            found.add((name, keys))
            yield f"{name} {place}", (name, spec)


KINDS = dict(_kinds())
