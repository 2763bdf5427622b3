"""How long the pages take, by a rule that this file states again, and the budget that they keep."""

import math
import re

import pytest
import yaml

from docs_ext.site.reading_time import reading
from tests.site.pages import ROOT

CORE_MINUTES = 75
PAGE_MINUTES = 9
LONGER = {"learn/line-by-line.md": 20}  # the heart of the track
LONGEST = 12  # of the pages after the core

CONSOLE = """<pre><code><span class="gp">&gt;&gt;&gt; </span>x
<span class="gp">... </span>y
<span class="go">1
</span></code></pre>"""
COUNTED = {  # HTML: words, lines, questions
    "prose, a heading, a list, a cell": ("<h3>a b</h3><p>c <em>d</em></p><ul><li>e</li></ul><td>f</td>", 6, 0, 0),
    "punctuation is no word": ("<p>a, b - c. (d)</p>", 4, 0, 0),
    "a formula is one": ('<p>so <span class="katex"><span>a</span> <span>b</span></span></p>', 2, 0, 0),
    "a folded prediction": ("<details class='question'><summary>a b</summary><p>c</p></details>", 3, 0, 0),
    "what is typed, without outputs": (CONSOLE, 0, 2, 0),
    "code that is no console": ("<pre><code>def f():\n\n    return 1\n</code></pre>", 0, 2, 0),
    "no folded setup": (f"<details class='setup'><summary>setup</summary>{CONSOLE}</details>{CONSOLE}", 0, 2, 0),
    "a question": (f"<quiz-question><p>a b</p><input>{CONSOLE}</quiz-question><p>c</p>", 1, 0, 1),
    "of a widget the caption": ("<my-grid><table><caption>a b</caption><td>1</td></table></my-grid>", 2, 0, 0),
    "of a figure the caption": ("<figure><svg><text>a</text></svg><figcaption>b</figcaption></figure>", 1, 0, 0),
    "no permalink, no drawing, no script": (
        "<a class='headerlink'>x</a><svg><p>x</p></svg><script>x</script>",
        0,
        0,
        0,
    ),
}


@pytest.mark.parametrize(("html", "words", "lines", "questions"), COUNTED.values(), ids=COUNTED)
def test_what_is_counted(html, words, lines, questions):
    minutes = words / 200 + lines / 15 + questions / 2
    assert reading(html) == pytest.approx((minutes, minutes))
    below = reading(f"<p>{'x ' * 200}</p><details class='deeper'><summary></summary>{html}</details>")
    assert below == pytest.approx((1, 1 + minutes))


def test_sources_are_not_read_through():
    assert reading("<p>a b</p><h2 id='sources'>c</h2><p>d</p>") == pytest.approx((0.01, 0.01))


@pytest.fixture(scope="module")
def parts():
    """Return the parts of the menu, each with the sources of its pages."""
    menu = re.search(r"^nav:\n(?:  .*\n)+", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    return {name: pages for part in yaml.safe_load(menu[0])["nav"] for name, pages in part.items()}


@pytest.fixture(scope="module")
def shown(site, parts):
    """Return what stands above each title, and the page's own HTML."""
    shown = {}
    for source in [page for name in ("Core", "Models", "Engineering") for page in parts[name]]:
        page = (site / source.replace(".md", "").replace("index", "") / "index.html").read_text("utf-8")
        article = re.search(r"<article[^>]*>(.*)</article>", page, re.DOTALL)[1]
        line = re.search(r'<p class="place">(.*?)</p>', article, re.DOTALL)
        shown[source] = " ".join(line[1].split()), article.replace(line[0], "")
    return shown


def test_each_learn_page_tells_its_number_and_its_minutes(shown):
    learn = [source for source in shown if source.startswith("learn/")]
    for number, source in enumerate(learn, 1):
        first, whole = map(math.ceil, reading(shown[source][1]))
        line = f"{number} of {len(learn)} · {first} minute{'s' * (first > 1)}"
        assert shown[source][0] == line + (f", {whole} with Going deeper" if whole > first else ""), source


def test_the_first_page_tells_the_minutes_of_the_core_track(shown, parts):
    minutes = sum(reading(shown[source][1]).first for source in parts["Core"])
    line = f"The core track: {len(parts['Core'])} pages, {math.ceil(minutes)} minutes"
    assert shown["index.md"][0] == line


def test_the_pages_keep_their_time(shown, parts):
    first = {source: reading(html).first for source, (_, html) in shown.items()}
    limits = {source: LONGER.get(source, PAGE_MINUTES if source in parts["Core"] else LONGEST) for source in shown}
    core = sum(first[source] for source in parts["Core"])
    over = [source for source in shown if first[source] > limits[source]]
    if over or core > CORE_MINUTES:
        table = [
            f"{first[source]:5.1f} of {limits[source]:2} minutes  {source}{'  too long' if source in over else ''}"
            for source in shown
        ]
        pytest.fail("\n".join([*table, f"{core:5.1f} of {CORE_MINUTES} minutes  the core track"]), pytrace=False)
