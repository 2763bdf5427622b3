"""Old addresses lead on, with and without JavaScript."""

import re

import pytest

import attention
from docs_ext.site import redirects
from docs_ext.site.moved import MOVED


def test_every_anchor_of_an_old_page_has_a_link(tmp_path, monkeypatch):
    monkeypatch.setattr(redirects, "MOVED", {"reference/old/": ("cache", "masks")})
    redirects.redirect(tmp_path)
    page = (tmp_path / "reference/old/index.html").read_text("utf-8")
    links = dict(re.findall(r'<a id="(.*?)" href="(.*?)"', page))
    assert links["attention.old.masks"] == "../../reference/masks/"
    assert links["attention.old.causal_mask"] == "../../reference/masks/#attention.masks.causal_mask"
    assert links["attention.old.KVCache.append"] == "../../reference/cache/#attention.cache.KVCache.append"
    assert not any(anchor.rpartition(".")[2][0] == "_" for anchor in links)


def test_the_anchors_lead_to_what_the_pages_have(site):
    assert MOVED
    for old in MOVED:
        links = re.findall(r'href="\.\./\.\./(.*?/)(?:#(.*?))?"', (site / old / "index.html").read_text("utf-8"))
        assert len(links) > 3
        for page, anchor in links:
            target = (site / page / "index.html").read_text("utf-8")
            assert not anchor or f'id="{anchor}"' in target, f"{old}: {page} has no {anchor}"
        assert {link.rpartition(".")[2] for _, link in links} & set(attention.__all__)


SPLIT = {  # pages that gave sections away, and the anchors that other sites may still ask for
    "learn/decoding/": "bytes fewer-keys-and-values groups tile-instead-of-repeat cache-by-length reading "
    "reading-is-what-takes-time windows windows-in-pieces truncate positions what-it-costs top-left-mask not-causal",
}


@pytest.mark.parametrize("page", SPLIT)
def test_an_anchor_of_a_split_page_stands_where_the_page_says_what_became_of_it(site, page):
    html = (site / page / "index.html").read_text("utf-8")
    missing = [anchor for anchor in SPLIT[page].split() if f'id="{anchor}"' not in html]
    assert not missing, f"{page} has lost {missing}"
