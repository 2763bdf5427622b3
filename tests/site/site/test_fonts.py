"""A smaller first view: one style sheet, and fonts with the glyphs of the formulas."""

import re
import shutil
from base64 import b64decode
from io import BytesIO

import pytest
from fontTools.ttLib import TTFont

from docs_ext.site.assets import bundle, link_bundle
from docs_ext.site.fonts import EMBEDDED, FONTS, load_fonts, subset_fonts
from tests.site.pages import ROOT

KATEX = (ROOT / "docs/assets/katex/katex.min.css").read_text("utf-8")
PAGE = """<head>
      <link rel="stylesheet" href="../assets/stylesheets/main.css">
      <link rel="stylesheet" href="../assets/katex/katex.min.css">
      <link rel="stylesheet" href="../assets/css/site.css">
</head>
<p>w</p><span class="katex-html"><svg><path d=""/></svg><span class="mathnormal">Q</span>+</span><p>z</p>
"""


@pytest.fixture
def site(tmp_path):
    (tmp_path / "assets/css").mkdir(parents=True)
    shutil.copytree(ROOT / "docs/assets/katex", tmp_path / "assets/katex")
    (tmp_path / "assets/css/site.css").write_text("a { color: red }", "utf-8")
    subset_fonts(tmp_path, [PAGE])
    bundle(tmp_path, [PAGE])
    return tmp_path


def test_a_page_links_one_style_sheet_besides_the_themes(site):
    links = re.findall(r'rel="stylesheet" href="(.*?)"', link_bundle(PAGE))
    assert links == ["../assets/stylesheets/main.css", "../assets/css/all.css"]
    sheet = (site / "assets/css/all.css").read_text("utf-8")
    assert sheet.index("katex") < sheet.index("a{color:red}")
    addresses = re.findall(r"url\((.*?)\)", sheet)
    for address in addresses:
        assert address.startswith("data:") or (site / "assets/css" / address).is_file(), address
    assert sum(address.startswith("data:") for address in addresses) == len(EMBEDDED)
    assert not (site / "assets/css/site.css").exists()


def test_fonts_keep_the_glyphs_of_formulas_and_no_others(site):
    sheet = (site / "assets/css/all.css").read_text("utf-8")
    fonts = [b64decode(data) for data in re.findall(r"base64,(.*?)\)", sheet)]
    fonts.append((site / "assets/katex/fonts/KaTeX_AMS-Regular.woff2").read_bytes())
    glyphs = []
    for data in fonts:
        with TTFont(BytesIO(data)) as font:
            glyphs.append("".join(map(chr, font.getBestCmap() or {})))
    assert set(glyphs) == {"", "+", "Q"}


@pytest.mark.parametrize("font", FONTS)
def test_a_mark_of_a_font_is_katexs_and_a_page_that_has_it_fetches_the_font(font):
    family, marks = font.partition("-")[0], FONTS[font].split(", ")
    for mark in marks:
        assert re.search(rf"{re.escape(mark)}(>span|,[^{{}}]*)?\{{font-family:KaTeX_{family}\b", KATEX), mark
        links = load_fonts(f'<span class="{mark.replace(".", " ")}">R</span>', "../", "all.css")
        fetched = re.findall(r'rel="preload" href="../assets/katex/fonts/KaTeX_([\w-]+).woff2"', links)
        assert fetched == [font] * (font not in EMBEDDED)
