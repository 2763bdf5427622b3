"""The recipe for nginx of docs/how-to/host.md: nginx runs the configuration that the built page shows."""

import gzip
import os
import shutil
import socket
import subprocess
import tomllib
import urllib.error
import urllib.request
from pathlib import Path

import html5lib
import pytest

from docs_ext.site.policy import headers
from tests.browser.conftest import BUILT_FOR, PREFIX, free_port
from tests.browser.engines import wait_for

pytestmark = pytest.mark.nightly

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
HTTP = Path(__file__).with_name("nginx.conf").read_text("utf-8")


def shown(site):
    """Return the configuration that the how-to page shows."""
    root = html5lib.parse((site / "how-to/host/index.html").read_text("utf-8"), namespaceHTMLElements=False)
    (block,) = [e for e in root.iter("div") if e.get("aria-label") == "The nginx configuration"]
    return "".join(block.itertext())


def answers(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def nginx(site, tmp_path_factory):
    """Run nginx with the configuration of the page, and return its port."""
    assert NGINX, "there is no nginx on the PATH: apt-get install nginx-light"
    folder = tmp_path_factory.mktemp("nginx")
    port = free_port()
    conf = shown(site)
    for there, here in (("listen 80;", f"listen 127.0.0.1:{port};"), ("/srv/attention/", f"{site}/")):
        assert conf.count(there) == 1, f"{there!r} in {conf}"
        conf = conf.replace(there, here)
    (folder / "site.conf").write_text(conf, "utf-8")
    (folder / "mime.types").symlink_to("/etc/nginx/mime.types")  # where conf.d has it
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(HTTP.replace("USER;", user).replace("FOLDER", str(folder)), "utf-8")
    process = subprocess.Popen([NGINX, "-p", str(folder), "-c", "nginx.conf", "-e", "errors"])
    try:
        wait_for(lambda: process.poll() is not None or answers(port))
        assert process.poll() is None, (folder / "errors").read_text("utf-8")
        yield port
    finally:
        process.terminate()
        process.wait()
    complaints = (folder / "errors").read_text("utf-8").splitlines()
    assert [line for line in complaints if "(2: No such file or directory)" not in line] == []


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


@pytest.fixture
def ask(nginx):
    """Return a function that asks nginx for an address as a browser does: status, headers, body as it came."""
    opener = urllib.request.build_opener(_Stay)

    def ask(path, **more):
        asked = urllib.request.Request(f"http://127.0.0.1:{nginx}{path}", headers={"Accept-Encoding": "gzip"} | more)
        try:
            with opener.open(asked) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.headers, answer.read()

    return ask


FILES = tomllib.loads(Path(__file__).with_name("hosting.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", [*FILES, "learn/no/such/"])
def test_every_answer_has_the_headers_its_type_and_the_bytes_of_its_file(ask, site, name, monkeypatch):
    monkeypatch.setenv("SITE_URL", BUILT_FOR)
    code, sent, body = ask(PREFIX + name)
    wanted = headers()
    assert {name: sent.get_all(name) for name in wanted} == {name: [value] for name, value in wanted.items()}
    assert code == (200 if name in FILES else 404)
    if name in FILES:
        assert sent["Cache-Control"] == "no-cache"
        kind, *small = FILES[name]
        assert kind in sent["Content-Type"]  # nosniff: a wrong one would be believed
        assert small in ([], [bool(sent["Content-Encoding"])])
        plain = gzip.decompress(body) if sent["Content-Encoding"] else body
        assert plain == (site / (name or "index.html")).read_bytes()


def test_what_has_a_digest_is_kept_and_the_rest_is_asked_for_again(ask, site):
    (bundle,) = site.glob("assets/javascripts/bundle.*.min.js")
    _, sent, _ = ask(PREFIX + bundle.relative_to(site).as_posix())
    assert sent["Cache-Control"] == "max-age=31536000, immutable"
    code, sent, body = ask(PREFIX + "learn/masks/", **{"If-None-Match": ask(PREFIX + "learn/masks/")[1]["ETag"]})
    assert (code, body) == (304, b"")


def test_an_address_without_its_slash_leads_to_the_one_with_it(ask):
    for path in (PREFIX.rstrip("/"), f"{PREFIX}learn/masks"):
        code, sent, _ = ask(path)
        assert (code, sent["Location"]) == (301, f"{path}/")
