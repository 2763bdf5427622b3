import hashlib
import re
from base64 import b64encode

import pytest

pytest.importorskip("fontTools", reason="finishing the site needs the docs extra")

from docs_ext.site import finish

PAGE = """<!doctype html>
<html lang="en" class="no-js">
  <head>
      <meta charset="utf-8">
        <link rel="canonical" href="https://site.test/">
        <title>Masks &amp; more - Attention, line by line</title>
      <script>first()</script>
      <script type="application/json">{"a": 1}</script>
  </head>
  <body>
    <article></article>
    <a href="." title="Attention, line by line" class="md-header__button md-logo">x</a>
    <div class="md-search" data-md-component="search" role="dialog"></div>
    <script>
      second()
    </script>
    <script src="a.js"></script>
  </body>
</html>
"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# A page without examples\n", "utf-8")
    monkeypatch.setattr(finish, "DOCS", tmp_path / "docs")
    (tmp_path / "deep").mkdir()
    (tmp_path / "index.html").write_text(PAGE, "utf-8")
    (tmp_path / "deep/index.html").write_text(PAGE.replace("first()", "third()"), "utf-8")
    return tmp_path


def test_the_policy_allows_the_inline_scripts_of_all_pages_and_no_others(site):
    finish.main(site)
    page = (site / "index.html").read_text("utf-8")
    for script in ("first()", "\n      second()\n    ", "third()"):
        digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in page
    assert page.count("sha256-") == 3
    assert "script-src 'self' 'sha256-" in page
    assert "style-src 'self';" in page


def test_every_page_gets_the_same_policy(site):
    finish.main(site)
    policies = {
        line.strip()
        for path in site.rglob("*.html")
        for line in path.read_text("utf-8").splitlines()
        if "Content-Security-Policy" in line
    }
    assert len(policies) == 1  # two different ones would both hold after an instant navigation


def test_citation_tags_repeat_what_the_page_says(site):
    finish.main(site)
    page = (site / "index.html").read_text("utf-8")
    assert '<meta name="citation_title" content="Masks &amp; more">' in page
    assert '<meta property="og:site_name" content="Attention, line by line">' in page
    assert '<meta name="citation_language" content="en">' in page
    assert "citation_publication_date" not in page


def test_the_search_dialog_gets_a_name(site):
    finish.main(site)
    assert 'role="dialog" aria-label="Search"' in (site / "index.html").read_text("utf-8")


def test_a_second_run_changes_nothing(site):
    finish.main(site)
    once = (site / "index.html").read_text("utf-8")
    finish.main(site)
    assert (site / "index.html").read_text("utf-8") == once


def test_a_changed_theme_is_noticed():
    with pytest.raises(ValueError, match="has the theme changed"):
        finish.finish("<html><title>x</title>", "")


def test_the_corner_of_a_table_is_no_header(site):
    page = PAGE.replace("<article></article>", "<article><table><tr><th></th><th>a</th></tr></table></article>")
    (site / "index.html").write_text(page, "utf-8")
    finish.main(site)
    assert "<tr><td></td><th>a</th></tr>" in (site / "index.html").read_text("utf-8")


def test_a_page_fetches_the_rarer_fonts_of_its_formulas_at_once():
    styles = '<link rel="stylesheet" href="../assets/css/all.css">'
    formula = '<span class="mord mathbb">R</span><span class="mop op-symbol large-op">∑</span>'
    for body, fonts in ((formula, ["AMS", "Size2"]), ('<span class="mord mathnormal">Q</span>', [])):
        page = finish.finish(PAGE.replace("  </head>", f"{styles}</head>").replace("<article>", body), "")
        assert re.findall(r'rel="preload" href="../assets/katex/fonts/KaTeX_(\w+)-Regular.woff2"', page) == fonts
