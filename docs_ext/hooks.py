"""MkDocs' events, one line each: what no Markdown extension can do to a site.

Other generators ignore `hooks:` in mkdocs.yml. So nothing that a page needs to be right or readable may depend on this
module: it adds reading times, copies to take along and a policy, makes the files smaller, and gives `mkdocs
serve` its speed.
"""

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import BuildError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import CombinedEvent, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

import attention
from docs_ext.copies.links import link_copies
from docs_ext.copies.markdown_pages import write_markdown_pages
from docs_ext.copies.offline import offer_copy
from docs_ext.copies.wheel import add_wheel
from docs_ext.html import renderer
from docs_ext.reading.converter import refuse_unreadable
from docs_ext.reading.reading_time import progress
from docs_ext.serve import live
from docs_ext.site.address import report, repository, with_repository, with_site_url
from docs_ext.site.date import set_date
from docs_ext.site.finish import finish
from docs_ext.site.practice import invite
from docs_ext.theme.patches import mend_scripts, mend_style
from docs_ext.theme.search import for_search, rank

_last = live.LastBuild()
_whole: dict[str, str] = {}  # pages that the search plugin is reading without their formulas
_command = "build"


def on_startup(*, command: str, dirty: bool) -> None:
    """Date what is built; let a page of the live server show what is wrong with it."""
    global _command
    set_date()
    _command = command
    if command == "serve":
        _last.show_errors()
    gc.disable()  # a build ends before there is much to collect, and looking for it takes a tenth of the time


def on_config(config: MkDocsConfig) -> None:
    """Refuse a script that is wrong before anything is built."""
    if _command != "serve":  # where the pages that it draws say it
        try:
            renderer.load()
        except ValueError as error:
            raise BuildError(str(error)) from None


def on_files(files: Files, *, config: MkDocsConfig) -> None:
    """Refuse a page that cannot be read: MkDocs would take what is wrong for text, or fall."""
    for file in files.documentation_pages() if _command != "serve" else ():  # where the page itself says it
        refuse_unreadable(file)


def on_nav(nav: Navigation, *, config: MkDocsConfig, files: Files) -> None:
    """Keep what a single page needs to be built again; after each page of Start but the first comes the Core."""
    _last.config, _last.files, _last.nav = config, files, nav
    of = {part: [p for p in nav.pages if p.parent and p.parent.title == part] for part in ("Start", "Core")}
    for page in of["Start"][1:]:
        page.next_page = of["Core"][0]


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Name the site where a page must, and the exercises that go with the page."""
    return invite(with_repository(with_site_url(html, config.site_url), config.repo_url), page, files)


def on_env(env: Environment, *, config: MkDocsConfig, files: Files) -> None:
    """Keep the templates too, and tell them the version and the repository."""
    _last.env = env
    env.globals.update(version=attention.__version__, repository=repository(config.repo_url))  # on the 404 page too


@event_priority(101)  # when all pages are known
def _link_copies(context: Any, *, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
    if _command != "serve":  # which writes no copies
        page.content = link_copies(page.content or "", page)


@event_priority(100)  # before the search plugin reads the page
def _take_formulas_out(context: Any, *, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
    _whole[page.url] = page.content or ""
    page.content = for_search(_whole[page.url], page.meta.get("title"))
    page.meta.setdefault("search", rank(page.file.src_uri))


@event_priority(-100)  # after it
def _put_formulas_back(context: Any, *, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
    page.content = _whole.pop(page.url)


@event_priority(-101)
def _fill_in_head(context: Any, *, page: Page, config: MkDocsConfig, nav: Navigation) -> None:
    context["progress"] = progress(page)
    context["has_markdown"] = _command != "serve"
    context["report"] = report(config.repo_url, page.canonical_url)


on_page_context = CombinedEvent(_link_copies, _take_formulas_out, _put_formulas_back, _fill_in_head)


def on_post_build(*, config: MkDocsConfig) -> None:
    """Write what stands beside the pages; make what is published smaller and closed."""
    site = Path(config.site_dir)
    mend_scripts(site)
    mend_style(site)
    if _command != "serve":  # mkdocs gh-deploy publishes too
        write_markdown_pages(config, _last.nav, _last.files)
        finish(site, config.site_url or "")
        add_wheel(site)
        offer_copy(site, config.site_url or "")


def on_serve(server: LiveReloadServer, *, config: MkDocsConfig, builder: Callable[[], None]) -> None:
    """Build only what an edit changes."""
    _last.serve(server, builder)
