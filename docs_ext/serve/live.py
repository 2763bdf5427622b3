"""`mkdocs serve` that tells the truth, and quickly.

Python and data are read once in a process: when one of them changes, the process starts again, so that no page shows
new source beside numbers of the old code. A change of a page builds that page anew, with what it shares with the others
kept from the last whole build; whatever may show on other pages too (a title, a formula, the glossary, a new file)
builds all of them. A page that cannot be built says why, in its own place.
"""

import ast
import gc
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from html import escape
from pathlib import Path
from subprocess import Popen
from typing import Any

from jinja2 import Environment
from mkdocs.commands import build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import BuildError
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from yaml import MarkedYAMLError, compose

from docs_ext.errors import SpecError
from docs_ext.html import renderer
from docs_ext.reading import crosslinks
from docs_ext.reading.converter import refuse_unreadable

log = logging.getLogger("mkdocs.live")

ROOT = Path(__file__).parents[2]
READ_ONCE = [
    ROOT / n for n in ("attention", "docs_ext", "benchmarks/results.json", "tests/package/parity", "mkdocs.yml")
]
FOR_ALL = ("reference/glossary.md", "assets/js/lib/")  # hover text of other pages, and what draws their widgets
SERVES, START_AGAIN = "ATTENTION_SERVES", 75


def in_own_process() -> None:
    """Run this command in another process, and again: if it asks for that, or after an edit if it could not start."""
    if SERVES in os.environ:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # to end as after Ctrl-C
        return
    while True:
        before = _times(ROOT / "docs", *READ_ONCE)
        env = os.environ | {SERVES: "1", "PYTHONDONTWRITEBYTECODE": "1"}  # what it would write beside them is no edit
        process = Popen([sys.executable, "-m", "mkdocs", *sys.argv[1:]], env=env)
        signal.signal(signal.SIGTERM, partial(_end, process))
        try:
            status = process.wait()
            while status == 1 and _times(ROOT / "docs", *READ_ONCE) == before:
                time.sleep(0.3)
        except KeyboardInterrupt:  # which the other process receives as well
            process.wait()
            sys.exit(0)
        if status not in (1, START_AGAIN):
            sys.exit(status and 1)


def _end(process: Popen[bytes], *_signal: Any) -> None:
    process.terminate()
    raise KeyboardInterrupt


def _times(*places: Path) -> dict[Path, int]:
    """Note when each source was changed; not what an editor keeps beside them."""
    found = dict[Path, int]()
    for path in (path for place in places for path in (place, *place.rglob("*"))):
        with suppress(FileNotFoundError):
            if path.is_file() and path.name[0] != "." and path.name[-1] != "~" and path.suffix != ".pyc":
                found[path] = path.stat().st_mtime_ns
    return found


def refuse_taken_port(host: str, port: int) -> None:
    """Say before anything is built that something else answers there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            log.error(
                f"Port {port} is taken ({error.strerror}). Stop what runs there, or choose another one: "
                f"make serve PORT={port + 1}, or mkdocs serve --dev-addr {host}:{port + 1}"
            )
            sys.exit(2)


class LastBuild:
    """The last whole build, from which a single page is built again."""

    config: MkDocsConfig
    files: Files
    nav: Navigation
    env: Environment

    def __init__(self) -> None:
        self.is_served = False
        self.is_whole = False  # else the next build must be
        self.seen: dict[Path, int] = {}  # the times of the sources
        self.titles: dict[File, str] = {}  # as the navigation of every page shows them
        self.told: list[crosslinks.Page] = []  # formulas and functions, which other pages list
        self.unbuilt: set[File] = set()  # pages that could not be built: they are tried again, whatever changes

    def show_errors(self) -> None:
        """Let a page that cannot be built say why, in a build of all pages too."""
        populate = build._populate_page

        def populate_or_tell(page: Any, config: MkDocsConfig, files: Files, dirty: bool = False) -> None:
            try:
                refuse_unreadable(page.file)
                populate(page, config, files, dirty)
            except Exception as error:
                self.unbuilt.add(page.file)
                page.markdown = page.markdown or ""
                page.content, page.toc = _told(error), ()
            else:
                self.unbuilt.discard(page.file)

        build._populate_page = populate_or_tell

    def serve(self, server: LiveReloadServer, whole: Callable[[], None]) -> None:
        """Let the server call `self.build`, and the whole build only where it must."""
        self._build_all = whole
        server.builder = self.build
        for path in READ_ONCE:
            if path.exists():
                server.watch(str(path))
        self.docs = Path(self.config.docs_dir)
        self.is_served, self.seen = True, _times(self.docs, *READ_ONCE)
        self._remember()
        gc.freeze()
        gc.enable()

    def build(self) -> None:
        """Build what has changed since the last time."""
        try:
            self._build_changed()
        except Exception as error:  # that is of no page: the one that is shown for those that are gone says it
            self.is_whole = False
            (Path(self.config.site_dir) / "404.html").write_text(_told(error), "utf-8")

    def _build_changed(self) -> None:
        now, before = _times(self.docs, *READ_ONCE), self.seen
        self.seen = now
        changed = {path for path in now.keys() | before.keys() if now.get(path) != before.get(path)}
        _start_again({path for path in changed if self.docs not in path.parents})
        changed = {path for path in changed if self.docs in path.parents}
        if any(path.suffix == ".js" for path in changed):
            renderer.load.cache_clear()
        pages = [*dict.fromkeys([*self.unbuilt, *self._pages_to_build(changed)])]
        for file in pages:
            build._populate_page(_page(file), self.config, self.files)
        if now.keys() == before.keys() and self._is_whole_without(pages, changed):
            self._build(pages, changed)
        else:
            self.is_whole = False
            self._build_all()
            self._remember()

    def _remember(self) -> None:
        self.is_whole = True
        self.titles = {file: _page(file).title for file in self.files.documentation_pages()}
        self.told = self._crosslinks()

    def _crosslinks(self) -> list[crosslinks.Page]:
        try:
            return crosslinks.pages()
        except SpecError:  # a page that cannot be read
            return self.told

    def _file(self, path: Path) -> File | None:
        return self.files.src_uris.get(path.relative_to(self.docs).as_posix())

    def _pages_to_build(self, changed: set[Path]) -> list[File]:
        """Return the pages that have changed, or show what has."""
        pages = list[File]()
        for path in sorted(changed):
            file = self._file(path)
            if file and path.suffix == ".md" and path.is_file():
                pages.append(file)
            elif path.suffix in (".svg", ".bib", ".js"):  # stands within the pages that show it, or name it
                shown = f"```{path.stem}\n" if path.suffix == ".js" else path.name
                pages += [file for file in self.files.documentation_pages() if shown in _text(file)]
        return pages

    def _is_whole_without(self, pages: list[File], changed: set[Path]) -> bool:
        """Tell whether the other pages may stay as they are."""
        for_all = any(path.relative_to(self.docs).as_posix().startswith(FOR_ALL) for path in changed)
        titles = all(_page(file).title == self.titles[file] for file in pages if file not in self.unbuilt)
        return self.is_whole and not for_all and titles and self.told == self._crosslinks()

    def _build(self, pages: list[File], changed: set[Path]) -> None:
        for path in changed:
            if path.suffix != ".md" and (file := self._file(path)):
                file.copy_file()
        self.config.plugins.on_env(self.env, config=self.config, files=self.files)
        everything = self.files.documentation_pages()
        for file in pages:
            self._forget_in_search(file)
            build._build_page(_page(file), self.config, everything, self.nav, self.env)
            log.info(f"Built {file.src_uri}")
        for file in everything if pages else ():
            _page(file).validate_anchor_links(files=self.files, log_level=self.config.validation.links.anchors)
        self.config.plugins.on_post_build(config=self.config)

    def _forget_in_search(self, file: File) -> None:
        plugin: Any = self.config.plugins["material/search"]
        here = _page(file).url
        index = plugin.search_index
        index.entries = [entry for entry in index.entries if entry["location"].partition("#")[0] != here]


def _start_again(changed: set[Path]) -> None:
    """Start again with what has changed, unless it is no Python or YAML yet."""
    for path in changed:
        try:
            if path.suffix == ".py":
                ast.parse(path.read_bytes())
            elif path.name == "mkdocs.yml":
                compose(path.read_text("utf-8"))
        except SyntaxError as error:
            log.error(f"{path.relative_to(ROOT)}:{error.lineno}: {error.msg}")
            continue
        except MarkedYAMLError as error:
            log.error(f"mkdocs.yml:{error.problem_mark.line + 1 if error.problem_mark else 1}: {error.problem}")
            continue
        except OSError:  # it is gone
            pass
        log.info(f"{path.relative_to(ROOT)} has changed: starting again")
        sys.exit(START_AGAIN)


def _text(file: File) -> str:
    return file.content_bytes.decode("utf-8", "replace")


def _page(file: File) -> Any:
    assert file.page is not None
    return file.page


def _told(error: Exception) -> str:
    """Say what is wrong, in the terminal and on the page that is returned."""
    text = str(error) if isinstance(error, BuildError) else f"{type(error).__name__}: {error}"
    log.error(text)
    return f"<h1>This page cannot be built</h1>\n<pre>{escape(text)}</pre>"
