"""Where readers find the site and its repository, if they can: a build on somebody's own machine has no address."""

import re
from html import escape
from pathlib import Path
from urllib.parse import quote, urlsplit

from mkdocs.utils.yaml import yaml_load

_CONFIG = Path(__file__).parents[2] / "mkdocs.yml"
_UNTOLD = re.compile(r'<p class="untold">.*?</p>', re.DOTALL)  # for readers of a site without an address
_OWN_MACHINE = (None, "", "localhost", "127.0.0.1", "0.0.0.0", "::1")


def public(address: str | None) -> str | None:
    """Return an address that others can follow, or None.

    >>> public("https://site.test/attention/"), public("http://127.0.0.1:8000/learn/masks/"), public(None)
    ('https://site.test/attention/', None, None)
    """
    return None if urlsplit(address or "").hostname in _OWN_MACHINE else address


def with_site_url(html: str, site_url: str | None) -> str:
    """Put the address of the site into what a reader copies: pages write https://site.example/ in its place.

    >>> with_site_url("<code>pip install https://site.example/a.whl</code>", "https://site.test/attention")
    '<code>pip install https://site.test/attention/a.whl</code>'
    """
    site = public(site_url)
    return _UNTOLD.sub("", html).replace("https://site.example/", directory(site)) if site else html


def with_repository(html: str, address: str | None) -> str:
    r"""Tell how to copy the repository where a page says `<!-- clone -->`; nothing if there is none.

    >>> with_repository("<!-- clone -->", "https://github.com/owner/name.git")
    '<pre><code>git clone https://github.com/owner/name\ncd name</code></pre>'
    """
    repo = repository(address)
    lines = f"git clone {repo}\ncd {repo.rpartition('/')[2]}" if repo else ""
    return html.replace("<!-- clone -->", f"<pre><code>{escape(lines)}</code></pre>" if repo else "")


def repository(address: str | None) -> str | None:
    """Return the address of the repository, as REPO_URL gives it, without what some write behind it."""
    return re.sub(r"(\.git)?/*$", "", address) if address else None


def report(address: str | None, page: str | None) -> str | None:
    """Return where to report an error on a page, if the repository is on GitHub, whose forms the project has.

    >>> report("https://github.com/owner/name/", "https://site.test/learn/masks/")
    'https://github.com/owner/name/issues/new?template=error.yml&place=https%3A%2F%2Fsite.test%2Flearn%2Fmasks%2F'
    """
    repo = repository(address)
    if not (repo and repo.startswith("https://github.com/")):
        return None
    shown = public(page)
    place = f"&place={quote(shown, safe='')}" if shown else ""
    return f"{repo}/issues/new?template=error.yml{place}"


def built_for() -> str:
    """Return the address that mkdocs.yml and SITE_URL name now: what asks has no configuration at hand."""
    return directory(str(yaml_load(_CONFIG.read_text("utf-8"))["site_url"]))


def directory(address: str) -> str:
    """End an address in one slash, as MkDocs does."""
    return f"{address.rstrip('/')}/" if address else ""
