"""Where readers find the site, if they can: a build on somebody's own machine has no address to hand on."""

from pathlib import Path
from urllib.parse import urlsplit

from mkdocs.utils.yaml import yaml_load

_CONFIG = Path(__file__).parents[2] / "mkdocs.yml"
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
    return html.replace("https://site.example/", f"{site.rstrip('/')}/") if site else html


def built_for() -> str:
    """Return the address that mkdocs.yml and SITE_URL name now: what asks has no configuration at hand."""
    return str(yaml_load(_CONFIG.read_text("utf-8"))["site_url"])
