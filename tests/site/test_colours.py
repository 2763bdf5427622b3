"""Colours mean what they say: roles stay apart in all eyes, weights can be read, no other thing has a role's hue."""

import re
from itertools import combinations, product
from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

import numpy as np
import pytest
from markdown import markdown

from docs_ext.html.console import colour_roles
from tests.site.pages import ROOT

CSS = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "docs/assets/css").rglob("*.css"))}
GROUNDS = {"default": ("#ffffff", "#f5f5f5", "#212121"), "slate": ("#1e2129", "#272a35", "#bfc1c6")}  # page, code, text
EYES = np.array([  # normal; deuteranopia and protanopia by Machado, Oliveira and Fernandes 2009
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]])  # fmt: skip
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
# OKLab is Ottosson's (https://bottosson.github.io/posts/oklab/), contrast is WCAG's.
LMS = np.array([[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
                [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip


def variables(scheme):
    blocks = re.findall(rf'"{scheme}"\].*? {{(.*?)}}', CSS["site.css"] + CSS["attention-grid.css"], re.DOTALL)
    return dict(re.findall(r"--([\w-]+): (#?[\w.]+);", "".join(blocks)))


def linear(colour):
    part = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    return (np.maximum(one, other) + 0.05) / (np.minimum(one, other) + 0.05)


def distance(one, other, eye):
    return ciede2000(*(lab(XYZ @ np.clip(eye @ linear(colour), 0, 1) / XYZ.sum(axis=1)) for colour in (one, other)))


def lab(t):
    x, y, z = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(first, second):
    (l1, a1, b1), (l2, a2, b2) = first, second
    grey = 1.5 - 0.5 * sqrt((c := (hypot(a1, b1) + hypot(a2, b2)) / 2) ** 7 / (c**7 + 25**7))
    (c1, h1), (c2, h2) = ((hypot(a * grey, b), degrees(atan2(b, a * grey)) % 360) for a, b in ((a1, b1), (a2, b2)))
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0
    hue, light, c = (h1 + turn / 2 if c1 * c2 else h1 + h2) % 360, (l1 + l2) / 2, (c1 + c2) / 2
    waves = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.2, 4, -63))
    t = 1 + sum(size * cos(radians(n * hue + at)) for size, n, at in waves)
    lightness = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / sqrt(20 + (light - 50) ** 2))
    chroma, tone = (c2 - c1) / (1 + 0.045 * c), 2 * sqrt(c1 * c2) * sin(radians(turn / 2)) / (1 + 0.015 * c * t)
    blue = sin(radians(60 * exp(-(((hue - 275) / 25) ** 2)))) * 2 * sqrt(c**7 / (c**7 + 25**7))
    return sqrt(lightness**2 + chroma**2 + tone**2 - blue * chroma * tone)


def test_the_distance_is_that_of_the_standard():
    published = [  # some of the pairs of Sharma, Wu and Dalal 2005
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425), ((50, -1, 2), (50, 0, 0), 2.3669),
        ((50, 2.5, 0), (73, 25, -18), 27.1492), ((50, 2.5, 0), (56, -27, -3), 31.9030),
        ((63.0109, -31.0961, -5.8663), (62.8187, -29.7946, -4.0864), 1.2630),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082)]  # fmt: skip
    for first, second, known in published:
        assert ciede2000(first, second) == pytest.approx(known, abs=5e-5)


@pytest.mark.parametrize("scheme", GROUNDS)
def test_roles_stay_apart_from_each_other_and_from_ink_in_all_eyes(scheme):
    colours, (*grounds, text) = variables(scheme), GROUNDS[scheme]
    roles = [colours[f"role-{role}"] for role in ("query", "key", "value", "output")]
    inks = text, colours["weight"], colours["md-typeset-a-color"]
    assert min(distance(*pair, eye) for *pair, eye in product(roles, inks, EYES)) >= 15
    assert min(distance(*pair, eye) for pair, eye in product(combinations(roles, 2), EYES)) >= 13
    assert min(contrast(*(XYZ[1] @ linear(colour) for colour in pair)) for pair in product(roles, grounds)) >= 4.5


@pytest.mark.parametrize("scheme", GROUNDS)
def test_numbers_can_be_read_on_every_weight(scheme):
    assert "color-mix(in oklab, var(--weight) calc(var(--w) * 100%), var(--weight-0))" in CSS["attention-grid.css"]
    weights, colour = np.linspace(0, 1, 10001), variables(scheme)
    first, last = (np.cbrt(LMS @ linear(colour[end])) for end in ("weight-0", "weight"))  # OKLab is linear in these
    behind = (first + (last - first) * weights[:, None]) ** 3 @ np.linalg.inv(LMS).T @ XYZ[1]
    ink = np.where(weights > float(colour["ink-flips-at"]), 1 - float(colour["ink-0"]), float(colour["ink-0"]))
    assert contrast(np.clip(behind, 0, 1), ink).min() >= 4.58


def test_only_what_has_a_role_wears_its_hue():
    wearers = {"query": "asks|chosen|checked|first|new|plug", "key": "second|socket|stacks"}  # without its name
    wearers["value"] = "book|corner|tank|pattern|fill|flow"
    wearers["output"] = "track|blend|drop|end|slope|gives|moves|out|receives|got"
    worn = [(role, rule) for rule, body in re.findall(r"([^{}]+)\{([^{}]*)\}", "".join(CSS.values()))
            for role in re.findall(r"var\(--role-(\w+)", body)]  # fmt: skip
    assert worn
    assert not [(role, rule) for role, rule in worn if not re.search(rf"\b(?:{role}|{wearers[role]})\b", rule)]


@pytest.mark.parametrize(("code", "roles"), [
    ("attend(query=Q, key=K @ W_K1.T, value=head.w_v)", "query query key key key value value"),
    ("keys, v2 = cache.append(new @ W_K, V)", "key value key value"),
    ("sorted(names, key=len), max(x, key=lambda w: w), np.eye(3, k=-1), d.keys(), d.values()", ""),
    ("'Q and K', f'{Q}', d['key'], Qs, W_Q0, monkey, q_block  # Q, K and V", "query"),
])  # fmt: skip
def test_names_in_code_take_the_class_of_their_role_and_copies_stay(code, roles):
    html = markdown(f"`{code}`\n\n```pycon\n>>> {code}\n```", extensions=["pymdownx.superfences"])
    coloured = colour_roles(html)
    assert re.findall(r'class="n role-(\w+)"', coloured) == roles.split()
    assert re.sub("<[^>]*>", "", coloured) == re.sub("<[^>]*>", "", html)
    inline = colour_roles(r"<code>a @ V[0]</code> <code>key</code> <code>\Q</code> <code>a key</code>")
    assert re.findall(r"role-\w+", inline) == ["role-value", "role-key"]
