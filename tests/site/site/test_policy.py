"""The content security policy: the scripts of the list run, no others do, and a page that holds another is refused."""

import hashlib
import re
import shutil
from base64 import b64encode

import pytest
from mkdocs.exceptions import BuildError

from docs_ext.site.finish import finish
from docs_ext.site.policy import check, headers, policy, scripts, with_policy
from tests.site.built import tree
from tests.site.pages import ROOT

SITE = "https://site.test/attention/"  # as tests/conftest.py builds it
META = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>A page</title>
<script id="__config" type="application/json">{"a": "b"}</script>
<script src="a.js" defer></script>
</head>
<body>
<div data-md-component="search" role="dialog"></div>
PLANTED
</body>
</html>
"""
WORDS = """<pre>once = 3; on_top = "javascript:"</pre>
<a href="../javascript/" title="one=1">a page about javascript: addresses</a>
<script type="application/json">{"name": "<style> and onload=1"}</script>
"""
BLOCKED = {  # what is planted, and what is said of it
    "an inline script": ("<script>alert(1)</script>", "an inline script .*: alert\\(1\\)$"),
    "a long one": (f"<script>\n  {'long()' * 50}</script>", "an inline script .*: (long\\(\\)){10}$"),
    "an inline module": ('<script type="module">alert(1)</script>', "an inline script .*: alert"),
    "a script of unknown type": ('<script type="text/x">alert(1)</script>', "an inline script .*: alert"),
    "a script with an empty address": ('<script src="">alert(1)</script>', "an inline script .*: alert"),
    "capitals": ("<SCRIPT\n>alert(1)</SCRIPT >", "an inline script .*: alert"),
    "a script that is not closed": ("<script>alert(1)", "an inline script "),
    "a script behind a data block": (
        '<script type="application/json">1</script><script>alert(1)</script>',
        "an inline script .*: alert",
    ),
    "a script from elsewhere": (
        '<script src="//evil.example/a.js"></script>',
        "a script from elsewhere.*: //evil.example/a.js$",
    ),
    "a handler": ('<p onclick="alert(1)">x</p>', "the handler onclick of <p>.*: alert\\(1\\)$"),
    "a handler without spaces": ("<svg/onload=alert(1)>", "the handler onload of <svg>.*: alert\\(1\\)$"),
    "a handler after a quote": ('<img src="x"onerror = "alert(1)">', "the handler onerror of <img>"),
    "a handler in capitals": ("<p ONCLICK='alert(1)'>x</p>", "the handler onclick of <p>"),
    "an address": ('<a href="javascript:alert(1)">x</a>', "a script in the href of <a>.*: javascript:alert\\(1\\)$"),
    "an address in entities": ('<a href=" java&#115;cript&colon;alert(1)">x</a>', "a script in the href of <a>"),
    "an address with a tab": ("<a href='jAva\tscript:alert(1)'>x</a>", "a script in the href of <a>"),
    "an address of a form": ('<form action="javascript:alert(1)"></form>', "a script in the action of <form>"),
    "a sheet": ("<style>p { color: red }</style>", "<style> in a page.*: <style>$"),
}


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
    assert directives["default-src"] == "'none'"
    unsafe = {name for name, sources in directives.items() if "unsafe" in sources or "http" in sources}
    assert unsafe == {"style-src-attr"}


def test_the_headers_say_what_the_tag_says_and_that_no_page_stands_around_ours():
    assert headers(SITE)["Content-Security-Policy"] == policy(SITE) + "; frame-ancestors 'none'"
    assert all(re.fullmatch(r"[ -~]+", name + value) for name, value in headers(SITE).items())


def test_the_policy_stands_before_everything_that_it_governs():
    page = with_policy(PAGE, "default-src 'self'")
    assert page.index("charset") < page.index("Content-Security-Policy") < page.index("<script")


def test_a_changed_theme_is_noticed():
    with pytest.raises(BuildError, match="has the theme changed"):
        with_policy("<head></head>", "default-src 'self'")


def test_a_page_of_listed_scripts_and_of_words_about_scripts_passes():
    listed = "".join(f"<script>{script}</script>" for script in scripts(SITE))
    for planted in ("", listed, WORDS, listed + WORDS):
        check("a/index.html", PAGE.replace("PLANTED", planted), SITE)


@pytest.mark.parametrize(("planted", "message"), BLOCKED.values(), ids=BLOCKED)
def test_what_the_policy_blocks_is_refused(planted, message):
    with pytest.raises(BuildError, match=message) as error:
        check("learn/masks/index.html", PAGE.replace("PLANTED", planted), SITE)
    assert str(error.value).startswith("learn/masks/index.html: ")
    assert "\n" not in str(error.value)
    assert len(str(error.value).rpartition(": ")[2]) <= 60


@pytest.mark.parametrize("script", sorted(scripts(SITE)), ids=lambda script: script[:32])
def test_a_script_that_differs_in_one_byte_is_refused(script):
    changed = script.replace("a", "b", 1)
    assert changed != script
    with pytest.raises(BuildError, match="an inline script that is not on the list"):
        check("index.html", PAGE.replace("PLANTED", f"<script>{changed}</script>"), SITE)


def built(folder, **planted):
    """Write what MkDocs might have built: a page for each text that is planted in it."""
    shutil.copytree(ROOT / "docs/assets/katex/fonts", folder / "assets/katex/fonts")
    (folder / "assets/css").mkdir()
    for name, text in planted.items():
        (folder / f"{name}.html").write_text(PAGE.replace("PLANTED", text), "utf-8")
    return folder


def test_the_last_step_of_a_build_names_the_page(tmp_path):
    planted, message = BLOCKED["an inline script"]
    finish(built(tmp_path / "sound", a="", b=""), SITE)
    with pytest.raises(BuildError, match=rf"^b\.html: {message}"):
        finish(built(tmp_path / "planted", a="", b=planted), SITE)
