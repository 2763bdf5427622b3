"""Fonts of formulas: only the glyphs that the site uses, fetched with the page that needs them."""

import json
from base64 import b64encode
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from docs_ext.disk_cache import kept
from docs_ext.html.tree import content

# How KaTeX marks what it draws in a font; all other text is in PLAIN.
FONTS = {
    "Math-Italic": ".mathnormal",
    "AMS-Regular": ".mathbb, .amsrm",
    "Caligraphic-Regular": ".mathcal",
    "Main-Bold": ".mathbf",
    "Size1-Regular": ".delimsizing.size1, .small-op, .delim-size1",
    "Size2-Regular": ".delimsizing.size2, .large-op",
    "Size3-Regular": ".delimsizing.size3",
    "Size4-Regular": ".delimsizing.size4, .delim-size4",
}
PLAIN = "Main-Regular"
EMBEDDED = (PLAIN, "Math-Italic", "Size1-Regular", "Size2-Regular", "Size3-Regular")  # much used, or tiny


def _characters(drawn: Iterable[str]) -> bytes:
    """Return, as JSON, the characters that KaTeX draws in each font, below what a screen reader reads."""
    tree = content("".join(drawn))
    fonts = dict[str, str]()
    for font, marks in (*FONTS.items(), (PLAIN, ".katex-html")):
        elements = tree.css(marks)
        fonts[font] = "".join(sorted({*"".join(element.text() for element in elements)}))
        for element in elements:
            element.decompose()
    return json.dumps(fonts).encode()


def subset_fonts(site: Path, pages: Iterable[str]) -> None:
    """Keep the glyphs that formulas use; fonts that FONTS does not know stay whole."""
    drawn = sorted({part.html for page in pages for part in content(page).css(".katex-html")})
    characters = json.loads(kept(partial(_characters, drawn), *drawn))
    for path in (site / "assets/katex/fonts").glob("*.woff2"):
        name = path.stem.removeprefix("KaTeX_")
        if name == PLAIN or name in FONTS:
            glyphs = characters.get(name, "")
            path.write_bytes(kept(partial(_subset, path, glyphs), path.read_bytes(), glyphs))


def _subset(path: Path, glyphs: str) -> bytes:
    from fontTools.subset import Options, Subsetter, load_font, save_font  # type: ignore[import-untyped]

    options = Options(flavor="woff2", layout_features=["*"], hinting=False)
    with load_font(str(path), options) as font:
        subsetter = Subsetter(options)
        subsetter.populate(text=glyphs)
        subsetter.subset(font)
        save_font(font, str(path), options)
    return path.read_bytes()


def embed_fonts(site: Path, styles: str) -> str:
    """Put the fonts of nearly every formula into the style sheet: they need no request of their own."""
    for name in EMBEDDED:
        font = f"assets/katex/fonts/KaTeX_{name}.woff2"
        data = b64encode((site / font).read_bytes()).decode()
        styles = styles.replace(f"url(../{font.removeprefix('assets/')})", f"url(data:font/woff2;base64,{data})")
        (site / font).unlink()
    return styles


# Chromium begins to load a font, even one that it has, with the first layout: a page would be painted without it, and
# move. So they are asked for before: the embedded ones, and those that the page has links for.
LOAD = """<script>{
const linked = Array.from(document.querySelectorAll("link[href*=KaTeX]"), ({href}) =>
  (href.includes("Bold") ? "bold " : "") + "1em " + /KaTeX_\\w+/.exec(href)[0]);
const ours = ["Main", "Size1", "Size2", "Size3"].map((name) => "1em KaTeX_" + name);
for (const font of [...ours, "italic 1em KaTeX_Math", ...linked]) document.fonts.load(font);
}</script>"""


def load_fonts(page: str, base: str, styles: str) -> str:
    """Return the link to the style sheet, and what brings the fonts of a page's formulas before the page is drawn."""
    tag = f'<link rel="preload" href="{base}assets/katex/fonts/KaTeX_%s.woff2" as="font" type="font/woff2" crossorigin>'
    tree = content(page)
    rare = [name for name, marks in FONTS.items() if name not in EMBEDDED and tree.css_first(marks)]
    fonts = "".join(f"{tag % name}\n      " for name in rare)
    return f'{fonts}<link rel="stylesheet" href="{base}{styles}">\n      {LOAD}'
