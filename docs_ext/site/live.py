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
        """Build what has changed since the last time."""
        now = _times(self.docs)
        changed = {path for path in now.keys() | self.seen.keys() if now.get(path) != self.seen.get(path)}
        pages = self._pages_to_build(changed, new_or_gone=now.keys() != self.seen.keys())
        if pages is None:
            self._build_whole()
        else:
            self._copy(changed)
            self._build(pages)
        self.seen = now

    def _build_whole(self) -> None:
        self.is_whole = False
        self._build_all()
        self._remember()

    def _remember(self) -> None:
        self.is_whole = True
        self.unbuilt.clear()
        self.titles = {file: _page(file).title for file in self.files.documentation_pages()}
        self.told = crosslinks.pages()

    def _pages_to_build(self, changed: set[Path], *, new_or_gone: bool) -> list[File] | None:
        """Return the pages to build again, None for all of them."""
        if not self.is_whole or new_or_gone or self.told != crosslinks.pages():
            return None
        docs, pages = Path(self.docs), [*self.unbuilt]
        for path in sorted(changed):
            name = path.relative_to(docs).as_posix()
            if name in FOR_ALL:
                return None
            if path.suffix == ".md":
                pages.append(self.files.src_uris[name])
            elif path.suffix in (".svg", ".bib"):  # stands within the pages that show it, or name it
                pages += [file for file in self.files.documentation_pages() if path.name in file.content_string]
        return list(dict.fromkeys(pages))

    def _copy(self, changed: set[Path]) -> None:
        for path in changed:
            if path.suffix != ".md":
                self.files.src_uris[path.relative_to(self.docs).as_posix()].copy_file()

    def _build(self, pages: list[File]) -> None:
        for file in pages:
            try:
                _populate_page(_page(file), self.config, self.files)
            except BuildError as error:
                self.unbuilt.update(pages)
                _show(error, file)
                return
        if any(_page(file).title != self.titles[file] for file in pages):
            self._build_whole()
            return
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


def _show(error: BuildError, file: File) -> None:
    """Let the page itself say why it cannot be built: what it showed before is no longer true."""
    log.error(str(error))
    head = f"<!doctype html>\n<meta charset=utf-8>\n<title>{file.src_uri}</title>"
    body = f"<h1>This page cannot be built</h1>\n<pre>{escape(str(error))}</pre>"
    Path(file.abs_dest_path).write_text(f"{head}\n{body}\n", "utf-8")
