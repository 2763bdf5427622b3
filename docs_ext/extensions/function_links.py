"""Under each public function of the API pages: the pages that explain it and the file that tests it.

The template of a function says `<!-- links attention.masks.causal_mask -->`. Both are found, not typed: a page explains
what it links to, first of all where it stands under a formula.
"""

import posixpath

import attention
from docs_ext.reading.crosslinks import Page, checked_in, explained_in, path_of


def links(path: str, reader: str) -> list[str]:
    """Write the line for a function, as Markdown for the page `reader`; nothing if the name is not public."""
    name = path.split(".")[-1]
    if name not in attention.__all__ or path != path_of(name):
        return []
    explained = [_page(page, numbers, posixpath.dirname(reader)) for page, numbers in explained_in(path)]
    told = [f"Explained in {', '.join(explained)}"] if explained else []
    return [" · ".join([*told, f"Tested in `{checked_in(path)}`"]), "{ .small-print }"]


def _page(page: Page, numbers: list[str], folder: str) -> str:
    address = posixpath.relpath(page.source, folder)
    return " ".join([f"[{page.heading}]({address})", *(f"[({n})]({address}#formula-{n})" for n in numbers)])
