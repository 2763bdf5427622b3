"""Names of the package in its docstrings: `softmax` becomes a link to the page that explains it.

A docstring is also read in an editor, so it says no more than the name.
"""

from xml.etree.ElementTree import Element

from markdown.treeprocessors import Treeprocessor

import attention
from docs_ext.reading.converter import is_docstring

_PUBLIC = [getattr(attention, name) for name in attention.__all__]
_ADDRESSES = {one.__name__: f"{one.__module__}.{one.__name__}" for one in _PUBLIC}
_LEFT_ALONE = {"a", "autoref", "pre", "summary", *(f"h{n}" for n in range(1, 7))}


class LinkNames(Treeprocessor):
    def run(self, root: Element) -> None:
        if is_docstring(self.md):  # the author of a page chooses its links
            _link(root)


def _link(parent: Element) -> None:
    if parent.tag in _LEFT_ALONE:
        return
    for place, child in enumerate(parent):
        if child.tag == "code" and child.text in _ADDRESSES:
            link = Element("autoref", identifier=_ADDRESSES[child.text])
            link.tail, child.tail = child.tail, None
            link.append(child)
            parent[place] = link
        else:
            _link(child)
