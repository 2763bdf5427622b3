"""What a page says of itself, in its front matter and in the head of what is built; and the questions it asks."""

import re
from collections import Counter
from itertools import pairwise

import pytest

from docs_ext.reading.keys import parse
from docs_ext.reading.page import load
from docs_ext.site.cards import _card
from tests.site import built
from tests.site.pages import ROOT

NAME, SITE = "Attention, line by line", "https://site.test/attention/"  # as tests/conftest.py builds it
PAGES = sorted((ROOT / "docs").rglob("*.md"), key=lambda page: ("learn" not in page.parts, page))
LEARN = [page for page in PAGES if "learn" in page.parts]


def short(page):
    return page.relative_to(ROOT / "docs").as_posix()


def front_matter(page):
    first = load(short(page)).blocks[0]
    return parse(first.text)[0] if first.kind == "head" else {}


def questions(page):
    return [parse(fence.text)[0]["question"] for fence in load(short(page)).fences("quiz-question")]


@pytest.mark.parametrize("page", PAGES, ids=short)
def test_a_page_has_a_title_and_a_description_in_its_front_matter(page):
    given = front_matter(page)
    assert "title" in given, f"{short(page)}:1: no title: the heading, with the engineer's term in brackets"
    length = len(given.get("description", ""))
    assert 70 <= length <= 155, f"{short(page)}:1: the description has {length} characters; 70 to 155 are wanted"


def test_no_title_and_no_description_is_there_twice():
    for key in ("title", "description"):
        counts = Counter(front_matter(page).get(key) for page in PAGES)
        twice = [text for text, count in counts.items() if text and count > 1]
        assert not twice, f"{key}: {twice}"


@pytest.mark.parametrize("page", LEARN, ids=short)
def test_a_learn_page_asks_two_to_four_questions(page):
    count = len(questions(page))
    if page.stem in ("engineering", "before-you-start", "ten-minutes") and count < 2:
        return  # a map, which explains nothing itself, a refresher, and a summary
    last = max((fence.line for fence in load(short(page)).fences("quiz-question")), default=1)
    wanted = 'two to four are wanted, each a ```quiz-question fence under "## Check yourself"'
    if not 2 <= count <= 4:
        pytest.fail(f"{short(page)}:{last}: quiz questions: {count}; {wanted}", pytrace=False)


@pytest.fixture(scope="module")
def heads(site):
    """Return what each built page says in its head: a meta's name or a link's kind, and what it holds."""
    heads = {}
    for path in sorted(site.rglob("index.html")):
        root = built.page(path)
        said = [(meta.get("property") or meta.get("name"), meta.get("content")) for meta in root.iter("meta")]
        said += [(link.get("rel"), link.get("href")) for link in root.iter("link")]
        name = path.relative_to(site).as_posix().removesuffix("index.html")
        heads[name] = dict(said) | {"": next(root.iter("title")).text.strip()}
        assert [kind for kind, _ in said].count("canonical") == 1
    assert len(heads) == len(PAGES)
    return heads


def test_a_page_says_to_others_and_to_a_search_engine_what_it_is_and_where(site, heads):
    for name, head in heads.items():
        assert head[""].count(NAME) == 1, head[""]
        assert head[""].startswith(head["og:title"]), name
        assert head["citation_title"], name
        assert head["og:site_name"] == NAME
        assert head["og:description"] == head["description"], name
        assert head["og:url"] == head["canonical"] == SITE + name
        assert head["og:type"] == ("article" if name else "website")
        assert (site / head["og:image"].removeprefix(SITE)).is_file(), name


def test_the_lines_of_a_card_stand_below_one_another():
    card = _card(
        f'<meta property="og:title" content="{"word " * 20}"><meta property="og:description" content="{"word " * 30}">'
    )
    places = [int(y) for y in re.findall(r'<text x="64" y="(\d+)"', card)]
    assert min(below - above for above, below in pairwise(places)) >= 48
