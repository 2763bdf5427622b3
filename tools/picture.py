"""Take the picture of the home page that README.md shows: `make picture`, which needs chromium."""

import shutil
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / ".github/home.png"
SIZE = {"width": 1280, "height": 780}


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
            page.goto(f"http://127.0.0.1:{server.server_port}/", wait_until="networkidle")
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(path=PICTURE)
            browser.close()
        server.shutdown()


if __name__ == "__main__":
    main()
