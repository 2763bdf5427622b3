"""`mkdocs serve` that tells the truth, and quickly.

Python and data are read once in a process: when one of them changes, the process starts again, so that no page shows
new source beside numbers of the old code. A change of a page builds that page anew, with what it shares with the
others kept from the last whole build; whatever may show on other pages too (a title, a formula, the glossary, a new
file) builds all of them.
"""

import atexit
import logging
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

import hupper  # type: ignore[import-untyped]
from jinja2 import Environment
from mkdocs.commands.build import _build_page, _populate_page
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, BuildError
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation

from docs_ext.reading import crosslinks
from docs_ext.reading.converter import refuse_unreadable

log = logging.getLogger("mkdocs.live")

ROOT = Path(__file__).parents[2]
READ_ONCE = ("attention", "docs_ext", "benchmarks/results.json", "tests/package/parity", "mkdocs.yml")
FOR_ALL = {"reference/glossary.md"}  # its entries are hover text of other pages


def restart_when_python_changes() -> None:
    """Run the rest of this command in a process of its own, which starts again after an edit."""
    if not hupper.is_active():
        hupper.start_reloader("mkdocs.__main__.cli", ignore_files=["*/lib/python3*"], logger=log)  # never returns
    hupper.get_reloader().watch_files([str(path) for name in READ_ONCE for path in _files(ROOT / name)])


def restart_after_an_edit(docs: str) -> None:
    """Wait for the author: the first build has failed, and MkDocs does not watch yet."""
    if hupper.is_active():
        atexit.register(_wait_and_restart, docs, _times(docs))  # when MkDocs has said what is wrong


def _wait_and_restart(docs: str, before: dict[Path, int]) -> None:
    with suppress(KeyboardInterrupt):
        while _times(docs) == before:
            time.sleep(0.3)
        hupper.get_reloader().trigger_reload()


def _times(docs: str) -> dict[Path, int]:
    """Note when each source was changed."""
    return {path: path.stat().st_mtime_ns for path in _files(Path(docs))}


def _files(path: Path) -> list[Path]:
    """Return the file, or those of the folder; not what an editor keeps beside them."""
    paths = [path, *path.rglob("*")]
    return [p for p in paths if p.is_file() and p.name[0] != "." and p.name[-1] != "~" and p.suffix != ".pyc"]


def refuse_taken_port(host: str, port: int) -> None:
    """Say before anything is built that something else answers there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise Abort(
                f"Port {port} is taken ({error.strerror}). Stop what runs there, or choose another one: "
                f"make serve PORT={port + 1}, or mkdocs serve --dev-addr {host}:{port + 1}"
            ) from None


class LastBuild:
    """The last whole build, from which a single page is built again."""

    config: MkDocsConfig
    files: Files
    nav: Navigation
    env: Environment

    def __init__(self) -> None:
        self.docs = "docs"
        self.error: Exception = BuildError("unknown")
        self.is_served = False
        self.is_whole = False  # else the next build must be
        self.seen: dict[Path, int] = {}  # the times of the sources
        self.titles: dict[File, str] = {}  # as the navigation of every page shows them
        self.told: list[crosslinks.Page] = []  # formulas and functions, which other pages list
        self.unbuilt: set[File] = set()  # pages to build again, whatever changes

    def serve(self, server: LiveReloadServer, whole: Callable[[], None]) -> None:
        """Let the server call `self.build`, and the whole build only where it must."""
        self._build_all = whole
        server.builder = self.build
        self.is_served, self.seen = True, _times(self.docs)
        self._remember()

    def build(self) -> None:
        """Build what has changed since the last time; a page that cannot be built says why."""
        now, before = _times(self.docs), self.seen
        self.seen = now
        changed = {path for path in now.keys() | before.keys() if now.get(path) != before.get(path)}
        pages = self._pages_to_build(changed)
        for file in pages:
            try:
                refuse_unreadable(file)
                _populate_page(_page(file), self.config, self.files)
            except BuildError as error:
                self.unbuilt.update(pages)
                _show(error, file.abs_dest_path)
                return
        if now.keys() == before.keys() and self._is_whole_without(pages, changed):
            self._build(pages, changed)
        else:
            self._build_whole()

    def _build_whole(self) -> None:
        self.is_whole = False
        try:
            self._build_all()
        except Abort:  # and all pages are gone: the one that is shown in their place says why
            _show(self.error, str(Path(self.config.site_dir) / "404.html"))
        else:
            self._remember()

    def _remember(self) -> None:
        self.is_whole = True
        self.unbuilt.clear()
        self.titles = {file: _page(file).title for file in self.files.documentation_pages()}
        self.told = crosslinks.pages()

    def _pages_to_build(self, changed: set[Path]) -> list[File]:
        """Return the pages that have changed, or show what has, and those that could not be built."""
        pages = [*self.unbuilt]
        for path in sorted(changed):
            file = self.files.src_uris.get(path.relative_to(self.docs).as_posix())
            if file and path.suffix == ".md" and path.is_file():
                pages.append(file)
            elif path.suffix in (".svg", ".bib"):  # stands within the pages that show it, or name it
                pages += [file for file in self.files.documentation_pages() if path.name in file.content_string]
        return list(dict.fromkeys(pages))

    def _is_whole_without(self, pages: list[File], changed: set[Path]) -> bool:
        """Tell whether the other pages may stay as they are."""
        for_all = {Path(self.docs) / name for name in FOR_ALL}
        titles = all(_page(file).title == self.titles[file] for file in pages)
        return self.is_whole and not changed & for_all and titles and self.told == crosslinks.pages()

    def _build(self, pages: list[File], changed: set[Path]) -> None:
        for path in changed:
            if path.suffix != ".md":
                self.files.src_uris[path.relative_to(self.docs).as_posix()].copy_file()
        self.unbuilt.clear()
        self.config.plugins.on_env(self.env, config=self.config, files=self.files)
        everything = self.files.documentation_pages()
        for file in pages:
            self._forget_in_search(file)
            _build_page(_page(file), self.config, everything, self.nav, self.env)
            log.info(f"Built {file.src_uri}")
        for file in everything if pages else ():
            _page(file).validate_anchor_links(files=self.files, log_level=self.config.validation.links.anchors)
        self.config.plugins.on_post_build(config=self.config)

    def _forget_in_search(self, file: File) -> None:
        plugin: Any = self.config.plugins["material/search"]
        here = _page(file).url
        index = plugin.search_index
        index.entries = [entry for entry in index.entries if entry["location"].partition("#")[0] != here]


def _page(file: File) -> Any:
    assert file.page is not None
    return file.page


def _show(error: Exception, path: str) -> None:
    """Let a page itself say why it cannot be built: what it showed before is no longer true."""
    log.error(str(error))
    body = f"<h1>This page cannot be built</h1>\n<pre>{escape(str(error))}</pre>"
    Path(path).write_text(f"<!doctype html>\n<meta charset=utf-8>\n<title>An error</title>\n{body}\n", "utf-8")
