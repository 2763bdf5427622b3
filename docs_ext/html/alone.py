"""A widget in a file of its own, with its data: it opens from a disk, asks for no other file, and needs no network."""

import json
import re
from pathlib import Path
from typing import Any

from markupsafe import Markup

from docs_ext.html.template import template

ASSETS = Path(__file__).parents[2] / "docs/assets"
SHARED = (
    Path(__file__).with_suffix(".css"),
    *(ASSETS / f"css/{sheet}.css" for sheet in ("site", "figures", "widgets")),
)

_PAGE = template("""
<!doctype html>
<html lang="en" data-md-color-scheme="default" data-md-color-primary="white">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{{ title }}</title>
<style>
{{ styles }}
</style>
</head>
<body>
<main class="md-typeset md-content">
<h1>{{ title }}</h1>
<p>{{ about }}</p>
{{ body }}
</main>
<script type="application/json" id="{{ ident }}">{{ data }}</script>
<script>
if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.dataset.mdColorScheme = "slate";
{{ script }}
</script>
</body>
</html>
""")
_IMPORT = re.compile(r"^import\s[^;]*?from\s+\"(?P<path>[^\"]+)\";\n", re.MULTILINE)
_LATER = re.compile(r"await import\(\"(?P<path>[^\"]+)\"\)")
_EXPORTED = re.compile(r"^export (?:const|(?:async )?function|class|let) (\w+)", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=const |(?:async )?function |class |let )", re.MULTILINE)


def alone(tag: str, title: str, about: str, body: Markup, ident: str, data: Any, *, sheets: tuple[str, ...]) -> str:
    """Write the file: a widget by its tag, the style sheets of the fences whose styles it has, its data by their id."""
    styles = [*SHARED, *(ASSETS / f"css/fences/{sheet}.css" for sheet in sheets)]
    held = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return _PAGE(
        title=title,
        about=about,
        styles=Markup("\n".join(sheet.read_text("utf-8") for sheet in styles)),
        body=body,
        ident=ident,
        data=Markup(held),
        script=Markup(one_script(ASSETS / f"js/widgets/{tag}.js")),
    )


def one_script(module: Path) -> str:
    """Write a module and all that it imports as one classic script, the imported ones first, within a function.

    A module that a file from a disk asks for would not be loaded.
    """
    return '(() => {\n"use strict";\n' + "\n".join(_bodies(module.resolve(), set())) + "})();\n"


def _bodies(module: Path, seen: set[Path]) -> list[str]:
    if module in seen:
        return []
    seen.add(module)
    source = module.read_text("utf-8")
    needs = [
        (module.parent / found["path"]).resolve() for found in (*_IMPORT.finditer(source), *_LATER.finditer(source))
    ]
    body = _LATER.sub(lambda found: _exports(module.parent / found["path"]), _IMPORT.sub("", source))
    body = _EXPORT.sub("", body).replace("</script", "<\\/script")
    if left := re.search(r"^(?:import|export)\b.*", body, re.MULTILINE):
        raise ValueError(f"{module.name}: only imports and exports by name can be joined: {left[0]}")
    return [*(part for need in needs for part in _bodies(need, seen)), body]


def _exports(module: Path) -> str:
    """Write what `await import` gives: a module that is there already, as an object."""
    return f"{{ {', '.join(_EXPORTED.findall(module.read_text('utf-8')))} }}"
