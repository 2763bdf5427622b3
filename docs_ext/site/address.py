"""Where readers find the site, if they can: a build on somebody's own machine has no address to hand on."""

from urllib.parse import urlsplit

_OWN_MACHINE = (None, "", "localhost", "127.0.0.1", "0.0.0.0", "::1")


def public(address: str | None) -> str | None:
    """Return an address that others can follow, or None.

    >>> public("https://site.test/attention/"), public("http://127.0.0.1:8000/learn/masks/"), public(None)
    ('https://site.test/attention/', None, None)
    """
    return None if urlsplit(address or "").hostname in _OWN_MACHINE else address
