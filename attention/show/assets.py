"""The script and the style of a figure: the wheel holds them."""

from functools import cache
from importlib import import_module
from pathlib import Path

FILES = ("show.js", "show.css")  # as the wheel's build writes them here


@cache
def assets() -> tuple[str, str]:
    """Return the script and the style.

    A checkout has none until its wheel is built, and joins them from those
    of the site.
    """
    script, style = (Path(__file__).with_name(name) for name in FILES)
    if script.is_file() and style.is_file():
        return script.read_text("utf-8"), style.read_text("utf-8")
    joined: tuple[str, str] = import_module("docs_ext.html.alone").joined()
    return joined
