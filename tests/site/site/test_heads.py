"""What a page says of itself, in its front matter and in the head of what is built; and the questions it asks."""

import re
from collections import Counter, defaultdict

import html5lib
import pytest
import yaml

from docs_ext.reading.fence import parse
from tests.site.pages import ROOT

NAME = "Attention, line by line"
PAGES = sorted((ROOT / "docs").rglob("*.md"), key=lambda page: ("learn" not in page.parts, page))
LEARN = [page for page in PAGES if "learn" in page.parts]


def short(page):
    return page.relative_to(ROOT / "docs").as_posix()


def front_matter(page):
    found = re.match(r"---\n(.*?)\n---\n", page.read_text("utf-8"), re.DOTALL)
    return yaml.safe_load(found[1]) if found else {}


def questions(page):
    fences = re.findall(r"^```quiz-question\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return [parse(fence)[0]["question"] for fence in fences]


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_a_page_has_a_title_and_a_description_in_its_front_matter(page):
    given = front_matter(page)
    assert "title" in given, "no title: the heading, with the engineer's term in brackets"
    length = len(given.get("description", ""))
    assert 70 <= length <= 155


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_a_page_has_one_heading_of_the_first_rank(page):
    text = re.sub(r"^( *)(```+).*?^\1\2", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall("^# .+", text, re.MULTILINE)
    assert len(headings) == 1, f"{short(page)}: give it one line '# Title', not {headings}"


def test_no_title_and_no_description_is_there_twice():
    for key in ("title", "description"):
        counts = Counter(front_matter(page).get(key) for page in PAGES)
        twice = [text for text, count in counts.items() if text and count > 1]
        assert not twice, f"{key}: {twice}"


@pytest.mark.parametrize("page", LEARN, ids=short)
def test_a_learn_page_asks_two_to_four_questions(page):
    count = len(questions(page))
    assert 2 <= count <= 4 or (page.stem == "engineering" and count == 0)  # a map, which explains nothing itself


def test_no_question_stands_twice():
    where = defaultdict(list)
    for page in PAGES:
        for question in questions(page):
            where[" ".join(re.findall(r"\w+", question.casefold()))].append(short(page))
    twice = [f"{' and '.join(pages)}: {words}" for words, pages in where.items() if len(pages) > 1]
    assert not twice, "\n".join(twice)


@pytest.fixture(scope="module")
def heads(site):
    """Return title and description of each built page."""
    heads = {}
    for path in sorted(site.rglob("index.html")):
        head = path.read_text("utf-8").partition("</head>")[0]
        root = html5lib.parse(head, namespaceHTMLElements=False)
        described = [meta.get("content") for meta in root.iter("meta") if meta.get("name") == "description"]
        heads[path.relative_to(site).as_posix()] = next(root.iter("title")).text.strip(), *described
    assert len(heads) == len(PAGES)
    return heads


def test_built_pages_differ_in_title_and_description(heads):
    for kind, texts in zip(("title", "description"), zip(*heads.values(), strict=True), strict=True):
        twice = {name: text for name, text in zip(heads, texts, strict=True) if texts.count(text) > 1}
        assert not twice, f"{kind}: {twice}"


def test_a_title_says_the_name_of_the_site_once(heads):
    assert {name: title for name, (title, _) in heads.items() if title.count(NAME) != 1} == {}


def test_the_menu_the_contents_and_the_search_say_the_title_and_the_page_its_heading(site):
    page = ROOT / "docs/practice/index.md"
    title = front_matter(page)["title"]
    heading = re.search(r"^# (.+)$", page.read_text("utf-8"), re.MULTILINE)[1]
    assert title.startswith(f"{heading} (")
    neighbour = (site / "practice/kill-the-mutant/index.html").read_text("utf-8")
    assert f'aria-label="Previous: {title}"' in neighbour
    built = html5lib.parse((site / "practice/index.html").read_text("utf-8"), namespaceHTMLElements=False)
    assert next(built.iter("h1")).text == heading
    menu = [link for link in built.iter("a") if "md-nav__link--active" in (link.get("class") or "")]
    assert title in [" ".join("".join(link.itertext()).split()) for link in menu]
    index = yaml.safe_load((site / "search/search_index.json").read_text("utf-8"))
    assert [entry["title"] for entry in index["docs"] if entry["location"] == "practice/"] == [title]
    assert {entry["title"]: entry["text"] for entry in index["docs"]}["The whole site on your machine"]


def test_every_page_has_our_icon(site):
    for path in site.rglob("*.html"):
        assert re.search(r'<link rel="icon" href="[^"]*assets/favicon\.svg">', path.read_text("utf-8"))
