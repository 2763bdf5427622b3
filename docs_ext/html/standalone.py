"""A widget in a file of its own, with its data: it opens from a disk, asks for no other file, and needs no network."""

import re
from pathlib import Path

from markupsafe import Markup

from docs_ext.html.modules import one_script
from docs_ext.html.template import template

ASSETS = Path(__file__).parents[2] / "docs/assets"
SHARED = (
    Path(__file__).with_suffix(".css"),
    *(ASSETS / f"css/{sheet}.css" for sheet in ("site", "figures", "widgets", "stage")),
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
<script>
if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.dataset.mdColorScheme = "slate";
{{ script }}
</script>
</body>
</html>
""")


def alone(tag: str, title: str, about: str, body: Markup, *, sheets: tuple[str, ...]) -> str:
    """Write the file: a widget by its tag, and the style sheets of the fences whose styles it has."""
    styles = [*SHARED, *(ASSETS / f"css/fences/{sheet}.css" for sheet in sheets)]
    return _PAGE(
        title=title,
        about=about,
        styles=Markup(
            re.sub("@font-face {.*?}", "", "\n".join(sheet.read_text("utf-8") for sheet in styles), flags=re.S)
        ),
        body=body,
        script=Markup(one_script(ASSETS / "js", "main.js", f"widgets/{tag}.js")),
    )
