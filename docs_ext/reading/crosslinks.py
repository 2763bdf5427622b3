"""What the pages say of the package and of each other: formulas, and functions that they explain."""

import re
from functools import lru_cache
from typing import NamedTuple

import attention
from docs_ext.reading import page as model
from docs_ext.reading.equations import Equation, equations

_FUNCTION = re.compile(r"\]\[(attention\.\w+\.\w+)\]")


class Page(NamedTuple):
    """What is gathered from one page."""

    source: str  # as in MkDocs: learn/masks.md
    heading: str
    equations: list[Equation]
    functions: frozenset[str]  # the paths of all to which it links

    def explains(self, path: str) -> bool:
        """Whether it is a page to learn from that leads to this function."""
        return self.source.startswith("learn/") and path in self.functions

    def numbers(self, path: str) -> list[str]:
        """Return the numbers of the formulas that this function computes."""
        return [e.number for e in self.equations if "Code" in e.parts and e.parts["Code"].function == path]


def pages() -> list[Page]:
    """Gather from the pages in the order of the menu."""
    return [gathered(model.load(entry.name)) for entry in model.menu()]


@lru_cache(maxsize=256)
def gathered(page: model.Page) -> Page:
    """Gather from one page."""
    return Page(page.name, page.title, equations(page), frozenset(_FUNCTION.findall(page.text)))


def path_of(name: str) -> str:
    """Return where a public name is documented.

    >>> path_of("softmax")
    'attention.numerics.softmax'
    """
    return f"{getattr(attention, name).__module__}.{name}"


def explained_in(path: str) -> list[tuple[Page, list[str]]]:
    """Return the pages that explain a function and the numbers of its formulas there; those with formulas first."""
    found = [(page, page.numbers(path)) for page in pages() if page.explains(path)]
    return sorted(found, key=lambda item: not item[1])


def checked_in(path: str) -> str:
    """Return the file that tests a function: it bears the name of the module.

    >>> checked_in("attention.numerics.softmax")
    'tests/package/test_numerics.py'
    """
    return f"tests/package/test_{path.split('.')[-2]}.py"
