"""`mkdocs serve` that tells the truth, and quickly.

Python and data are read once in a process: when one of them changes, the command runs anew, so that no page shows new
source beside numbers of the old code. A change of a page builds that page, with what it shares with the others kept
from the last whole build; what shows on other pages too (a title, a formula, the glossary, a new file) builds all of
them. A page that cannot be built says why, in its own place.
"""

import ast
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from html import escape
from pathlib import Path
from shutil import rmtree
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
from docs_ext.extensions import glossary
from docs_ext.html import renderer
from docs_ext.reading import crosslinks
from docs_ext.reading.converter import refuse_unreadable

log = logging.getLogger("mkdocs.live")

ROOT = Path(__file__).parents[2]
READ_ONCE = [
    ROOT / n for n in ("attention", "docs_ext", "benchmarks/results.json", "tests/package/parity", "mkdocs.yml")
]
LIBRARY = "assets/js/lib"  # what draws the widgets of all pages


class LastBuild:
    """The last whole build, from which a single page is built again."""

    config: MkDocsConfig
    files: Files
    nav: Navigation
    env: Environment

    def __init__(self) -> None:
        self.seen: dict[Path, int] = {}  # the times of the sources
        self.shared: tuple[dict[str, Any], Any] | None = None  # see _shared; None if the next build must be whole
        self.unbuilt: set[File] = set()  # pages that could not be built: they are tried again, whatever changes

    def show_errors(self) -> None:
        """Let a page that cannot be built say why, in a build of all pages too; end after SIGTERM as after Ctrl-C."""
        signal.signal(signal.SIGTERM, signal.default_int_handler)
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
        self.seen, self.shared = _times(self.docs, *READ_ONCE), self._shared()
        gc.freeze()
        gc.enable()

    def build(self) -> None:
        """Build what has changed since the last time."""
        try:
            self._build_changed()
        except Exception as error:  # that is of no page: the one that is shown for those that are gone says it
            self.shared = None
            (Path(self.config.site_dir) / "404.html").write_text(_told(error), "utf-8")

    def _build_changed(self) -> None:
        now, before = _times(self.docs, *READ_ONCE), self.seen
        self.seen = now
        changed = {path for path in now.keys() | before.keys() if now.get(path) != before.get(path)}
        read_once = {path for path in changed if self.docs not in path.parents}
        if all([*map(_is_sound, read_once)]) and read_once:
            self._start_again()
        renderer.load.cache_clear()
        pages = [*dict.fromkeys([*self.unbuilt, *self._pages_to_build(changed - read_once)])]
        for file in pages:
            build._populate_page(_page(file), self.config, self.files)
        in_library = any(self.docs / LIBRARY in path.parents for path in changed)
        if now.keys() != before.keys() or in_library or self.shared is None or self.shared != self._shared():
            self.shared = None
            self._build_all()
            self.shared = self._shared()
        else:
            self._build(pages, changed - read_once)

    def _start_again(self) -> None:
        log.info("The code has changed: starting again")
        rmtree(self.config.site_dir)
        os.execv(sys.executable, [sys.executable, "-m", "mkdocs", *sys.argv[1:]])

    def _shared(self) -> tuple[dict[str, Any], Any]:
        """Return titles, formulas, functions and terms, which other pages show; of a page with errors the last ones."""
        titles, told = self.shared or ({}, None)
        titles = titles | {f.src_uri: _page(f).title for f in self.files.documentation_pages() if f not in self.unbuilt}
        with suppress(SpecError):  # which the page itself shows
            told = crosslinks.pages(), glossary.entries()
        return titles, told

    def _pages_to_build(self, changed: Iterable[Path]) -> list[File]:
        """Return the pages that have changed, or show what has."""
        names = {path.relative_to(self.docs).as_posix() for path in changed if path.suffix == ".md"}
        drawn = [path for path in changed if path.suffix in (".svg", ".bib", ".js")]
        shown = [f"```{path.stem}\n" if path.suffix == ".js" else path.name for path in drawn]
        return [
            file
            for file in self.files.documentation_pages()
            if file.src_uri in names or any(name in file.content_bytes.decode("utf-8", "replace") for name in shown)
        ]

    def _build(self, pages: list[File], changed: Iterable[Path]) -> None:
        """Build some pages as MkDocs builds all of them, with what it kept of the others."""
        for path in changed:
            if path.suffix != ".md" and (file := self.files.src_uris.get(path.relative_to(self.docs).as_posix())):
                file.copy_file()
        self.config.plugins.on_env(self.env, config=self.config, files=self.files)
        index = self.config.plugins["material/search"].search_index  # type: ignore[attr-defined]
        for file in pages:
            index.entries = [entry for entry in index.entries if entry["location"].partition("#")[0] != file.url]
            build._build_page(_page(file), self.config, self.files.documentation_pages(), self.nav, self.env)
            log.info(f"Built {file.src_uri}")
        self.config.plugins.on_post_build(config=self.config)


def _times(*places: Path) -> dict[Path, int]:
    """Note when each source was changed; not what an editor keeps beside them."""
    found = dict[Path, int]()
    for path in (path for place in places for path in (place, *place.rglob("*"))):
        with suppress(FileNotFoundError):
            if path.is_file() and path.name[0] != "." and path.name[-1] != "~" and path.suffix != ".pyc":
                found[path] = path.stat().st_mtime_ns
    return found


def _is_sound(path: Path) -> bool:
    """Tell whether a file is Python or YAML already; say what is missing."""
    try:
        if path.suffix == ".py" and path.is_file():
            ast.parse(path.read_bytes())
        elif path.suffix == ".yml" and path.is_file():
            compose(path.read_text("utf-8"))
        return True
    except SyntaxError as error:
        line, what = error.lineno, error.msg
    except MarkedYAMLError as error:
        line, what = (error.problem_mark.line + 1 if error.problem_mark else 1), str(error.problem)
    log.error(f"{path.relative_to(ROOT)}:{line}: {what}")
    return False


def _page(file: File) -> Any:
    assert file.page is not None
    return file.page


def _told(error: Exception) -> str:
    """Say what is wrong, in the terminal and on the page that is returned."""
    text = str(error) if isinstance(error, BuildError) else f"{type(error).__name__}: {error}"
    log.error(text)
    return f"<h1>This page cannot be built</h1>\n<pre>{escape(text)}</pre>"
