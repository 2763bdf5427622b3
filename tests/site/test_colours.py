"""Colours mean what they say: roles stay apart in all eyes, weights can be read, no other thing has a role's hue."""

import re
from itertools import combinations, product

import numpy as np
import pytest
from coloraide import Color
from markdown import markdown

from docs_ext.html.console import colour_roles
from tests.site.pages import ROOT
from tests.tables import each_row

CSS = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "docs/assets/css").rglob("*.css"))}
GROUNDS = {"default": ("#ffffff", "#f5f5f5", "#212121"), "slate": ("#1e2129", "#272a35", "#bfc1c6")}  # page, code, text
EYES = (None, "deutan", "protan")


def variables(scheme):
    blocks = re.findall(rf'"{scheme}"\].*? {{(.*?)}}', CSS["site.css"] + CSS["attention-grid.css"], re.DOTALL)
    return dict(re.findall(r"--([\w-]+): (#?[\w.]+);", "".join(blocks)))


def seen(colour, eye):
    """Show a colour as an eye sees it that lacks one kind of cone, by Machado, Oliveira and Fernandes 2009."""
    return Color(colour).filter(eye, method="machado").clip() if eye else Color(colour)


def distance(one, other, eye):
    return seen(one, eye).delta_e(seen(other, eye), method="2000")


@pytest.mark.parametrize("scheme", GROUNDS)
def test_roles_stay_apart_from_each_other_and_from_ink_in_all_eyes(scheme):
    colours, (*grounds, text) = variables(scheme), GROUNDS[scheme]
    roles = [colours[f"role-{role}"] for role in ("query", "key", "value", "output")]
    inks = text, colours["weight"], colours["md-typeset-a-color"]
    assert min(distance(*pair, eye) for *pair, eye in product(roles, inks, EYES)) >= 15
    assert min(distance(*pair, eye) for pair, eye in product(combinations(roles, 2), EYES)) >= 13
    assert min(Color(role).contrast(ground) for role, ground in product(roles, grounds)) >= 4.5


@pytest.mark.parametrize("scheme", GROUNDS)
def test_numbers_can_be_read_on_every_weight(scheme):
    assert "color-mix(in oklab, var(--weight) calc(var(--w) * 100%), var(--weight-0))" in CSS["attention-grid.css"]
    colour = variables(scheme)
    flips, ink = float(colour["ink-flips-at"]), float(colour["ink-0"])
    behind = Color.interpolate([colour["weight-0"], colour["weight"]], space="oklab")
    for weight in [*np.linspace(0, 1, 1001), flips, np.nextafter(flips, 1)]:
        written = Color("white" if (1 - ink if weight > flips else ink) else "black")
        assert written.contrast(behind(weight)) >= 4.58, weight


def test_only_what_has_a_role_wears_its_hue():
    wearers = {"query": "asks|chosen|checked|first|new|plug", "key": "second|socket|stacks"}  # without its name
    wearers["value"] = "book|corner|tank|pattern|fill|filling|flow|pour"
    wearers["output"] = "track|blend|drop|end|slope|gives|moves|out|receives|got|gets"
    worn = [(role, rule) for rule, body in re.findall(r"([^{}]+)\{([^{}]*)\}", "".join(CSS.values()))
            for role in re.findall(r"var\(--role-(\w+)", body)]  # fmt: skip
    assert worn
    assert not [(role, rule) for role, rule in worn if not re.search(rf"\b(?:{role}|{wearers[role]})\b", rule)]


@each_row("code, roles", "colours.toml", "names")
def test_names_in_code_take_the_class_of_their_role_and_copies_stay(code, roles):
    html = markdown(f"`{code}`\n\n```pycon\n>>> {code}\n```", extensions=["pymdownx.superfences"])
    coloured = colour_roles(html)
    assert re.findall(r'class="n role-(\w+)"', coloured) == roles.split()
    assert re.sub("<[^>]*>", "", coloured) == re.sub("<[^>]*>", "", html)
    inline = colour_roles(r"<code>a @ V[0]</code> <code>key</code> <code>\Q</code> <code>a key</code>")
    assert re.findall(r"role-\w+", inline) == ["role-value", "role-key"]
