"""Markdown inside a fence: one paragraph, or a console, as on a page."""

import re
from functools import cache

from markdown import Markdown
from markupsafe import Markup

from docs_ext.errors import SpecError
from docs_ext.html.console import mark_outputs
from docs_ext.html.formula import RenderFormulas

_PLAIN = re.compile(r"\w[\w ,.:;()/=+'-]*")  # what Markdown leaves as it is
_ADDRESSED = re.compile(r"<(?:a|img)\b")
_EXTENSIONS = ["pymdownx.arithmatex", "pymdownx.highlight", "pymdownx.superfences"]


def inline(text: str) -> Markup:
    """Convert one paragraph of Markdown, with the formulas and code of the site's pages."""
    if _PLAIN.fullmatch(text):  # as most answers of a quiz are
        return Markup(text)
    paragraph = re.fullmatch(r"<p>(.*)</p>", convert(text), re.DOTALL)
    if paragraph is None or "<p>" in paragraph[1]:
        raise SpecError(f"one paragraph, please: {text!r}")
    return Markup(paragraph[1])


def convert(text: str) -> Markup:
    """Convert Markdown without the extensions that know a page, and without what has an address: nothing checks it."""
    html = _markdown().reset().convert(text)
    if _ADDRESSED.search(html):
        raise SpecError(f"a link or a picture cannot stand here: {text!r}")
    return Markup(mark_outputs(html))


@cache
def _markdown() -> Markdown:
    converter = Markdown(extensions=_EXTENSIONS, extension_configs={"pymdownx.arithmatex": {"generic": True}})
    converter.treeprocessors.register(RenderFormulas(converter), "formulas", 4)  # after arithmatex
    converter.preprocessors.deregister("html_block")  # tags of an author stay text
    converter.inlinePatterns.deregister("html")
    return converter
