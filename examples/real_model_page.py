"""All heads of examples/real_model.py in one file, with their data: it opens from a disk and needs no network.

It is the head browser of docs/learn/real-model.md, drawn with the site's tools (the docs extra).
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from docs_ext.html.modules import one_script
from docs_ext.html.template import template
from docs_ext.html.widget import figure

ASSETS = Path(__file__).parents[1] / "docs/assets"
SHEETS = ("site", "figures", "widgets", "stage", "fences/attention-grid", "fences/head-browser")
STYLES = (Path(__file__).with_name("real_model.css"), *(ASSETS / f"css/{sheet}.css" for sheet in SHEETS))
_FONT = re.compile(r"@font-face \{[^}]*\}\n")  # a file of its own

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


def page(text: str, tokens: Sequence[str], weights: NDArray[np.floating[Any]], about: str) -> str:
    """Write the file for one text; weights of shape (layers, heads, n, n)."""
    shown = {
        "id": "heads",
        "title": "All heads of the model",
        "texts": [text],
        "record": [{"tokens": tokens, "weights": np.rint(1000 * weights).astype(int)}],  # as the site's own record
        "sentence": 0,
        "layer": 0,
        "head": 0,
        "row": len(tokens) - 1,
        "question": "which words will find each other, and in which layer?",
        "answer": "Choose a head and see. Then choose another word in the same head: does it look elsewhere?",
    }
    return _PAGE(
        title=text,
        about=about,
        styles=Markup(_FONT.sub("", "\n".join(sheet.read_text("utf-8") for sheet in STYLES))),
        body=figure("head-browser", shown),
        script=Markup(one_script(ASSETS / "js", "main.js", "widgets/head-browser.js")),
    )
