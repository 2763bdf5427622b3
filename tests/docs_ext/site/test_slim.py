"""The slimmer site: one style sheet, fonts with the glyphs of the formulas, and a search index on demand."""

import re
import shutil
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import pytest

pytest.importorskip("fontTools", reason="making the site smaller needs the docs extra")

from fontTools.ttLib import TTFont

from docs_ext.site import slim

ROOT = Path(__file__).parents[3]
PAGE = """<head>
      <link rel="stylesheet" href="../assets/stylesheets/main.css">
      <link rel="stylesheet" href="../assets/katex/katex.min.css">
      <link rel="stylesheet" href="../assets/css/site.css">
</head>
<p>w</p><span class="katex-html"><svg><path d=""/></svg><span class="mathnormal">Q</span>+</span><p>z</p>
"""


@pytest.fixture
def site(tmp_path):
    for folder in ("assets/css", "assets/js", "assets/javascripts"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copytree(ROOT / "docs/assets/katex", tmp_path / "assets/katex")
    (tmp_path / "assets/css/site.css").write_text("a { color: red }", "utf-8")
    (tmp_path / "assets/js/main.js").write_text("// why\nconst a = `//${1}`; // here\n", "utf-8")
    (tmp_path / "assets/javascripts/bundle.1.min.js").write_text('f($(location.protocol!=="file:"))', "utf-8")
    return tmp_path


def slimmed(site):
    return slim.slim(site, {Path("index.html"): PAGE})[Path("index.html")]


def test_a_page_links_one_style_sheet_besides_the_themes(site):
    links = re.findall(r'rel="stylesheet" href="(.*?)"', slimmed(site))
    assert links == ["../assets/stylesheets/main.css", "../assets/css/all.css"]
    sheet = (site / "assets/css/all.css").read_text("utf-8")
    assert sheet.index("katex") < sheet.index("a { color: red }")
    addresses = re.findall(r"url\((.*?)\)", sheet)
    for address in addresses:
        assert address.startswith("data:") or (site / "assets/css" / address).is_file(), address
    assert sum(address.startswith("data:") for address in addresses) == len(slim.EMBEDDED)
    assert not (site / "assets/css/site.css").exists()


def test_fonts_keep_the_glyphs_of_formulas_and_no_others(site):
    slimmed(site)
    sheet = (site / "assets/css/all.css").read_text("utf-8")
    fonts = [b64decode(data) for data in re.findall(r"base64,(.*?)\)", sheet)]
    fonts.append((site / "assets/katex/fonts/KaTeX_AMS-Regular.woff2").read_bytes())
    glyphs = []
    for data in fonts:
        with TTFont(BytesIO(data)) as font:
            glyphs.append("".join(map(chr, font.getBestCmap() or {})))
    assert sorted(glyphs) == ["", "+", "Q"]


def test_comments_stay_in_the_sources(site):
    slimmed(site)
    assert (site / "assets/js/main.js").read_text("utf-8") == "const a = `//${1}`; // here\n"


def test_the_search_index_waits_and_a_changed_theme_is_noticed(site):
    slimmed(site)
    assert (site / "assets/javascripts/bundle.1.min.js").read_text("utf-8") == "f($(!1))"
    with pytest.raises(ValueError, match="has the theme changed"):
        slim._fetch_search_index_on_demand(site)
