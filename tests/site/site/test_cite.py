"""Cite this page: an entry that BibTeX can read on every page but the first, and the same as the site's own."""

import html
import re

import pytest

import attention
from tests.site.pages import PAGES, ROOT

pytest.importorskip("mkdocs", reason="the site's tools are not installed: pip install -e .[docs]")

from mkdocs.config import load_config
from mkdocs.exceptions import BuildError
from mkdocs.structure.files import File
from mkdocs.structure.pages import Page

from docs_ext.site.cite import citation
from docs_ext.sources.bibliography import load, read

SITE = "https://site.test/attention/"
_FOLD = re.compile(
    r'<details class="cite" data-search-exclude>\s*<summary>.+?</summary>\s*<pre><code>(.*?)</code>', re.S
)
ADDRESSES = [
    page.relative_to(ROOT / "docs").as_posix().removesuffix(".md") for page in PAGES if page.name != "README.md"
]


def built(site, address):
    return (site / re.sub(r"(^|/)index$", "", address) / "index.html").read_text("utf-8")


def folds(site, address):
    return [html.unescape(entry) for entry in _FOLD.findall(built(site, address))]


def the_page(title, source="learn/masks.md", site=SITE):
    config = load_config(str(ROOT / "mkdocs.yml"), site_url=site)
    page = Page(title, File(source, "docs", "site", use_directory_urls=True), config)
    page.meta = {"title": title}
    return page


@pytest.mark.parametrize("address", ADDRESSES)
def test_each_page_has_one_entry_with_its_title_and_its_address(site, address):
    if address == "index":
        assert folds(site, address) == []
        return
    (text,) = folds(site, address)
    assert text.isascii()
    (entry,) = read(text + "\n").values()  # which refuses what it cannot read whole
    assert entry.kind == "misc"
    assert entry.key == "attention_line_by_line_" + address.replace("/", "_").replace("-", "_")
    (canonical,) = re.findall(r'<link rel="canonical" href="([^"]+)"', built(site, address))
    assert entry.fields["url"] == canonical
    title = re.search(r"^title: *(.+)$", (ROOT / f"docs/{address}.md").read_text("utf-8"), re.M)[1].strip('"')
    words = re.findall(r"[A-Za-z]{3,}", title)
    assert re.findall(r"[A-Za-z]{3,}", re.sub(r"\\[a-z]+", "", entry.fields["title"])) == words
    assert max(map(len, text.splitlines())) <= max(80, len(SITE + address) + 22)


def test_every_key_is_there_once(site):
    keys = [next(iter(read(text + "\n"))) for address in ADDRESSES for text in folds(site, address)]
    assert len(keys) == len(set(keys)) == len(ADDRESSES) - 1
    assert not set(keys) & set(load())


def test_the_site_the_year_and_the_version_are_those_of_the_sites_own_entry():
    (entry,) = read(citation(the_page("Masks")) + "\n").values()
    year = re.search(r"Copyright \(c\) (\d{4})", (ROOT / "LICENSE").read_text("utf-8"))[1]
    assert entry.fields == {
        "author": "{The authors of Attention, line by line}",
        "title": "{Masks}",
        "howpublished": "Attention, line by line",
        "year": year,
        "note": f"Version {attention.__version__}",
        "url": SITE + "learn/masks/",
    }


@pytest.mark.parametrize("site", ["http://127.0.0.1:8000/", "http://localhost:8001/", ""])
def test_a_site_without_an_address_names_the_page_and_gives_no_wrong_address(site):
    (entry,) = read(citation(the_page("Masks", "learn/smaller-caches.md", site)) + "\n").values()
    assert "url" not in entry.fields
    assert entry.fields["note"] == f"Version {attention.__version__}, page learn/smaller-caches"


TITLES = {
    r"Why √dₖ?": r"Why $\sqrt{d_k}$?",
    "W_Q & 50 % of #1": r"W\_Q \& 50 \% of \#1",
    "n² \N{MULTIPLICATION SIGN} n": r"n$^2$ $\times$ n",
    "“soft” and the word\N{RIGHT SINGLE QUOTATION MARK}s": "``soft'' and the word's",
    "a} ~ $b": r"a$\rbrace$ \textasciitilde{} \$b",
    "c^d \\": r"c\textasciicircum{}d \textbackslash{}",
    "Łukasz, é": r"{\L}ukasz, {\'e}",
}


@pytest.mark.parametrize(("title", "tex"), TITLES.items(), ids=TITLES)
def test_a_title_is_written_in_tex(title, tex):
    assert f"title        = {{{{{tex}}}}},\n" in citation(the_page(title))


def test_a_letter_without_tex_stops_the_build_with_the_name_of_the_page():
    with pytest.raises(BuildError, match=r"^learn/masks\.md: the title cannot be cited: .* knows no TeX for '→'$"):
        citation(the_page("a → b"))


def test_it_is_not_searched(site):
    assert "attention_line_by_line_learn" not in (site / "search/search_index.json").read_text("utf-8")
