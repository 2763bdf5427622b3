"""What the site tells search engines of its addresses: each page once, under the address it was built for."""

import re
from xml.etree import ElementTree

import pytest

SITE = "https://site.test/attention/"  # as tests/conftest.py builds it


@pytest.fixture(scope="module")
def names(site):
    found = {path.relative_to(site).as_posix().removesuffix("index.html") for path in site.rglob("index.html")}
    assert len(found) > 60
    return found


def test_the_sitemap_has_each_page_once_and_nothing_else(site, names):
    sitemap = ElementTree.parse(site / "sitemap.xml")
    listed = [str(loc.text) for loc in sitemap.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert sorted(listed) == sorted(SITE + name for name in names)


def test_every_page_names_its_address(site, names):
    for name in names:
        page = (site / name / "index.html").read_text("utf-8")
        assert re.findall(r'<link rel="canonical" href="(.*?)">', page) == [SITE + name]


def test_what_is_no_page_has_no_address_to_be_found_under(site):
    assert "canonical" not in (site / "404.html").read_text("utf-8")


def test_crawlers_may_read_everything_and_are_told_of_the_sitemap(site):
    assert (site / "robots.txt").read_text("utf-8").splitlines() == [
        "User-agent: *",
        "Allow: /",
        f"Sitemap: {SITE}sitemap.xml",
    ]
