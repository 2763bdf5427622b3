"""The sentence machine: what every scene draws of every word against the package, and what is refused."""

import itertools
import re
from fractions import Fraction
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from attention import attention_scores, project
from attention.example import EARLY, SENTENCE, SWAPPED, W_K, W_Q1, W_Q2, attend, embed
from docs_ext.html.rounding import number
from docs_ext.reading.page import load
from docs_ext.reading.reading_time import reading
from tests.site.fences.reading import Figure, fences_in, text
from tools.page import parts_of_the_menu

MINUS = "\N{MINUS SIGN}"
MACHINE = Figure.sound("sentence-machine")
HIDDEN_AT_FIRST = {"chip", "score", "block", "power", "flow", "plug", "socket", "tank", "holds"}
STATES = list(itertools.product(range(5), "01", ("no", "yes"), ("yes", "no")))


def given_of(state, scene):
    row, head, swap, positions = state
    return {"scene": scene, "row": row, "guess": -1, "head": head, "swap": swap, "positions": positions}


def drawn(state, scene):
    """Draw a scene; return, for each of two layouts, its things by their names, and those among them that are seen."""
    page = MACHINE.call("html", MACHINE.given, given_of(state, scene), {"message": ""})["text"]
    for svg in re.findall("<svg.*?</svg>", page):
        things = {e.get("data-id"): e for e in ET.fromstring(svg).iter() if e.get("data-id")}
        yield things, {name: e for name, e in things.items() if "opacity:0" not in e.get("style", "").split(";")}


def said(things, kind):
    return [text(e) for name, e in sorted(things.items()) if re.fullmatch(rf"{kind}(-\d)?", name)]


def worked(terms, score):
    """Write how features that are multiplied become a score."""
    if not terms.any():
        return "0"
    signs = "".join(f" {MINUS if term < 0 else '+'} {number(abs(term))}" for term in terms[1:])
    added = f"{number(terms[0])}{signs} = " if signs else ""
    return f"{added}{number(terms.sum())}, halved: {number(score)}"


def row_of(numbers):
    return f"({', '.join(map(number, numbers))})"


def told(amounts):
    each = zip(amounts, ("cats", "dogs"), strict=True)
    return [word for amount, of in each for word in (number(amount), "part" if amount == 1 else "parts", of)]


@pytest.mark.parametrize("state", STATES, ids=str)
def test_every_scene_draws_what_the_package_computes(state):
    row, head, swap, positions = state
    words, w_q = SWAPPED if swap == "yes" else SENTENCE, (W_Q1, W_Q2)[int(head)]
    x = embed(words, EARLY if positions == "yes" else None)
    weights, output = (result[row] for result in attend(x, w_q))
    scores = np.round(attention_scores(project(x, w_q), project(x, W_K))[row] / np.log(2), 9) + 0.0
    terms = np.round(project(x, w_q)[row] * project(x, W_K) / np.log(2), 9)[:, project(x, w_q)[row] != 0] + 0.0
    values = {"cats": (8, 0), "dogs": (0, 8), "who": (4, 4), "chased": (0, 0), "ran": (0, 0)}
    scenes = [list(drawn(state, scene)) for scene in (0, 1, 2, 2.25, 2.5, 3, 4, 5)]
    for layout, unit, budget in ((0, 8, 60), (1, 4.5, 26)):
        names = [scene[layout][0].keys() for scene in scenes]
        assert all(one == names[0] for one in names)  # whatever is there stays there
        first, asked, matched, guessed, doubled, shared, poured, kept = (scene[layout][1] for scene in scenes)
        assert said(first, "word") == words
        assert not {name.split("-")[0] for name in first} & HIDDEN_AT_FIRST
        query = [number(part / np.log(2)) for part in project(x, w_q)[row] if part]
        assert re.findall("[-\N{MINUS SIGN}]?[0-9]+", said(asked, "plug")[0]) == query
        assert said(matched, "score") == [worked(*each) for each in zip(terms, scores, strict=True)]
        assert not [name for name in (*matched, *guessed) if name.startswith(("arc", "weight", "block"))]
        chips = [sum(name.startswith(f"chip-{i}-") for name in matched) for i in range(5)]
        assert chips == list(abs(scores))
        assert said(doubled, "power") == said(shared, "power") == [number(2**score) for score in scores]
        for seen in (first, shared, poured, kept):  # the film ends as it began, with the result
            assert said(seen, "weight") == [str(Fraction(weight).limit_denominator(200)) for weight in weights]
        widths = [float(re.search("stroke-width:([0-9.]+)", shared[f"arc-{i}"].get("style"))[1]) for i in range(5)]
        np.testing.assert_allclose(widths, np.maximum(budget * weights, 1.5), atol=1e-3)
        for i, word in enumerate(words):
            for part, amount in enumerate(values[word]):
                if amount:  # what has left the tank, and what has come
                    rest = float(re.search(r"scale\(1,([0-9.]+)\)", poured[f"fill-{i}-{part}"].get("style"))[1])
                    came = float(poured[f"gift-{i}-{part}"][0].get("height"))
                    np.testing.assert_allclose([1 - rest, came], [weights[i], weights[i] * amount * unit], 1e-4)
        through = f"{Fraction(4 * weights[words.index('who')]).limit_denominator(200)} of each by way of who".split()
        for seen, words_before, way in ((poured, layout, []), (kept, layout, []), (first, True, through)):
            received = re.findall("[0-9./]+|[a-z]+", " ".join(said(seen, "receives")))
            assert received == [words[row], "now", "carries"] * words_before + told(output) + way
    told_last = MACHINE.call("says", MACHINE.given, given_of(state, 5))["text"]
    added = f"{row_of(x[row])} + {row_of([*output, 0, 0])} = {row_of(x[row] + [*output, 0, 0])}."
    assert added in re.sub("<[^>]*>", "", told_last)


SCENES = ("next", "ask", "match", "share", "pour", "all", "heads")
TEN = "learn/ten-minutes.md"


def framed(scene):
    """Return what a frame of the page draws, its words, and what only those hear who do not see it."""
    frame = Figure("sentence-machine", scene=scene).still().find(".//figure")
    heard = text(frame.find(".//figcaption/span[@class='visually-hidden']"))
    return [(e.get("data-id"), e) for e in frame.iter() if e.get("data-id")], frame, heard


def test_a_frame_draws_of_the_home_pages_sentence_what_the_package_computes():
    x = embed(SENTENCE, EARLY)
    (first, out), (last, out_last) = attend(x, W_Q1), attend(x, W_Q2)
    masked = attend(x, W_Q1, is_causal=True)[0]
    shares = [[str(Fraction(weight).limit_denominator(200)) for weight in row] for row in (*masked, last[4])]
    pills = {scene: [text(e) for name, e in framed(scene)[0] if name.startswith("weight-")] for scene in SCENES}
    order = [3, 2, 1, 0, 4]  # the nearest leaves first, and what is kept last
    mine, other = ([shares[row][key] for key in order] for row in (4, 5))
    assert pills == {scene: [] for scene in SCENES} | {"share": mine, "pour": mine, "heads": mine + other}
    np.testing.assert_allclose(first[4], masked[4])
    drawn = [e.get("style") for name, e in framed("all")[0] if name.startswith("arc-")]
    widths = [float(re.match("stroke-width:([0-9.]+)", style)[1]) for style in drawn]
    expected = [max(12 * masked[row, key], 1.5) for row in range(5) for key in [*range(row - 1, -1, -1), row]]
    np.testing.assert_allclose(widths, expected, atol=1e-3)
    for row, word in enumerate(SENTENCE):
        told = ", ".join(f"{key} {shares[row][i]}" for i, key in enumerate(SENTENCE[: row + 1]))
        assert f"{word}: {told}." in framed("all")[2]
    scores = np.round(attention_scores(project(x, W_Q1), project(x, W_K))[4] / np.log(2))
    assert [text(e) for name, e in framed("match")[0] if name.startswith("score-")] == [*map(number, scores)]
    assert f"receives {number(out[4, 0])} parts cats and {number(out[4, 1])} parts dogs" in framed("pour")[2]
    received = [text(e) for e in framed("heads")[1].iter() if e.get("class") == "receives from"]
    assert received == [", ".join(f"{number(n)} parts {of}" for n, of in zip(each[4], SENTENCE[::3], strict=False))
                        for each in (out, out_last)]  # fmt: skip
    assert said(dict(framed("next")[0]), "word") == [*SENTENCE[:4], "?"]


def test_ten_minutes_are_as_many_and_each_part_has_a_frame_and_leads_to_its_lesson(site):
    page = load(TEN)
    assert 9 <= reading(page).first <= 11
    assert [re.search("scene: (.*)", fence)[1] for _, name, fence in fences_in(page.text) if "scene" in fence] == [
        *SCENES
    ]
    led = re.findall(r"[Ll]esson (\d+)[^]]*\]\(([\w-]+)\.md\)", page.text)
    core = [source[6:-3] for source in parts_of_the_menu()["Core"]]
    assert {name: int(number) for number, name in led} == {name: n for n, name in enumerate(core, 1)}
    html = (site / "learn/ten-minutes/index.html").read_text("utf-8")
    assert len(re.findall('class="sentence small"', html)) == len(SCENES)
    for name in ("ten-minutes", "before-you-start"):
        html = (site / f"learn/{name}/index.html").read_text("utf-8")
        assert re.search('<a href="../([^"]*)/"[^>]*footer__link--next', html)[1] == core[0]
