"""The address of the site that explains what a figure shows."""

import json
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution


@cache
def site() -> str:
    """Return the site from which pip has installed this package, or nothing.

    pip notes the address of the wheel; a package from an index names the site
    as its documentation.
    """
    try:
        found = distribution("attention-line-by-line")
        told = json.loads(found.read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, OSError, ValueError):
        return ""
    folder, _, name = str(told.get("url", "")).rpartition("/")
    if folder.startswith("http") and name.endswith(".whl"):
        return f"{folder}/"
    for url in found.metadata.get_all("Project-URL") or ():
        kind, _, address = url.partition(", ")
        if kind == "Documentation":
            return str(address)
    return ""
