"""What a host has to be told: the headers of every file, and a configuration of nginx that sends them.

`docs/how-to/host.md` shows it for the address that the site is built for, and tests/browser/test_hosting.py runs what
the page shows.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from urllib.parse import urlsplit

from docs_ext.site.address import built_for
from docs_ext.site.policy import headers

WIDTH = 80  # of a line of code on a page


def nginx() -> str:
    """Return a configuration of nginx for the address of mkdocs.yml."""
    address = urlsplit(built_for())
    path = address.path.rstrip("/")
    text = Path(__file__).with_name("nginx.conf").read_text("utf-8")
    if not path:
        text = re.sub(r" *location = PATH \{.*?\n    \}\n", "", text, flags=re.DOTALL)
    lines = "\n".join(line for name, value in headers().items() for line in _header(name, value))
    return text.replace("HOST", address.hostname or "").replace("PATH", path).replace("HEADERS", lines).strip()


def _header(name: str, value: str) -> Iterator[str]:
    """Write a header; a long one grows in a variable, since nginx takes no string over several lines."""
    line = f'    add_header {name} "{value}" always;'
    if len(line) <= WIDTH:
        yield line
        return
    variable = "$" + "".join(word[0] for word in name.lower().split("-"))
    first, *others = wrap(value, WIDTH - 21, break_long_words=False, break_on_hyphens=False)
    yield f'    set {variable} "{first}";'
    yield from (f'    set {variable} "{variable} {words}";' for words in others)
    yield f"    add_header {name} {variable} always;"
