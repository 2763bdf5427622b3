"""Where on the site a paragraph is that explains a mistake."""

from attention.show.links import site


def address(see: str) -> str:
    """Return the address within the site of a page and heading under learn/.

    >>> address("masks#exercises")
    'learn/masks/#exercises'
    """
    page, mark, heading = see.partition("#")
    return f"learn/{page}/{mark}{heading}"


def link(see: str) -> str:
    """Return the whole address, if the package was installed from a site."""
    return site() + address(see)
