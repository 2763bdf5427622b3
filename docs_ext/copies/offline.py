"""The site as one file to take along: a zip whose pages open from a disk, with the network off.

A browser loads no module from a disk, fetches nothing and makes no worker of a file. So the modules are joined into one
script, and the index of the search, the fonts and the record of a widget stand where no request is needed. The copy
holds the home page, whatever can be reached from it, and the package.
"""

import json
import os
import re
import time
from base64 import b64encode
from collections.abc import Set
from io import BytesIO
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import attention
from docs_ext.html.modules import one_script
from docs_ext.html.template import template
from docs_ext.html.tree import document
from docs_ext.site.address import public
from docs_ext.theme.patches import search_from_disk

FOLDER = "attention-line-by-line"
ZIP = f"{FOLDER}.zip"
MARK = "<!-- offline -->"
MAIN = "assets/js/main.js"
INDEX = "search/search_index.js"
RECORDS = {  # what a widget would fetch: its id, its file
    "head-browser": ("heads-record", "assets/records/heads.json"),
    "next-word": ("little-model-record", "assets/records/little_model.json"),
}

_OFFER = template("""
<span class="offline">Download <a href="{{ zip }}" download>the whole site as one file</a> ({{ megabytes }} MB),
unpack it, and open <code>index.html</code>.</span>
""")
_HERE = template("""
This is the offline copy, version {{ version }}
{%- if address %}, of <a href="{{ address }}">{{ address }}</a>{% endif %}. Only links to other sites need a network.
""")
_LEADS = ("href", "src", "data", "poster")  # attributes that hold an address
# What the copy needs less of than a site, and its one worker. 'self' means files of the disk, in Firefox too (153).
_CLOSED = {
    "default-src": "'none'",
    "worker-src": "blob:",
    "base-uri": "'none'",
    "form-action": "'none'",
}
_FONT = re.compile(r"url\(([^():]+\.woff2)\)")
_MAP = re.compile(r"\n(?://|/\*)# sourceMappingURL=.*")


def offer_copy(site: Path, address: str = "") -> None:
    """Put the zip into a finished site, and a link to it wherever a page asks for one."""
    content = zipped(copy(site, address))
    (site / ZIP).write_bytes(content)
    for path in site.rglob("*.html"):
        page = path.read_text("utf-8")
        if MARK in page:
            root = "../" * (len(path.relative_to(site).parts) - 1)
            path.write_text(page.replace(MARK, _OFFER(zip=root + ZIP, megabytes=f"{len(content) / 1e6:.1f}")), "utf-8")


def copy(site: Path, address: str = "") -> dict[str, str | bytes]:
    """Return the files of the copy by name; `address` is where the site is, unless that is this machine."""
    about = _HERE(version=attention.__version__, address=public(address))
    names = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    files: dict[str, str | bytes] = {INDEX: _index(site, names)}
    missing = {"index.html", *(name for name in names if name.endswith(".whl"))}
    while missing:
        name = missing.pop()
        if name.endswith(".html"):
            files[name], found = _page(site, names, name, about)
            missing |= found & names - set(files)
        else:
            files[name] = _file(site, name)
    return files


def zipped(files: dict[str, str | bytes]) -> bytes:
    """Write files into one folder of a zip, the same bytes for the same files."""
    date = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", 315532800)))[:6]  # 1980: no zip knows an earlier year
    zip_ = BytesIO()
    with ZipFile(zip_, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(files.items()):
            info = ZipInfo(f"{FOLDER}/{name}", date)
            info.create_system, info.external_attr = 3, 0o100644 << 16  # as Unix writes it, wherever it is written
            archive.writestr(info, content, ZIP_DEFLATED)
    return zip_.getvalue()


def _page(site: Path, names: Set[str], name: str, about: str) -> tuple[str, set[str]]:
    """Return a page that opens from a disk, and the names of the files that its addresses lead to."""
    text = (site / name).read_text("utf-8").replace(MARK, about)
    for tag, (ident, record) in RECORDS.items():
        if f"<{tag}" in text:
            held = (site / record).read_text("utf-8").replace("<", "\\u003c")
            text = text.replace("</body>", f'<script type="application/json" id="{ident}">{held}</script></body>')
    page, found = document(text), set[str]()
    for link in page.css('link[rel="preload"], link[rel="alternate "]'):  # no font can be loaded early from a disk
        link.decompose()
    for attribute in _LEADS:
        for element in page.css(f"[{attribute}]"):
            address = to_file(names, name, element.attrs[attribute] or "")
            element.attrs[attribute] = address
            found.add(named(name, address))
    for policy in page.css('meta[http-equiv="Content-Security-Policy"]'):
        policy.attrs["content"] = closed(policy.attrs["content"])
    for script in page.css(f'script[src$="{MAIN}"]'):
        del script.attrs["type"]
        script.attrs["defer"] = ""
    return page.html, found


def to_file(names: Set[str], page: str, address: str) -> str:
    """Write an address so that it leads to a file: a server shows the index of a folder, a disk its list of files."""
    path, mark, anchor = address.partition("#")
    is_folder = path and normpath(join(named(page, path), "index.html")) in names
    return f"{path.rstrip('/')}/index.html{mark}{anchor}" if is_folder else address


def named(page: str, address: str) -> str:
    """Return the name of the file that a page's address leads to; one elsewhere has none that exists.

    >>> named("learn/scaling/index.html", "../order/index.html#why")
    'learn/order/index.html'
    """
    parts = urlsplit(address)
    return address if parts.scheme or parts.netloc else normpath(join(dirname(page), unquote(parts.path)))


def closed(policy: str) -> str:
    """Return the policy of a page, closed further: the copy asks for nothing but its files."""
    directives = {name: sources for name, _, sources in (part.partition(" ") for part in policy.split("; "))}
    return "; ".join(f"{name} {sources}".rstrip() for name, sources in (directives | _CLOSED).items())


def _file(site: Path, name: str) -> str | bytes:
    """Return what is no page, as it has to be on a disk."""
    if name == MAIN:
        js = site / "assets/js"
        return one_script(js, "main.js", *(f"widgets/{path.name}" for path in js.glob("widgets/*.js")))
    content = (site / name).read_bytes()
    if not name.endswith((".css", ".js")):
        return content
    text = _MAP.sub("", content.decode())
    if name.endswith(".css"):
        return _FONT.sub(lambda font: f"url({_data(site / dirname(name) / font[1])})", text)
    return search_from_disk(text) if "/bundle." in name else text


def _data(font: Path) -> str:
    return f"data:font/woff2;base64,{b64encode(font.read_bytes()).decode()}"


def _index(site: Path, names: Set[str]) -> str:
    """Return the script that a page loads when its search is opened: the index, and the source of the worker."""
    index = json.loads((site / "search/search_index.json").read_text("utf-8"))
    for entry in index["docs"]:
        entry["location"] = to_file(names, "", entry["location"] or ".")
    [worker] = (site / "assets/javascripts/workers").glob("search.*.js")
    held = {"__index": index, "__worker": _MAP.sub("", worker.read_text("utf-8"))}
    return "".join(f"var {name} = {json.dumps(value, separators=(',', ':'))};\n" for name, value in held.items())
