"""The zip to take along, without a browser: what is in it, and where its links lead."""

import json
import re
from html.parser import HTMLParser
from posixpath import dirname, join, normpath
from urllib.parse import unquote
from zipfile import ZipFile

import pytest

from docs_ext.copies.offline import FOLDER, MARK, ZIP, closed, copy, to_file
from tests.site.built import target
from tests.site.pages import ROOT
from tests.tables import each_row

LEFT_OUT = {"404.html", "sitemap.xml", "sitemap.xml.gz", "objects.inv", ZIP}


class Links(HTMLParser):
    """The addresses and the anchors of a page."""

    def __init__(self, page):
        super().__init__()
        self.addresses, self.ids = [], set()
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.addresses += [value for name, value in attrs if name in ("href", "src", "srcset", "poster", "data")]
        self.ids |= {value for name, value in attrs if name in ("id", "name")}


@pytest.fixture(scope="module")
def files(site):
    """Return what the zip holds, by name within its one folder."""
    with ZipFile(site / ZIP) as archive:
        assert not archive.testzip()
        return {name.removeprefix(f"{FOLDER}/"): archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def pages(files):
    return {name: Links(content.decode()) for name, content in files.items() if name.endswith(".html")}


@pytest.fixture
def little(tmp_path):
    """Make a site of one page, whose links lead out of it in every way."""
    (tmp_path / "secret.txt").write_text("none of the site's", "utf-8")
    site = tmp_path / "site"
    for name, text in {
        "index.html": f'{MARK} <a class="a > b" href="there.txt"></a> '
        ' <a href="../secret.txt"></a>'
        f' <a href="{tmp_path}/secret.txt"></a> <a href="{(tmp_path / "secret.txt").as_uri()}"></a>'
        ' <code>&lt;a href="beside.txt"></code>',
        "there.txt": "",
        "beside.txt": "",
        "search/search_index.json": '{"docs": []}',
        "assets/javascripts/workers/search.1.js": "",
    }.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, "utf-8")
    return site


def test_every_page_and_script_of_the_site_is_there_and_nothing_that_only_a_server_needs(site, files):
    built = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.suffix in (".html", ".py")}
    assert built - LEFT_OUT <= set(files)
    assert not LEFT_OUT & set(files)
    assert not [name for name, content in files.items() if b"sourceMappingURL" in content]
    assert not [name for name in files if re.search(r"\.map$|/lunr/|/js/(lib|widgets)/|robots|/workers/", name)]


def test_every_address_leads_to_a_file_and_an_anchor_in_the_zip(files, pages):
    index = json.loads(files["search/search_index.js"].decode().partition("var __index = ")[2].partition(";\n")[0])
    links = [(page, address) for page, found in pages.items() for address in found.addresses]
    links += [("index.html", entry["location"]) for entry in index["docs"]]
    links += [
        (name, address)
        for name, content in files.items()
        if name.endswith(".css")
        for address in re.findall(r"url\(([^)]*)\)", content.decode())
    ]
    broken = []
    for page, address in links:
        if re.match(r"[\"']?[a-z]+:", address):
            continue
        path, _, anchor = address.partition("#")
        name = normpath(join(dirname(page), unquote(path))) if path else page
        if name not in files or (anchor and name in pages and target(unquote(anchor)) not in pages[name].ids):
            broken.append(f"{page}: {address}")
    assert len(links) > 10_000
    assert not broken, "\n".join(link[:200] for link in broken)


def test_a_page_asks_for_nothing_that_no_disk_can_give(files, pages):
    for name in pages:
        page = files[name].decode()
        assert 'type="module"' not in page, name
        assert 'rel="preload"' not in page, name
        assert "default-src 'none'" in page, name
        assert "worker-src blob:" in page, name
        assert MARK not in page, name


def test_every_widget_and_the_record_are_there(files):
    script = files["assets/js/main.js"].decode()
    for path in (ROOT / "docs/assets/js/widgets").glob("*.js"):
        assert f'"widgets/{path.name}": () => {{' in script, path.stem
    for page, ident, name in (
        ("real-model", "heads-record", "heads"),
        ("from-text-to-next-word", "little-model-record", "little_model"),
    ):
        text = files[f"learn/{page}/index.html"].decode()
        record = re.search(rf'<script type="application/json" id="{ident}">(.*?)</script>', text, re.DOTALL)
        assert json.loads(record[1]) == json.loads((ROOT / f"docs/assets/records/{name}.json").read_text("utf-8"))


def test_nothing_from_outside_the_site_gets_in(little):
    assert set(copy(little)) == {"index.html", "search/search_index.js", "there.txt"}


@each_row("address, page", "offline.toml")
def test_an_address_of_a_folder_names_its_page(address, page):
    names = {f"{folder}index.html" for folder in ("", "learn/", "learn/order/", "learn/scaling/", "learn/a b/")}
    assert to_file(names, "learn/scaling/index.html", address) == page


def test_the_policy_of_the_copy_is_no_wider_than_that_of_the_site():
    policy = "default-src 'self'; script-src 'self' 'sha256-a='; base-uri 'self'; form-action 'self'; sandbox"
    assert closed(policy).count("sandbox") == 1
    narrow = dict(part.split(" ", 1) for part in closed(policy).replace(" sandbox;", "").split("; "))
    assert narrow["script-src"] == "'self' 'sha256-a='"
    assert narrow.pop("worker-src") == "blob:"
    assert {name for name, sources in narrow.items() if sources == "'none'"} == {
        "default-src",
        "base-uri",
        "form-action",
    }
