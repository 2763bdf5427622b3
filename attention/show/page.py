"""A figure as a page of its own: one file that asks for nothing."""

import json
import zlib
from base64 import b64encode
from hashlib import sha256
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from attention.show.assets import assets
from attention.show.links import site
from attention.show.still import NO, all_heads, still

LESSON = "learn/explanation/#not-importance"
PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main class="md-typeset md-content">
<head-browser class="widget" role="group" aria-labelledby="title">
<h1 class="widget-title" id="title">{title}</h1>
{map}<div id="{id}" data-given="{given}">{still}</div>
</head-browser>
<p class="about">A weight is not importance: it says how much of a token is \
mixed in. {lesson} Weights are carried and printed to thousandths.</p>
</main>
<script>{script}</script>
</body>
</html>
"""


class Figure:
    """A figure that shows itself in a notebook, and saves itself as a file.

    Attributes
    ----------
    html : str
        The page: one file, without a request, in light and dark colours,
        complete without its script. The script lets a reader choose heads and
        rows.

    Examples
    --------
    >>> from attention.show import grid
    >>> figure = grid([[1, 0], [0.5, 0.5]], ["cats", "ran"])
    >>> figure.html.startswith("<!doctype html>")
    True
    """

    def __init__(self, data: dict[str, Any], height: int) -> None:
        self.html = _page(data)
        self._title, self._height = data["title"], height

    def _repr_html_(self) -> str:
        """Return a frame of its own, from which no style or script leaks.

        JupyterLab takes the frame out of a notebook that it does not trust;
        of its content, which no browser shows, the sentence then stays.
        """
        return (
            '<iframe sandbox="allow-scripts allow-popups '
            'allow-popups-to-escape-sandbox" '
            f'title="{escape(self._title)}" style="display:block;width:100%;'
            f'height:{self._height}px;border:0" '
            f'srcdoc="{escape(self.html)}">A figure is hidden here until you '
            "trust this notebook (its command Trust Notebook).</iframe>"
        )

    def __repr__(self) -> str:
        """Say what it is where no HTML is shown."""
        return f"<Figure {self._title!r}: .save('figure.html') writes a file>"

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file that opens anywhere.

        Parameters
        ----------
        path : str or path-like
            Where to write it, such as "heads.html".
        """
        Path(path).write_text(self.html, "utf-8", newline="\n")


def _page(data: dict[str, Any]) -> str:
    script, style = assets()
    address = site()
    lesson = "<cite>Do the weights explain?</cite>"
    if address:
        link = escape(f"{address}{LESSON}")
        lesson = (
            f'<a href="{link}" target="_blank" rel="noopener">{lesson}</a>'
        )
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; "
        f"style-src '{_hash(style)}'; style-src-attr 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )
    return PAGE.format(
        policy=policy,
        title=escape(data["title"]),
        style=style,
        id=data["id"],
        given=escape(json.dumps(_packed(data), separators=(",", ":"))),
        map=all_heads(data),
        still=still(data),
        lesson=f"The lesson {lesson} of Attention, line by line says more.",
        script=script,
    )


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _packed(data: dict[str, Any]) -> dict[str, Any]:
    """Return data as the script reads them: all weights in one text.

    Thousandths, or 1001 where a cell is masked, as low bytes and then high
    bytes, deflated, in base64.
    """
    arrays = [text["codes"].ravel() for text in data["texts"]]
    codes = np.concatenate(arrays)
    codes = np.where(codes == NO, 1001, codes)
    planes = (codes & 255).astype(np.uint8), (codes >> 8).astype(np.uint8)
    packed = zlib.compress(b"".join(plane.tobytes() for plane in planes), 9)
    texts = [
        {name: part for name, part in text.items() if name != "codes"}
        for text in data["texts"]
    ]
    return data | {"texts": texts, "codes": b64encode(packed).decode()}
