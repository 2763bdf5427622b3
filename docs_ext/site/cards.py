"""The card of a page: what other sites show with a link to it, its title over its own first drawing."""

import json
import re
from collections.abc import Mapping
from functools import cache, partial
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap

from docs_ext.disk_cache import kept
from docs_ext.html import renderer
from docs_ext.html.tree import content, document

_ASSETS = Path(__file__).parents[2] / "docs/assets"
_MARK = Path(__file__).parents[1] / "theme/templates/.icons/own/mark.svg"
_SERIF = _ASSETS / "serif/serif.woff2"
_SHEETS = [f"css/{name}.css" for name in ("site", "figures", "stage", "fences/chart", "fences/sentence-machine")]
_DRAWING = "svg.desk, svg.wide, svg.only"
_LOOK = ("viewBox", "fill", "font-size", "stroke-width", "text-anchor")
_CARD = """<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" color="#14181f"><style>{style}</style>
<rect width="1200" height="630" fill="#fff"/>{mark}
<g font-family="Line Serif"><text x="104" y="74" font-size="26" fill="#5c5c5c">Attention, line by line</text>
<g font-size="52">{title}</g></g><g class="diagram" font-family="sans-serif">{drawing}</g></svg>"""
_OWN = ".sentence .word text{font-family:Line Serif;font-size:54px}"


def draw_cards(site: Path, pages: Mapping[Path, str]) -> None:
    """Put a card beside the home page and each lesson, as main.html says."""
    for path, page in pages.items():
        if path.name == "index.html" and path.relative_to(site).parts[:-1][:1] in ((), ("learn",)):
            svg = _card(page)
            (path.parent / "card.png").write_bytes(kept(partial(_png, svg), svg, _SERIF.read_bytes()))


def _card(page: str) -> str:
    tree = document(page)
    title, about = (tree.css(f"meta[property='og:{name}']")[0].attrs["content"] for name in ("title", "description"))
    lines = wrap(title, 42, break_on_hyphens=False)
    top = 100 + 66 * len(lines) + 30
    words = "".join(
        f'<text x="64" y="{top + 44 + 48 * n}">{escape(line)}</text>' for n, line in enumerate(wrap(about, 62))
    )
    drawing = f'<g font-family="Line Serif" font-size="36" fill="#5c5c5c">{words}</g>'
    if machine := tree.css_first("sentence-machine[data-given]"):  # of which the best scene is not the first
        given = json.loads(machine.attrs["data-given"])
        tree = content(renderer.drawn("lib/scenes.js", "still", given, 4))
    if svg := tree.css_first(_DRAWING):
        frame = f'x="64" y="{top}" width="1072" height="{600 - top}" preserveAspectRatio="xMidYMid meet"'
        inside = svg.inner_html.replace("&nbsp;", "\N{NO-BREAK SPACE}")  # which XML has no name for
        look = {name: svg.attributes[name] for name in _LOOK if name in svg.attributes}
        if "sentence" in svg.attributes["class"]:  # the machine's
            look |= {"class": "sentence", "text-anchor": "middle", "font-size": "16"}
            inside = inside.replace('fill="currentColor"', 'fill="var(--role-value)"')
        own = " ".join(f'{name}="{value}"' for name, value in look.items())
        drawing = _plain(f"<svg {frame} {own}>{inside}</svg>")
    rows = [f'<text x="64" y="{142 + 66 * n}">{escape(line)}</text>' for n, line in enumerate(lines)]
    mark = _MARK.read_text("utf-8").strip().replace("<svg ", '<svg x="64" y="52" width="28" height="28" ')
    return _CARD.format(style=_style(), mark=mark, title="".join(rows), drawing=drawing)


def _plain(drawing: str) -> str:
    """Write as attributes what only a browser's style moves, and give variables their light values."""
    drawing = re.sub(r'style="(?:transform|translate):([^;"]*)', lambda one: _moved(one[1]), drawing)
    return _light(drawing)


def _moved(place: str) -> str:
    place = place.replace("px", "")
    return f'transform="{place if "(" in place else f"translate({place})"}" style="'


def _light(text: str) -> str:
    return re.sub(r"var\((--[\w-]+)[^)]*\)", lambda one: _variables().get(one[1], "#14181f"), text)


@cache
def _sheets() -> str:
    return "\n".join((_ASSETS / sheet).read_text("utf-8") for sheet in _SHEETS)


@cache
def _variables() -> dict[str, str]:
    light = {"--md-default-bg-color": "#fff"}
    for name, value in re.findall(r"(--[\w-]+): (#\w+);", _sheets()):
        light.setdefault(name, value)  # the light scheme stands first
    return light


@cache
def _style() -> str:
    """Return the rules for parts of drawings, those that a renderer without pages, media and functions understands."""
    roles = "".join(f".role-{name}{{color:var(--role-{name})}}" for name in ("query", "key", "value", "output"))
    rules = re.findall(
        r"^(?!.*(?:figcaption|font:|slate))[.\w[][^@:>{}\n][^@:>{}\n]*\{[^{}\n]*\}", _sheets(), re.MULTILINE
    )
    return escape(_light("\n".join((roles, *rules, _OWN))), quote=False)


@cache
def _fonts() -> TemporaryDirectory[str]:
    """Give the renderer our serif, of one weight and not compressed: what it can read."""
    import vl_convert
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
    from fontTools.varLib.instancer import instantiateVariableFont  # type: ignore[import-untyped]

    font = instantiateVariableFont(TTFont(_SERIF), {"wght": 400})
    font.flavor = None
    font.save(Path((folder := TemporaryDirectory()).name) / "serif.ttf")
    vl_convert.register_font_directory(folder.name)
    return folder


def _png(svg: str) -> bytes:
    import vl_convert

    _fonts()
    return bytes(vl_convert.svg_to_png(svg))
