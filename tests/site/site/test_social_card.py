"""What others see of a page where its address is shared: title and description beside the picture of the site."""

import pytest

from tests.site import built

SITE = "https://site.test/attention/"  # as tests/conftest.py builds it


@pytest.fixture(scope="module")
def heads(site):
    """Return what each page says in its head: a meta's name, and what it holds."""
    heads = {}
    for path in sorted(site.rglob("index.html")):
        root = built.page(path)
        metas = {meta.get("property") or meta.get("name"): meta.get("content") for meta in root.iter("meta")}
        links = {link.get("rel"): link.get("href") for link in root.iter("link")}
        title = next(root.iter("title")).text.strip()
        heads[path.relative_to(site).as_posix().removesuffix("index.html")] = metas | links | {"": title}
    return heads


def test_a_page_says_to_others_what_it_says_to_a_search_engine(heads):
    assert len(heads) > 60
    for name, head in heads.items():
        assert head[""].startswith(head["og:title"]), name
        assert head["og:description"] == head["description"], name
        assert head["og:url"] == head["canonical"] == SITE + name
        assert head["og:type"] == ("article" if name else "website")


def test_the_picture_and_the_icon_are_there(site, heads):
    assert {head["og:image"] for head in heads.values()} == {f"{SITE}assets/card.png"}
    assert {head["apple-touch-icon"].lstrip("./") for head in heads.values()} == {"assets/icon.png"}
    for name, size in (("card.png", (1200, 630)), ("icon.png", (180, 180))):
        start = (site / "assets" / name).read_bytes()[:24]
        assert (int.from_bytes(start[16:20]), int.from_bytes(start[20:24])) == size
