r"""Formulas: TeX in, HTML and MathML out, while the page is being built.

Works on what pymdownx.arithmatex (generic) protects: `$...$` in a line, `$$...$$` on its own. A reader needs
no JavaScript, and a formula that KaTeX does not understand fails the build.
"""

import re
from functools import cache
from html import unescape
from itertools import pairwise
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor
from markupsafe import Markup, escape
from py_mini_racer import MiniRacer

from docs_ext.disk_cache import kept
from docs_ext.errors import SpecError
from docs_ext.reading.converter import PageError
from docs_ext.reading.v8 import started

# The notation of the site: macro -> (standard TeX, role that colours it). Zero arguments only.
MACROS: dict[str, tuple[str, str | None]] = {
    r"\Q": ("Q", "query"),
    r"\K": ("K", "key"),
    r"\V": ("V", "value"),
    r"\Z": ("Z", "output"),
    r"\q": ("q", "query"),
    r"\k": ("k", "key"),
    r"\v": ("v", "value"),
    r"\z": ("z", "output"),
    r"\T": (r"\top", None),
    r"\R": (r"\mathbb{R}", None),
    r"\softmax": (r"\operatorname{softmax}", None),
    r"\dk": ("d_k", None),
    r"\dv": ("d_v", None),
    r"\dmodel": (r"d_{\text{model}}", None),
    r"\nq": ("n_q", None),
    r"\nk": ("n_k", None),
}

SCRIPT = Path(__file__).with_name("katex").joinpath("katex.min.js").read_text("utf-8")
_RENDER = Path(__file__).with_suffix(".js").read_text("utf-8")
_MATRIX = re.compile(r"W_(?P<of>[QKV])(?!\w)(?:\^(?:\\\w+|\{[^{}]*\}))?")  # a matrix has the role of what it makes
_MAKES = {"Q": "query", "K": "key", "V": "value"}


@cache
def engine() -> MiniRacer:
    """Return V8 with KaTeX in it."""
    return started(SCRIPT, _RENDER)


def grouped(tex: str) -> str:
    r"""Put a letter with an index in braces; else the root of \sqrt\dk would end after the d."""
    return f"{{{tex}}}" if "_" in tex else tex


def _forengine() -> dict[str, str]:
    return {
        macro: rf"{{\htmlClass{{role-{role}}}{{{tex}}}}}" if role else grouped(tex)
        for macro, (tex, role) in MACROS.items()
    }


def standard_tex(tex: str) -> str:
    r"""Expand our macros, so that what a reader copies runs anywhere: ``\Q\K^\T`` is ``QK^\top``."""
    out = ""
    for token, after in pairwise([*re.findall(r"\\[A-Za-z]+|\\?.", tex, re.DOTALL), ""]):
        plain = MACROS[token][0] if token in MACROS else token
        after_word = re.search(r"\\[A-Za-z]+$", out)
        if token in MACROS and (after_word or out.endswith(("^", "_")) or after in ("^", "_")):
            plain = grouped(plain)
        out += " " + plain if after_word and plain[0].isalpha() else plain
    return out


@cache
def render(tex: str, *, display: bool = False) -> Markup:
    """Render one formula; raise SpecError with KaTeX's message if it cannot be read."""
    macros = _forengine()
    coloured = _MATRIX.sub(lambda w: rf"{{\htmlClass{{role-{_MAKES[w['of']]}}}{{{w[0]}}}}}", tex)

    def draw() -> bytes:
        html, error = engine().call("render", coloured, display, macros)
        if error:
            raise SpecError(error)
        return str(html).encode()

    html = _valid(kept(draw, SCRIPT + _RENDER, coloured, str(display), repr(macros)).decode())
    annotation = escape(standard_tex(tex))
    return Markup(re.sub(r"(?<=x-tex\">).*?(?=</annotation>)", lambda _: annotation, html, flags=re.DOTALL))


def _valid(html: str) -> str:
    """Mend what KaTeX writes and MathML does not allow: widths of the cells beside a tag, and an operator in parts."""
    html = html.replace('<mtd width="50%">', "<mtd>")
    return re.sub(r"(<mo [^>]*>)<mrow>(.*?)</mrow>(?=</mo>)", lambda mod: mod[1] + re.sub("<.*?>", "", mod[2]), html)


def _keep_punctuation(parent: Element, formula: Element) -> None:
    """Let no line end between a formula and the comma after it; some browsers break lines there."""
    tail = formula.tail or ""
    mark = re.match("[.,;:?!)\u201d\u2019]+", tail)
    if formula.tag != "span" or mark is None:
        return
    both = Element("span", {"class": "formula-and-mark"})
    both.tail, formula.tail = tail[mark.end() :], mark[0]
    parent.insert(list(parent).index(formula), both)
    parent.remove(formula)
    both.append(formula)


class RenderFormulas(Treeprocessor):
    """Put the drawn formula into every element that arithmatex has protected."""

    def run(self, root: Element) -> None:
        for parent in list(root.iter()):
            for element in list(parent):
                if "arithmatex" in element.get("class", "").split() and not len(element):
                    self._replace(element)
                    _keep_punctuation(parent, element)

    def _replace(self, element: Element) -> None:
        display = element.tag == "div"
        tex = (element.text or "")[2:-2].strip()  # without the delimiters
        if display:
            tex = unescape(tex)  # arithmatex escapes these only
        try:
            html = render(tex, display=display)
        except SpecError as error:
            raise PageError(self.md, f"cannot render the formula {tex!r}: {error}", near=tex) from None
        element.text = self.md.htmlStash.store(html)
        element.set("data-search-exclude", "")  # the index would hold each formula three times
