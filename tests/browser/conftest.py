"""One Chromium for most browser tests, and the built site on a loopback port of its own."""

import gzip
import shutil
import socket
import threading
from contextlib import contextmanager
from functools import cache
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
BUILT_FOR = "https://site.test/attention/"  # as tests/conftest.py builds the site
PREFIX = urlsplit(BUILT_FOR).path
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 800}
ZOOMED = {"width": 320, "height": 256}  # what 400% leave of 1280 x 1024
UNFOLD = "e => { while ((e = e.parentElement?.closest('details'))) e.open = true; }"  # what a widget stands in
PATIENCE = 20_000  # ms: what a busy machine may need; a test that passes does not wait
TEXT = (".html", ".css", ".js", ".json", ".xml", ".svg")


CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Script:
    """The functions of a script beside the tests, as a page evaluates them; each may call its neighbours."""

    def __init__(self, name):
        self.text = (Path(__file__).parent / name).read_text("utf-8").replace("export const", "const")

    def __getattr__(self, name) -> str:
        return f"(...given) => {{\n{self.text}\nreturn {name}(...given);\n}}"


FIRST = Script("first.js")
AT_ONCE, WATCH_POLICY = f"({FIRST.atOnce})();", f"({FIRST.watchPolicy})();"


class Handler(SimpleHTTPRequestHandler):
    """Serve the site under the path it was built for, compressed as a real host would do it."""

    protocol_version = "HTTP/1.1"
    site: Path
    origin: str
    served: list[tuple[str, int]]  # path, bytes on the wire
    missing: set[str]

    def do_GET(self):
        path = urlsplit(self.path).path
        file = self.site / path.removeprefix(PREFIX)
        if file.is_dir():
            file /= "index.html"
        if not path.startswith(PREFIX) or not file.is_file():
            self.missing.add(path)
            self.send_error(404)
            return
        self.send_response(200)
        if file.suffix in TEXT:
            self.send_header("Content-Encoding", "gzip")
        body = self.body(file)
        self.send_header("Content-Type", self.guess_type(str(file)))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.served.append((path, len(body)))

    @staticmethod
    @cache
    def body(file):
        """Return what goes over the wire."""
        body = file.read_bytes()
        return gzip.compress(body, mtime=0) if file.suffix in TEXT else body

    def log_message(self, *_):
        """Keep silent."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Keep silent about a browser that leaves while it is being served."""


@pytest.fixture(scope="session")
def handler(site):
    with serving(site, Handler) as handler:
        yield handler


@contextmanager
def serving(site, kind):
    """Serve the built site by handlers of a kind."""
    handler: Any = type("SiteHandler", (kind,), {"site": site, "served": [], "missing": set()})
    with Server(("127.0.0.1", 0), handler) as httpd:
        handler.origin = f"http://127.0.0.1:{httpd.server_port}{PREFIX}"
        thread = threading.Thread(target=httpd.serve_forever, daemon=True)
        thread.start()
        yield handler
        httpd.shutdown()
        thread.join()


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture(scope="session")
def server(handler):
    """Serve the built site; the value is the address of its first page."""
    return handler.origin


@pytest.fixture(scope="session")
def page_names(site):
    """Return the addresses of all pages, relative to the first."""
    files = (path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    names = {name.removesuffix("index.html") for name in files if name != "404.html"}
    return sorted(names)


@pytest.fixture(scope="session")
def browser():
    """Start Chromium once."""
    if not CHROMIUM:
        pytest.exit("there is no chromium on the PATH, which tests/browser needs: apt-get install chromium", 1)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser, server):
    """Return a function that opens a page in a context of its own and waits until it has settled."""
    contexts = []

    def open_page(name="", *, at_once=True, **options):
        context = browser.new_context(**{"viewport": DESKTOP, "reduced_motion": "reduce"} | options)
        contexts.append(context)
        if at_once:
            context.add_init_script(AT_ONCE)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(server + name, wait_until="load")
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def tab(browser):
    """Return the one tab of most tests: to load a page in it takes half the time of a new tab."""
    context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
    context.add_init_script(AT_ONCE)
    tab = context.new_page()
    tab.set_default_timeout(PATIENCE)
    yield tab
    context.close()


@pytest.fixture(scope="session")
def plain(browser):
    """Return a tab without scripts."""
    context = browser.new_context(viewport=DESKTOP, java_script_enabled=False)
    plain = context.new_page()
    plain.set_default_timeout(PATIENCE)
    yield plain
    context.close()


@pytest.fixture(scope="module")
def page(tab, server, request):
    """Open the PAGE of a test module once, for all its tests; each leaves it as it was, or begins with a reset."""
    return load(tab, server + request.module.PAGE)


def load(tab, address):
    """Load a page anew, as if for the first time; from an address that differs in the fragment alone none would."""
    tab.goto("about:blank")
    tab.goto(address)
    return tab


def reported(page):
    """Return the list that fills with the errors which a page reports."""
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: message.type == "error" and errors.append(message.text))
    return errors


def follow(page, go):
    """Leave the page by `go`, a link or a function, and wait until the next one is loaded."""
    with page.expect_navigation(wait_until="load"):
        go.click() if hasattr(go, "click") else go()
