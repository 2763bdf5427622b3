"""The live server shows what the sources say: pages, styles, errors, and what changed code computes."""

import html
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPException
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.request import urlopen

import pytest

from docs_ext.serve import live as live_server
from tests.site.pages import ROOT

PROJECT = Path(__file__).with_name("project")
PATIENCE = 60  # seconds; a change shows after one or two, but the machine may have more to do


class Live:
    """A copy of the project that is being served."""

    def __init__(self, folder):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", f"127.0.0.1:{self.port}"]
        self.log = folder / "log.txt"
        env = os.environ | {"PYTHONPATH": str(folder)}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=subprocess.STDOUT)

    def read(self, address):
        try:
            return urlopen(f"http://127.0.0.1:{self.port}/{address}", timeout=PATIENCE).read().decode()
        except (OSError, HTTPException):  # it is starting again
            return ""

    def edit(self, name, old, new):
        path = self.folder / name
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")

    def says(self, words):
        """Wait until the terminal shows the words."""
        end = time.monotonic() + PATIENCE
        while words not in (text := self.log.read_text()):
            assert time.monotonic() < end, text
            time.sleep(0.1)

    def shows(self, address, pattern):
        """Wait until the page shows what it should."""
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, text := self.read(address), re.DOTALL):
            assert time.monotonic() < end, f"{address} does not show {pattern}:\n{text}\n{self.log.read_text()}"
            time.sleep(0.1)


@pytest.fixture
def folder(tmp_path):
    for name in ("attention", "docs_ext"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "docs/assets/js", tmp_path / "docs/assets/js")
    (tmp_path / "docs/reference").mkdir()
    for page in PROJECT.glob("*.markdown"):
        shutil.copy(page, tmp_path / "docs" / f"{page.stem}.md")
    (tmp_path / "docs/reference/glossary.md").write_text("# Glossary\n", "utf-8")
    (tmp_path / "docs/assets/site.css").write_text("a { color: red }", "utf-8")
    shutil.copy(PROJECT / "mkdocs.yml", tmp_path)
    return tmp_path


@pytest.fixture
def live(folder):
    live = Live(folder)
    yield live
    live.process.terminate()
    live.process.wait(10)


@pytest.mark.nightly
def test_every_edit_is_shown(live):
    live.shows("second/", "Words.*<td>0.5</td>")
    live.edit("docs/second.md", "Words", "Other words")
    live.shows("second/", "Other words")
    live.shows("search/search_index.json", "Other words")
    live.edit("docs/assets/site.css", "red", "blue")
    live.shows("assets/site.css", "blue")

    live.edit("docs/second.md", "caption", "captoin")
    live.shows("second/", "cannot be built.*second.md:14: .*did you mean &#x27;caption&#x27;")
    live.edit("docs/second.md", "captoin", "caption")
    live.shows("second/", "Other words.*<td>0.5</td>")

    page = live.folder / "docs/second.md"
    sound = page.read_bytes()
    for broken, words in (
        (b"\xff\n" + sound, "second.md:1: the byte 0xff is no UTF-8"),
        (b"---\na: b: c\n---\n\n" + sound, "second.md:2: YAML: "),
        (sound + b"\n```pycon\n>>> x = (1,\n\n```\n", "this line of a console is no Python: "),
        (sound + b"\n```text\nhalf a fence\n", "the fence ```text has no end"),
    ):
        page.write_bytes(broken)
        live.shows("second/", f"cannot be built.*{words}")
        page.write_bytes(sound)
        live.shows("second/", "Other words.*<td>0.5</td>")

    for name, old, new in (("index.md", "# First", "# First\n\nMore."), ("second.md", "caption", "captoin")):
        live.edit(f"docs/{name}", old, new)  # both at once: what one lacks must not cost the other
    live.shows("second/", "cannot be built")
    live.edit("docs/second.md", "captoin", "caption")
    live.shows("", "More.")

    for script in ("widgets/softmax-lab.js", "lib/frame.js"):
        live.edit(f"docs/assets/js/{script}", "// ", "(; // ")
        words = f"index.md:9: softmax-lab: docs/assets/js/{script}:1: SyntaxError: Unexpected token ';'"
        live.shows("", f"cannot be built.*{re.escape(html.escape(words))}")
        live.says(words)
        live.edit(f"docs/assets/js/{script}", "(; // ", "// ")
        live.shows("", "First.*class=.widget")

    live.edit("docs/second.md", "x = y", "x = z")  # the first page lists the formulas of all
    live.shows("", "x = z")

    live.edit("docs/second.md", "# Second", "# Renamed")  # the navigation of all pages shows it
    live.shows("", "Renamed")

    live.edit("attention/numerics.py", "np.exp(scores - ", "np.exp(scores + [np.log(3), 0] - ")
    live.shows("second/", "Other words.*<td>0.75</td>")
    assert "Traceback" not in live.log.read_text()


@pytest.mark.nightly
def test_a_page_is_shown_as_it_is_written(folder, request):
    page = folder / "docs/second.md"
    sound = page.read_text("utf-8")
    page.write_text(sound.replace("caption", "captoin"), "utf-8")
    live = Live(folder)
    request.addfinalizer(live.process.terminate)
    live.shows("second/", "cannot be built.*second.md:14: .*did you mean &#x27;caption&#x27;")  # in the first build too
    page.write_text(sound, "utf-8")
    live.shows("second/", "<td>0.5</td>")
    live.edit("attention/numerics.py", "def softmax(", "def softmax((")
    live.says("attention/numerics.py:")
    live.edit("mkdocs.yml", "nav:", "nav: [")
    live.says("mkdocs.yml:3: expected")
    assert "starting again" not in live.log.read_text()
    live.process.send_signal(signal.SIGTERM)  # ends it as Ctrl-C does
    assert live.process.wait(10) == 0
    assert "Traceback" not in live.log.read_text()


def test_half_a_line_of_python_or_yaml_starts_nothing_again(tmp_path, monkeypatch):
    monkeypatch.setattr(live_server, "ROOT", tmp_path)
    for name, half, whole in (("a.py", "x = (1,\n", "x = 1\n"), ("mkdocs.yml", "a: [\n", "a: []\n")):
        for text, sound in ((half, False), (whole, True)):
            (tmp_path / name).write_text(text, "utf-8")
            assert live_server._is_sound(tmp_path / name) is sound


@pytest.mark.parametrize("name", ["a.md", "b/sources.bib", "c/two.svg", "d/softmax-lab.js"])
def test_a_page_is_built_again_if_what_it_shows_is_edited(name):
    page = SimpleNamespace(src_uri="a.md", content_bytes=b"sources.bib two.svg\n```softmax-lab\n")
    build: Any = SimpleNamespace(docs=ROOT, files=SimpleNamespace(documentation_pages=lambda: [page]))
    assert live_server.LastBuild._pages_to_build(build, {ROOT / name}) == [page]


def test_an_edit_of_the_glossary_concerns_all_pages(monkeypatch):
    build: Any = SimpleNamespace(shared=None, unbuilt=set(), files=SimpleNamespace(documentation_pages=list))
    before = live_server.LastBuild._shared(build)
    monkeypatch.setattr("docs_ext.extensions.glossary.entries", list)
    assert live_server.LastBuild._shared(build) != before
