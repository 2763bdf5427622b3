"""Where on the site a paragraph is that explains a mistake."""

import json
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution


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


@cache
def site() -> str:
    """Return the site from which pip has installed this package, or nothing.

    pip notes the address of the wheel.
    """
    try:
        found = distribution("attention-line-by-line")
        told = json.loads(found.read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, OSError, ValueError):
        return ""
    folder, _, name = str(told.get("url", "")).rpartition("/")
    from_web = folder.startswith("http") and name.endswith(".whl")
    return f"{folder}/" if from_web else ""
