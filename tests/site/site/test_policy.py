"""The content security policy: the scripts of the list run, no others do, and no page asks for another."""

import hashlib
import re
from base64 import b64encode

import pytest
from mkdocs.exceptions import BuildError

from docs_ext.site.policy import headers, policy, scripts, with_policy
from tests.site.built import page, tree
from tests.tables import beside

SITE = "https://site.test/attention/"  # as tests/conftest.py builds it
META = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
PAGE = beside(__file__, "policy.html")


def digest(script):
    return f"'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def inline(text):
    """Return the inline scripts that a browser would run, as a parser of its kind finds them."""
    return {s.text for s in tree(text).iter("script") if not s.get("src") and "json" not in s.get("type", "")}


def test_the_policy_of_every_page_allows_the_scripts_that_the_pages_hold_and_no_others(site):
    pages = [path.read_text("utf-8") for path in sorted(site.rglob("*.html"))]
    assert {META.search(page)[1] for page in pages} == {policy(SITE)}
    assert set().union(*map(inline, pages)) == scripts(SITE)
    allowed = re.search("script-src 'self'((?: 'sha256-[^']+')+);", policy(SITE))[1].split()
    assert sorted(allowed) == sorted(map(digest, scripts(SITE)))


def test_nothing_is_allowed_but_what_is_named():
    directives = dict(directive.split(" ", 1) for directive in policy(SITE).split("; "))
    assert {name for name, found in directives.items() if found == "'none'"} == {
        *("default-src", "base-uri", "form-action")
    }
    unsafe = {name for name, sources in directives.items() if "unsafe" in sources or "http" in sources}
    assert unsafe == {"style-src-attr"}


def test_the_headers_say_what_the_tag_says_and_that_no_page_stands_around_ours():
    assert headers(SITE)["Content-Security-Policy"] == policy(SITE) + "; frame-ancestors 'none'"
    assert all(re.fullmatch(r"[ -~]+", name + value) for name, value in headers(SITE).items())
    assert headers(SITE)["X-Content-Type-Options"] == "nosniff"
    assert len(headers(SITE)) == 5


def test_the_policy_stands_before_everything_that_it_governs():
    marked = with_policy(PAGE, "default-src 'self'")
    assert marked.index("charset") < marked.index("Content-Security-Policy") < marked.index("<script")


def test_a_changed_theme_is_noticed():
    with pytest.raises(BuildError, match="has the theme changed"):
        with_policy("<head></head>", "default-src 'self'")


def asked(page):
    """Yield what the policy would block: handlers, addresses as scripts, sheets, foreign scripts, prefetching."""
    for element in page.iter():
        for name, value in element.attrib.items():
            if name.startswith("on") or re.sub(r"[\x00-\x20]", "", value).lower().startswith("javascript:"):
                yield f'<{element.tag} {name}="{value}">'
        if element.tag == "style" or (element.tag == "script" and "//" in element.get("src", "")):
            yield f"<{element.tag}>"
        if element.tag == "link" and {"next", "prefetch", "prerender"} & set(element.get("rel", "").split()):
            yield f'<link rel="{element.get("rel")}">'


def test_no_page_asks_for_what_the_policy_blocks(site):
    for path in site.rglob("*.html"):
        assert not list(asked(page(path))), path.relative_to(site)
