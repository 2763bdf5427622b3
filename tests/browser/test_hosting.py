"""The recipe for nginx of docs/how-to/host.md: the site behind it works as behind the tests' own server.

The site was built for https://site.test/attention/ and stays as it is: Chromium sees it at another host, under the same
path and port. nginx runs the configuration that the built page shows.
"""

import gzip
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import html5lib
import pytest

from docs_ext.site.policy import headers
from tests.browser.conftest import (
    BUILT_FOR,
    CHROMIUM,
    DESKTOP,
    FLAGS,
    PATIENCE,
    PREFIX,
    WATCH_POLICY,
    free_port,
    reported,
)
from tests.browser.operate import operate

pytestmark = pytest.mark.nightly

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
HTTP = """
daemon off;
{user}
pid {folder}/pid;
error_log {folder}/errors;
worker_processes 1;
events {{}}
http {{
    include /etc/nginx/mime.types;
    default_type application/octet-stream;  # as in the nginx.conf of distributions
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


def shown(site):
    """Return the configuration that the how-to page shows."""
    root = html5lib.parse((site / "how-to/host/index.html").read_text("utf-8"), namespaceHTMLElements=False)
    (block,) = [e for e in root.iter("div") if e.get("aria-label") == "A configuration of nginx"]
    return "".join(block.itertext())


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
    (folder / "nginx.conf").write_text(HTTP.format(folder=folder, user=user), "utf-8")
    process = subprocess.Popen([NGINX, "-p", str(folder), "-c", "nginx.conf", "-e", "errors"])
    try:
        wait_for(port, process, folder)
        yield port
    finally:
        process.terminate()
        process.wait()
    complaints = (folder / "errors").read_text("utf-8").splitlines()
    assert [line for line in complaints if "(2: No such file or directory)" not in line] == []


def wait_for(port, process, folder):
    for _ in range(100):
        if process.poll() is not None:
            pytest.fail(f"nginx does not start:\n{(folder / 'errors').read_text('utf-8')}", pytrace=False)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("nginx does not answer", pytrace=False)


@pytest.fixture(scope="module")
def host(nginx, browser):
    """Return the address of the first page at the host, and a Chromium that finds it there."""
    rule = f"--host-resolver-rules=MAP nginx.localhost:80 127.0.0.1:{nginx}"
    chromium = browser.browser_type.launch(executable_path=CHROMIUM, args=[*FLAGS, rule])
    yield f"http://nginx.localhost{PREFIX}", chromium
    chromium.close()


@pytest.fixture
def visit(host):
    """Open a page at the host; in the end nothing was blocked, reported, or asked of another host."""
    address, chromium = host
    context = chromium.new_context(viewport=DESKTOP, reduced_motion="reduce")
    context.add_init_script(WATCH_POLICY)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    errors, asked, answers = reported(page), [], {}
    page.on("request", lambda request: asked.append(request.url))
    page.on("response", lambda response: answers.update({response.url: response.status}))

    def visit(name="", status=200):
        assert page.goto(address + name).status == status
        return page

    yield visit
    assert page.evaluate("blocked") == []
    unknown = [url for url, status in answers.items() if status == 404]
    assert len(unknown) == sum("404" in error for error in errors)
    assert all("no/such" in url for url in unknown), unknown
    assert [error for error in errors if "404" not in error] == []
    assert [
        url for url in asked if not url.startswith((address, "data:", f"blob:http://{urlsplit(address).netloc}"))
    ] == []
    context.close()


def test_every_control_works(visit):
    assert operate(visit("learn/masks/")).total() > 5


def test_an_unknown_address_leads_home(host, visit):
    page = visit("learn/no/such/page/", status=404)
    assert page.locator(".md-content h1").inner_text() == "404 - Not found"
    assert page.locator(".md-header").evaluate("bar => getComputedStyle(bar).position") == "sticky"
    page.locator(".md-content a", has_text="the first page").click()
    page.wait_for_url(host[0])
    page.locator(".md-content h1", has_text="Every word asks").wait_for()


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


@pytest.mark.parametrize(("name", "status"), [("", 200), ("assets/js/main.js", 200), ("learn/no/such/", 404)])
def test_every_answer_of_nginx_has_the_headers(ask, name, status, monkeypatch):
    monkeypatch.setenv("SITE_URL", BUILT_FOR)
    code, sent, _ = ask(PREFIX + name)
    assert code == status
    wanted = headers()
    assert {name: sent.get_all(name) for name in wanted} == {name: [value] for name, value in wanted.items()}


def test_nginx_compresses_text(ask, site):
    for name in (
        "",
        "assets/css/all.css",
        "assets/js/main.js",
        "search/search_index.json",
        "sitemap.xml",
        "index.ipynb",
    ):
        _, sent, body = ask(PREFIX + name)
        assert (sent["Content-Encoding"], sent["Vary"]) == ("gzip", "Accept-Encoding"), name
        assert gzip.decompress(body) == (site / (name or "index.html")).read_bytes()


def test_nginx_says_how_long_a_file_may_be_kept(ask, site):
    (bundle,) = site.glob("assets/javascripts/bundle.*.min.js")
    for name, keep in {
        bundle.relative_to(site).as_posix(): "max-age=31536000, immutable",
        "assets/js/main.js": "no-cache",
        "learn/masks/": "no-cache",
        "assets/card.png": "no-cache",
    }.items():
        _, sent, _ = ask(PREFIX + name)
        assert sent["Cache-Control"] == keep, name
    code, sent, body = ask(PREFIX + "learn/masks/", **{"If-None-Match": ask(PREFIX + "learn/masks/")[1]["ETag"]})
    assert (code, body) == (304, b"")


TYPES = {
    "": "text/html; charset=utf-8",
    "assets/js/main.js": "javascript",
    "assets/favicon.svg": "image/svg+xml",
    "assets/katex/fonts/KaTeX_Size4-Regular.woff2": "font/woff2",
    "robots.txt": "text/plain; charset=utf-8",
    "index.html.md": "text/plain; charset=utf-8",
    "index.ipynb": "application/x-ipynb+json",
    "reference/sources.bib": "application/x-bibtex",
    "objects.inv": "application/octet-stream",
    "sitemap.xml.gz": "application/octet-stream",
    "attention_line_by_line-0.1.0-py3-none-any.whl": "application/octet-stream",
}


def test_nginx_names_the_type_of_a_file(ask):
    for name, kind in TYPES.items():
        _, sent, _ = ask(PREFIX + name)
        assert kind in sent["Content-Type"], name  # nosniff: a wrong one would be believed
        assert "octet" not in kind or not sent["Content-Encoding"], f"{name} is compressed already"


def test_an_address_without_its_slash_leads_to_the_one_with_it(ask):
    for path in (PREFIX.rstrip("/"), f"{PREFIX}learn/masks"):
        code, sent, _ = ask(path)
        assert (code, sent["Location"]) == (301, f"{path}/")
