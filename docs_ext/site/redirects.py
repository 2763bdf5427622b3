"""Old addresses: a page each that leads to the new one, whatever anchor was asked for."""

import importlib
import inspect
from collections.abc import Iterator
from html import escape
from pathlib import Path
from types import FunctionType

from docs_ext.site.moved import MOVED

_PAGE = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'">
    <meta name="robots" content="noindex">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>This page has moved</title>
    <script src="{root}assets/js/redirect.js" defer></script>
  </head>
  <body>
    <h1>This page has moved</h1>
    <ul>
{links}
    </ul>
  </body>
</html>
"""


def redirect(site: Path) -> None:
    """Write a page at every old address."""
    for old, modules in MOVED.items():
        root = "../" * old.count("/")
        links = "\n".join(
            f'      <li><a id="{escape(anchor)}" href="{root}{escape(new)}">{escape(anchor)}</a></li>'
            for anchor, new in _links(old.rstrip("/").rpartition("/")[2], modules)
        )
        page = site / old / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(_PAGE.format(root=root, links=links), "utf-8")


def _links(old: str, modules: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield every anchor of the old page, and where it is now."""
    for name in modules:
        module = importlib.import_module(f"attention.{name}")
        was, now = f"attention.{old}", f"reference/{name}/#attention.{name}"
        yield f"{was}.{name}", f"reference/{name}/"
        for item, value in vars(module).items():
            if item.startswith("_") or getattr(value, "__module__", None) != module.__name__:
                continue
            yield f"{was}.{item}", f"{now}.{item}"
            methods = vars(value).items() if inspect.isclass(value) else ()
            for method, function in methods:
                if not method.startswith("_") and isinstance(function, FunctionType | classmethod | property):
                    yield f"{was}.{item}.{method}", f"{now}.{item}.{method}"
