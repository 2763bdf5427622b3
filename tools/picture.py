"""Take the picture of the home page that README.md shows: `make picture`, which needs chromium.

The picture holds a digest of what the first screen said when it was taken, so a test can ask whether it is of today's.
"""

import hashlib
import re
import shutil
import struct
import sys
import threading
import zlib
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / ".github/home.png"
SIZE = {"width": 1280, "height": 890}
_KEY = b"first screen"


def first_screen(site: Path) -> str:
    """Return a digest of the words in the menu and above the first heading of the home page; minutes may differ."""
    page = (site / "index.html").read_text("utf-8")
    tabs = re.search(r'<nav class="md-tabs".*?</nav>', page, re.DOTALL)
    head = re.search(r"<article.*?(?=<h2)", page, re.DOTALL)
    if not (tabs and head):
        sys.exit("picture: the home page has no menu, or no heading below its figure")
    words = re.sub(r"<[^>]*>|\d+|\s+", " ", tabs[0] + head[0])
    return hashlib.sha256(" ".join(words.split()).encode()).hexdigest()


def with_note(png: bytes, note: str) -> bytes:
    """Write a note into a picture, before its end."""
    end = png.rindex(b"IEND") - 4
    chunk = b"tEXt" + _KEY + b"\0" + note.encode("latin-1")
    return png[:end] + struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) + png[end:]


def note_of(png: bytes) -> str | None:
    """Read it back."""
    found = re.search(b"tEXt" + _KEY + b"\0([0-9a-f]{64})", png)
    return found[1].decode("latin-1") if found else None


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    """Open the built site in a browser and keep what it shows."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        sys.exit("make picture needs chromium")
    site = ROOT / "site"
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport=SIZE, reduced_motion="reduce")  # type: ignore[arg-type]
            page.goto(f"http://127.0.0.1:{server.server_port}/#~home.scene=4", wait_until="networkidle")
            page.evaluate("scrollTo(0, 0)")
            png = page.screenshot()
            browser.close()
        server.shutdown()
    PICTURE.write_bytes(with_note(png, first_screen(site)))


if __name__ == "__main__":
    main()
