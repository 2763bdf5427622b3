"""What is wrong with one page: `python -m tools.page lookup`. Without a name, the minutes of all pages.

The causes come in the order in which one explains the next: what the build refuses, examples, numbers, citations,
terms, goals and questions of the Core, minutes. `make test` runs what looks at several pages at once.
"""

import logging
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from mkdocs.commands.build import _populate_page
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import BuildError
from mkdocs.structure.files import File, Files, get_files
from mkdocs.structure.nav import Navigation, get_navigation
from mkdocs.structure.pages import Page as BuiltPage

from docs_ext.errors import SpecError, did_you_mean
from docs_ext.extensions import page_steps
from docs_ext.reading import consoles, lessons
from docs_ext.reading.page import DOCS, Page, decoded, load, on_page, read
from docs_ext.reading.reading_time import MINUTES, reading
from docs_ext.sources import bibliography
from tools import citations, course, terms
from tools.numbers import claims

MOST_MINUTES = 20.0
LONGER = {"learn/real-model.md": 20.5}


class _Site(NamedTuple):
    config: MkDocsConfig
    files: Files
    nav: Navigation
    warned: list[str]  # what MkDocs and its plugins have to say


@cache
def _site() -> _Site:
    """Load the site without hooks, which finish what is right without them, and build nothing yet."""
    warned = list[str]()
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: warned.append(record.getMessage())  # type: ignore[method-assign]
    log = logging.getLogger("mkdocs")
    log.addHandler(handler)
    log.propagate = False
    config = load_config(str(DOCS.parent / "mkdocs.yml"), hooks=[])
    config = config.plugins.on_config(config)
    files = get_files(config)
    files.add_files_from_theme(config.theme.get_env(), config)
    files = config.plugins.on_files(files, config=config)
    return _Site(config, files, get_navigation(files, config), warned)


@cache
def parts_of_the_menu() -> dict[str, list[str]]:
    """Return the sources of the pages that are read in order, by the parts of the menu."""
    menu = load_config(str(DOCS.parent / "mkdocs.yml"), hooks=[]).nav or []
    return {name: [*map(_source, pages)] for part in menu[0]["Learn"] for name, pages in part.items()}


def _source(entry: str | dict[str, str]) -> str:
    return entry if isinstance(entry, str) else next(iter(entry.values()))


def reading_order() -> list[str]:
    """Return the sources of the pages that are read in order."""
    return [name for names in parts_of_the_menu().values() for name in names]


def most_minutes(name: str) -> float:
    """Return how long a page may take up to Going deeper."""
    return LONGER.get(name, MOST_MINUTES)


def faults(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a page of this name and text, each with its cause."""
    try:
        with on_page(name):
            page = read(name, text)
    except SpecError as error:
        yield "the build", str(error)
        return
    for cause, search in CAUSES.items():
        try:
            yield from ((cause, fault) for fault in search(page))
        except SpecError as error:  # such as an example that fails, on which a number rests
            yield cause, str(error)


def _of_the_build(page: Page) -> Iterator[str]:
    """Yield what stops the build, and what a strict build does not pass over."""
    as_written = [f"{page.name}:{line}: {what}" for line, what in page_steps.faults(page)]
    yield from as_written
    if not as_written:
        try:
            _refuse_needs(page)
            yield from _built(page)
        except (BuildError, SpecError) as error:
            yield str(error)


def _refuse_needs(page: Page) -> None:
    """Refuse lessons in the head of a page that it cannot build on."""
    name = Path(page.name).stem
    if page.name == f"learn/{name}.md":
        before = takewhile(lambda lesson: lesson[0] != name, lessons.lessons().items())
        lessons.add(dict(before), name, "", page)


def _built(page: Page) -> Iterator[str]:
    site = _site()
    in_menu = [other.file.src_uri for other in site.nav.pages]
    outside = site.config.not_in_nav
    if page.name not in in_menu and not (outside and outside.match_file(page.name)):
        yield f"{page.name}: is not in the menu, mkdocs.yml"
    file = File.generated(site.config, page.name, content=page.text)
    files = Files([file, *(other for other in site.files if other.src_uri != page.name)])
    built = BuiltPage(None, file, site.config)
    with _warnings(site) as warned:
        _populate_page(built, site.config, files)
        for other in built.links_to_anchors or ():
            if other.page and other.page.present_anchor_ids is None:
                with _warnings(site):  # what is wrong with another page is told there
                    _populate_page(other.page, site.config, files)
        built.validate_anchor_links(files=files, log_level=logging.WARNING)
    yield from (_with_line(page, warning) for warning in dict.fromkeys(warned))
    for path in re.findall(r'<autoref [^>]*identifier="([\w.]+)"', built.content or ""):
        if f"[{path}]" in page.text and not _is_documented(path):
            yield f"{_place(page, path)}: nothing is documented as {path}"


@contextmanager
def _warnings(site: _Site) -> Iterator[list[str]]:
    """Collect what MkDocs warns of here, and nothing that it warned of elsewhere."""
    before = len(site.warned)
    warned = list[str]()
    yield warned
    warned += site.warned[before:]
    del site.warned[before:]


def _with_line(page: Page, warning: str) -> str:
    """Put page and line before a warning that quotes a part of the page."""
    quoted = re.search(r"link '([^']*)'", warning)
    return f"{_place(page, quoted[1])}: {warning}" if quoted else f"{page.name}: {warning}"


def _place(page: Page, words: str) -> str:
    line = next((number for number, text in enumerate(page.lines, 1) if words in text), None)
    return f"{page.name}:{line}" if line else page.name


@cache
def _is_documented(path: str) -> bool:
    """Tell whether a page of the reference documents this module, or what stands in it."""
    module, _, name = path.partition(".")[2].partition(".")
    if not path.startswith("attention.") or not (DOCS / f"reference/{module}.md").is_file():
        return False
    value: Any = import_module(f"attention.{module}")
    for part in filter(None, name.split(".")):
        value = getattr(value, part, getattr(value, "__annotations__", {}).get(part))
    return value is not None


def _of_examples(page: Page) -> Iterator[str]:
    """Yield the first example whose output is another one, proofs of questions among them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            consoles.run(page.text, {"__name__": "__main__"})
        except SpecError as error:
            hint = "; leave a blank line before the closing fence" if "```" in str(error) else ""
            yield f"{page.name}:{(error.line or 0) + 1}: {error}{hint}"


def _of_numbers(page: Page) -> Iterator[str]:
    yield from claims.check(page.name, page.text).wrong


def _of_citations(page: Page) -> Iterator[str]:
    sources = bibliography.load()
    yield from (f"{page.name}:{line}: {what}" for line, what in citations.faults(page.text, sources))
    if page.name != "reference/sources.md":
        found = citations.unrecorded(page.name.removesuffix(".md"), page.text, sources)
        yield from (f"{page.name}: {what}" for what in found)


def _of_terms(page: Page) -> Iterator[str]:
    yield from (f"{page.name}:{line}: {what}" for line, what in terms.early(page, reading_order()))


def _of_the_course(page: Page) -> Iterator[str]:
    if page.name in parts_of_the_menu()["Core"]:
        yield from (f"{page.name}:{line}: {what}" for line, what in course.faults(page))


def _of_minutes(page: Page) -> Iterator[str]:
    time = reading(page)
    if page.name in reading_order() and time.first > most_minutes(page.name):
        yield f"{page.name}: {time.first:.1f} minutes, of {most_minutes(page.name):g}: {_counted(time.parts)}"


CAUSES = {
    "the build": _of_the_build,
    "examples": _of_examples,
    "numbers": _of_numbers,
    "citations": _of_citations,
    "terms": _of_terms,
    "the course": _of_the_course,
    "minutes": _of_minutes,
}


def _counted(parts: Any) -> str:
    return ", ".join(f"{parts[part]} {part}" for part in MINUTES)


def found(name: str) -> str:
    """Return the source of a page by its name: lookup is learn/lookup.md, and so is that or docs/learn/lookup.md."""
    sources = sorted((path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")), key=_learn_first)
    wanted = name.removeprefix("docs/").removesuffix(".md")
    for source in sources:
        if wanted in (source.removesuffix(".md"), Path(source).stem):
            return source
    raise SpecError(f"there is no page {name}{did_you_mean(wanted, (Path(source).stem for source in sources))}")


def _learn_first(source: str) -> tuple[bool, str]:
    return not source.startswith("learn/"), source


def _table() -> Iterator[str]:
    """Yield the minutes of all pages that are read in order, and what they are made of."""
    yield " ".join([f"{'':45} minutes", *(f"{part:>9}" for part in MINUTES)])
    for part, sources in parts_of_the_menu().items():
        yield f"{part:45} {sum(reading(load(source)).first for source in sources):7.1f}"
        for source in sources:
            time = reading(load(source))
            yield " ".join([f"  {source:43} {time.first:7.1f}", *(f"{time.parts[part]:9}" for part in MINUTES)])


def main(names: Sequence[str]) -> int:
    """Print what is wrong with these pages; the status is 1 if anything is."""
    if not names:
        print("\n".join(_table()))
    wrong = 0
    for name in names:
        try:
            source = found(name)
        except SpecError as error:
            print(error)
            return 1
        text, last = decoded((DOCS / source).read_bytes()), ""
        for cause, fault in faults(source, text):
            if cause != last:
                print(f"{cause}:")
            print(f"  docs/{fault}")
            last, wrong = cause, wrong + 1
        time = reading(read(source, text))
        count = f"{wrong or 'no'} fault{'s' * (wrong != 1)}"
        print(f"docs/{source}: {count}; {time.first:.1f} minutes, {_counted(time.parts)}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
