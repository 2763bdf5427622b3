"""The search plugin reads pages without their formulas."""

import json
import re
from html import unescape

from docs_ext.html.formula import render
from docs_ext.theme.search import for_search, rank

BOX = '<span class="arithmatex" data-search-exclude="">'
FORMULA = render(r"x < \sqrt{\dk}")


def test_lessons_outrank_exercises_and_those_the_rest():
    sources = ("learn/a.md", "practice/a.md", "reference/glossary.md", "index.md")
    assert [rank(source)["boost"] for source in sources] == [4, 2, 1, 1]


def test_a_formula_in_a_line_is_read():
    read = for_search(f"<p>a {BOX}{FORMULA}</span> b</p><span>c</span>")
    assert read == '<p>a <span class="arithmatex">x &lt; sqrt(d_k)</span> b</p><span>c</span>'


def test_what_is_marked_is_left_out_to_its_own_end_but_for_headings():
    heading = '<h2 data-search-exclude="">h</h2>'
    marked = "<div id='d' data-search-exclude><div>1</div>2<div><div>3</div></div></div>"
    assert for_search(f"<p>a</p>{heading}{marked}<div>b</div>") == f"<p>a</p>{heading}<div>b</div>"


def test_no_result_tells_an_answer(site):
    docs = json.loads((site / "search/search_index.json").read_text("utf-8"))["docs"]
    index = unescape(" ".join(doc["text"] for doc in docs))
    pages = "".join(page.read_text("utf-8") for page in (site / "learn").rglob("index.html"))
    answer = r'(?:class="because">|<details class="question">\s*<summary>.*?</summary>\s*<p>)([^<"]{30,})'
    answers = [unescape(answer).replace("\n", " ") for answer in re.findall(answer, pages)]
    assert len(answers) > 200
    assert not [answer for answer in answers if answer in index]


def test_the_source_of_a_function_is_not_read():
    source = '<details class="mkdocstrings-source"><summary>Source</summary><div><pre>$$x$$</pre></div></details>'
    assert for_search(f"<p>a</p>{source}<p>b</p>") == "<p>a</p><p>b</p>"
