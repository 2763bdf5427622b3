"""What a page says of itself to search engines and catalogues: JSON-LD in the words of schema.org.

A learn page tells its minutes, the terms that it introduces, and the pages that it builds on. main.html writes the
block; nothing on the page needs it.
"""

import math
import re
from functools import lru_cache
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

import attention
from docs_ext.extensions.glossary import GLOSSARY, terms
from docs_ext.site.reading_time import reading

LICENCE = "https://spdx.org/licenses/MIT.html"
_DEEPER = '<details class="deeper"'
_LINK = re.compile(r'<a [^>]*?\bhref="\.\./([\w-]+)/(?:#[^"]*)?"')  # from one learn page to another


def linked_data(page: Page, config: MkDocsConfig, nav: Navigation) -> dict[str, Any]:
    """Return what the page is, in the words of schema.org."""
    site = {"@type": "WebSite", "name": config.site_name, "url": config.site_url}
    about = {
        "name": str(page.title),
        "description": page.meta.get("description"),
        "url": page.canonical_url,
        "inLanguage": config.theme["language"],
        "license": LICENCE,
    }
    folder = page.file.src_uri.partition("/")[0]
    if page.file.src_uri == "index.md":
        parts = [site | {"description": config.site_description, "inLanguage": about["inLanguage"]}, _code(config)]
        return {"@context": "https://schema.org", "@graph": [_given(part | {"license": LICENCE}) for part in parts]}
    if folder == "learn":
        about |= _lesson(page, nav)
    elif folder == "practice":
        about |= {"@type": "LearningResource", "learningResourceType": "exercise"}
    else:
        about |= {"@type": "TechArticle"}
    return {"@context": "https://schema.org", **_given(about | {"isPartOf": site})}


def _code(config: MkDocsConfig) -> dict[str, Any]:
    return {
        "@type": "SoftwareSourceCode",
        "name": "attention-line-by-line",
        "description": attention.__doc__,
        "version": attention.__version__,
        "programmingLanguage": "Python",
        "codeRepository": config.repo_url,
    }


def _lesson(page: Page, nav: Navigation) -> dict[str, Any]:
    source = page.file.src_uri
    return {
        "@type": "LearningResource",
        "learningResourceType": "lesson",
        "timeRequired": f"PT{math.ceil(reading(page.content or '').first)}M",
        "teaches": [term.name for term in terms(GLOSSARY.read_text("utf-8")) if term.page == source],
        "competencyRequired": [other.canonical_url for other in builds_on(page, nav)],
    }


def builds_on(page: Page, nav: Navigation) -> list[Page]:
    """Return the learn pages that one builds on, without those that these build on in turn.

    A page sends its reader back to what it takes for granted, so they are the earlier pages to which its first part
    links. The pages of the core track are read in order: one that links to none builds on the one before it.
    """
    learn = [other for other in nav.pages if other.file.src_uri.startswith("learn/")]
    number = {other.file.name: at for at, other in enumerate(learn)}
    reached = list[set[int]]()  # for each page all that it builds on, also by way of others
    direct = set[int]()
    for at, lesson in enumerate(learn[: learn.index(page) + 1]):
        direct = {number[name] for name in _links(lesson.content or "") if number.get(name, at) < at}
        if at and not direct and lesson.parent is learn[0].parent:
            direct = {at - 1}
        reached.append(direct.union(*(reached[other] for other in direct)))
    implied = set[int]().union(*(reached[other] for other in direct))
    return [learn[at] for at in sorted(direct - implied)]


@lru_cache(maxsize=64)
def _links(html: str) -> list[str]:
    return _LINK.findall(html.partition(_DEEPER)[0])


def _given(about: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is not known."""
    return {name: value for name, value in about.items() if value not in (None, "", [])}
