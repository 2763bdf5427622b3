"""JSON-LD: each page says what it is in the words of schema.org, and only what is so."""

import json
import re
from types import SimpleNamespace

import pytest

import attention
from tests.site.pages import PAGES, ROOT

pytest.importorskip("mkdocs", reason="the site's tools are not installed: pip install -e .[docs]")

import yaml

from docs_ext.extensions.glossary import GLOSSARY, terms
from docs_ext.site.linked_data import builds_on

SITE = "https://site.test/attention/"
ADDRESSES = [
    page.relative_to(ROOT / "docs").as_posix().removesuffix(".md") for page in PAGES if page.name != "README.md"
]
LESSONS = [address for address in ADDRESSES if address.startswith("learn/")]
_BLOCK = re.compile(r'<script type="application/ld\+json">(.*?)</script>')

# The properties of schema.org that these types have, themselves or from CreativeWork and Thing; of each what it may be.
TEXT, URL, DURATION = r"\S.*", r"https://\S+", r"PT\d+M"
THING = {"name": TEXT, "description": TEXT, "url": URL}
WORK = THING | {"inLanguage": r"[a-z]{2}", "license": URL, "timeRequired": DURATION, "version": r"[\d.]+"}
LEARNING = {"learningResourceType": TEXT, "teaches": TEXT, "competencyRequired": URL, "isPartOf": {"WebSite"}}
VOCABULARY = {
    "WebSite": WORK,
    "LearningResource": WORK | LEARNING,
    "TechArticle": WORK | {"isPartOf": {"WebSite"}},
    "SoftwareSourceCode": WORK | {"programmingLanguage": TEXT, "codeRepository": URL},
}
REQUIRED = {
    "LearningResource": {"name", "description", "url", "inLanguage", "license", "learningResourceType", "isPartOf"},
    "TechArticle": {"name", "description", "url", "inLanguage", "license", "isPartOf"},
    "WebSite": {"name", "url"},
    "SoftwareSourceCode": {"name", "description", "license", "version", "programmingLanguage"},
}


def page_of(site, address):
    return (site / re.sub(r"(^|/)index$", "", address) / "index.html").read_text("utf-8")


def data(site, address):
    (block,) = _BLOCK.findall(page_of(site, address))
    assert len(block) < 1400
    return json.loads(block)


def check(thing):
    """Hold a thing against the vocabulary, and the things in it."""
    kind = thing.pop("@type")
    assert set(thing) >= REQUIRED[kind]
    for name, value in thing.items():
        allowed = VOCABULARY[kind][name]
        for item in value if isinstance(value, list) else [value]:
            if isinstance(allowed, set):
                assert item["@type"] in allowed
                check(item)
            else:
                assert re.fullmatch(allowed, item), f"{name}: {item}"
        assert value != []


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_says_what_it_is_in_the_words_of_schema_org(site, address):
    said = data(site, address)
    assert said.pop("@context") == "https://schema.org"
    kinds = {"learn": "LearningResource", "practice": "LearningResource", "index": "WebSite"}
    if address == "index":
        home, code = said.pop("@graph")
        assert said == {}
        assert (home["@type"], code["@type"]) == ("WebSite", "SoftwareSourceCode")
        assert (code["version"], code["name"]) == (attention.__version__, "attention-line-by-line")
        check(home)
        check(code)
        return
    assert said["@type"] == kinds.get(address.partition("/")[0], "TechArticle")
    head = yaml.safe_load((ROOT / f"docs/{address}.md").read_text("utf-8").split("---\n")[1])
    assert (said["name"], said["description"]) == (head["title"], head["description"])
    (canonical,) = re.findall(r'<link rel="canonical" href="([^"]+)"', page_of(site, address))
    assert said["url"] == canonical
    assert said["isPartOf"] == {"@type": "WebSite", "name": "Attention, line by line", "url": SITE}
    check(said)


@pytest.mark.parametrize("address", LESSONS)
def test_a_lesson_says_the_minutes_that_stand_above_its_title(site, address):
    (minutes,) = re.findall(r'class="place">\d+ of \d+ · (\d+) minutes?', page_of(site, address))
    assert data(site, address)["timeRequired"] == f"PT{minutes}M"


def test_the_lessons_teach_the_terms_that_they_introduce(site):
    taught = {(address, term) for address in LESSONS for term in data(site, address).get("teaches", [])}
    entries = terms(GLOSSARY.read_text("utf-8"))
    assert taught == {(term.page[:-3], term.name) for term in entries if term.page.startswith("learn/")}
    assert ("learn/masks", "padding") in taught


def test_a_lesson_requires_earlier_lessons_and_the_core_hangs_together(site):
    order = re.findall(r"- (learn/.+)\.md$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)
    needs = {
        address: [url.removeprefix(SITE).strip("/") for url in data(site, address).get("competencyRequired", [])]
        for address in order
    }
    for address, needed in needs.items():
        assert all(other in order[: order.index(address)] for other in needed), address
        assert len(needed) <= 4, address
    assert [address for address, needed in needs.items() if not needed] == [order[0], "learn/engineering"]  # a map
    assert needs["learn/lookup"] == ["learn/before-you-start"]
    assert needs["learn/windows-and-sinks"] == ["learn/scaling"]  # it links to masks too, which scaling needs anyway


def lessons(*pages):
    """Make a menu of learn pages: name, part of the menu, HTML."""
    made = [
        SimpleNamespace(file=SimpleNamespace(src_uri=f"learn/{name}.md", name=name), parent=part, content=content)
        for name, part, content in pages
    ]
    return SimpleNamespace(pages=made)


def link(*names):
    return "".join(f'<p><a href="../{name}/#part">{name}</a></p>' for name in names)


MENU = lessons(
    ("a", "core", link("c")),  # a look ahead
    ("b", "core", ""),
    ("g", "core", link("a")),
    ("c", "more", link("a", "c")),
    ("d", "more", link("a", "b")),
    ("e", "more", '<details class="deeper"><a href="../a/">a</a></details>'),
    ("f", "more", link("c", "d", "a")),
)


@pytest.mark.parametrize(
    ("name", "needs"), [("a", ""), ("b", "a"), ("c", "a"), ("d", "b"), ("e", ""), ("f", "cd"), ("g", "a")]
)
def test_what_a_lesson_builds_on(name, needs):
    (page,) = [page for page in MENU.pages if page.file.name == name]
    assert [other.file.name for other in builds_on(page, MENU)] == list(needs)


def test_nothing_in_a_block_can_end_it(site):
    for address in ADDRESSES:
        (block,) = _BLOCK.findall(page_of(site, address))
        assert "<" not in block


def test_the_page_that_is_not_found_says_nothing(site):
    assert not _BLOCK.search((site / "404.html").read_text("utf-8"))
