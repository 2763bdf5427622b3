"""Three browsers behind one pair of words, `open` and `evaluate`: Chromium, Firefox by BiDi, WebKit by WebDriver."""

import json
import os
import shutil
import time
from contextlib import suppress
from subprocess import DEVNULL, PIPE, Popen
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest
from websocket import create_connection

from tests.browser.conftest import DESKTOP, free_port, reported

PATIENCE = 120  # s

# Firefox: no animations, as for readers who prefer reduced motion, and scrollbars as on a phone, which take no room.
SETTINGS = """
user_pref("ui.prefersReducedMotion", 1);
user_pref("ui.useOverlayScrollbars", 1);
"""
# WebKit: no animations, no graphics card, and no sandbox, for which a container has no namespaces; the pages are ours.
QUIET = "[Settings]\ngtk-enable-animations=0\n"
PLAIN = {
    "GDK_BACKEND": "x11",
    "LIBGL_ALWAYS_SOFTWARE": "1",
    "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
    "WEBKIT_DISABLE_DMABUF_RENDERER": "1",
    "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
}
# A window cannot be as narrow as a phone there, but a frame can.
FRAME = """() => new Promise(loaded => {{
  const frame = Object.assign(document.createElement("iframe"), {{src: "{address}", onload: loaded}});
  frame.style.cssText = "border: 0; width: {width}px; height: {height}px";
  document.body.append(frame);
}}).then(() => null)"""


def program(package, *names):
    """Return the path of a program that must be there."""
    found = next(filter(None, map(shutil.which, names)), None)
    if not found:
        pytest.fail(f"there is no {names[0]} on the PATH, which tests/browser needs: apt-get install {package}", False)
    return found


def wait_for(ask):
    """Ask until there is an answer."""
    for _ in range(10 * PATIENCE):
        answer = ask()
        if answer:
            return answer
        time.sleep(0.1)
    raise TimeoutError(ask)


class Chromium:
    def __init__(self, browser):
        self.context = browser.new_context(reduced_motion="reduce")
        self.page = self.context.new_page()
        self.messages = reported(self.page)

    def open(self, address, size=DESKTOP):
        self.messages.clear()
        self.page.set_viewport_size(size)
        self.page.goto(address)

    def evaluate(self, function):
        return self.page.evaluate(function)

    def close(self):
        self.context.close()


class Firefox:
    """It needs no driver: what it says and is told goes through one socket."""

    def __init__(self, folder):
        (folder / "user.js").write_text(SETTINGS)
        command = [program("firefox-esr", "firefox-esr", "firefox"), "--headless", "--remote-debugging-port", "0"]
        env = os.environ | {"HOME": str(folder)}
        self.process = Popen([*command, "--profile", folder], env=env, stdout=DEVNULL, stderr=DEVNULL)
        listens = folder / "WebDriverBiDiServer.json"
        port = json.loads(wait_for(lambda: listens.exists() and listens.read_text()))["ws_port"]
        address = f"ws://127.0.0.1:{port}/session"
        self.socket = create_connection(address, timeout=PATIENCE, suppress_origin=True)
        self.asked, self.messages = 0, []
        self.ask("session.new", capabilities={})
        self.context = self.ask("browsingContext.getTree")["contexts"][0]["context"]
        self.ask("session.subscribe", events=["log.entryAdded"])

    def ask(self, method, **params):
        """Send a command, and hear what the page says until the answer comes."""
        self.asked += 1
        self.socket.send(json.dumps({"id": self.asked, "method": method, "params": params}))
        while True:
            heard = json.loads(self.socket.recv())
            if heard.get("method") == "log.entryAdded" and heard["params"]["level"] == "error":
                self.messages.append(heard["params"]["text"])
            if heard.get("id") == self.asked:
                assert heard["type"] == "success", heard
                return heard["result"]

    def open(self, address, size=DESKTOP):
        self.ask("browsingContext.navigate", context=self.context, url="about:blank", wait="complete")
        self.messages.clear()
        self.ask("browsingContext.setViewport", context=self.context, viewport=size)
        self.ask("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def evaluate(self, function):
        target = {"context": self.context}
        code = f"async () => JSON.stringify(await ({function})()) ?? null"
        answer = self.ask("script.callFunction", functionDeclaration=code, awaitPromise=True, target=target)
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        return json.loads(answer["result"].get("value", "null"))

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()


class WebKit:
    """WebKitGTK's own browser, on a screen that nobody sees. It tells nothing of its console: the page must."""

    def __init__(self, folder):
        driver = program("webkit2gtk-driver", "WebKitWebDriver")
        screen = [program("xvfb", "Xvfb"), "-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"]
        self.screen = Popen(screen, stdout=PIPE, stderr=DEVNULL, text=True)
        (folder / "gtk-3.0").mkdir()
        (folder / "gtk-3.0/settings.ini").write_text(QUIET)
        display, port = f":{self.screen.stdout.readline().strip()}", free_port()
        own = PLAIN | {"DISPLAY": display, "HOME": folder, "XDG_CONFIG_HOME": folder}
        self.process = Popen([driver, f"--port={port}"], env=os.environ | own, stdout=DEVNULL, stderr=DEVNULL)
        self.address, self.messages = f"http://127.0.0.1:{port}/", []
        wait_for(self.is_ready)
        self.address += f"session/{self.ask('session', capabilities={})['sessionId']}/"
        self.ask("timeouts", script=1000 * PATIENCE)
        self.ask("window/rect", width=DESKTOP["width"], height=DESKTOP["height"])

    def is_ready(self):
        try:
            with urlopen(self.address + "status") as answer:
                return answer.status == 200
        except URLError:
            return False

    def ask(self, command, **params):
        request = Request(self.address + command, json.dumps(params).encode())
        try:
            with urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except HTTPError as error:
            with error:
                raise AssertionError(f"{command}: {error.read().decode()}") from None

    def open(self, address, size=DESKTOP):
        if size == DESKTOP:
            self.ask("url", url=address)
            return
        self.ask("url", url="about:blank")
        self.evaluate(FRAME.format(address=address, **size))
        self.ask("frame", id=0)

    def evaluate(self, function):
        code = f"""const done = arguments[0];
          (async () => ({function})())().then(value => done([value]), error => done(`${{error}} ${{error.stack}}`));"""
        answer = self.ask("execute/async", script=code, args=[])
        assert isinstance(answer, list), answer
        return answer[0]

    def close(self):
        with suppress(OSError):  # it may be gone
            urlopen(Request(self.address.rstrip("/"), method="DELETE")).close()
        for process in (self.process, self.screen):
            process.terminate()
            process.communicate()
