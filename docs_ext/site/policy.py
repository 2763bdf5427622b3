"""The content security policy: what a page may load and run.

The inline scripts that it allows are a list: our own, each from the one place where it is written, and the theme's, as
the templates of the installed theme have them. None is taken from a built page, so what somebody plants in one does
not run. That no page holds what the policy would block, the tests say (tests/site/site/test_policy.py).

A page carries the policy in a tag. A host that can send headers sends `headers()`, which say more than a tag can.
"""

import hashlib
from base64 import b64encode
from urllib.parse import urlsplit

from mkdocs.exceptions import BuildError

from docs_ext.site.address import built_for
from docs_ext.site.fonts import LOAD
from docs_ext.theme.scripts import inline_scripts

_CHARSET = '<meta charset="utf-8">'


def policy(site_url: str | None = None) -> str:
    """Return the policy that serves all pages.

    The site's own address is the one of mkdocs.yml, unless another is given.
    """
    hashes = sorted(b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts(site_url))
    return "; ".join(
        (
            "default-src 'none'",  # no frame, no plugin, no sound, no film, and whatever browsers learn next
            " ".join(("script-src 'self'", *(f"'sha256-{hash_}'" for hash_ in hashes))),  # and the search's worker
            "style-src 'self'",
            "style-src-attr 'unsafe-inline'",  # KaTeX places its boxes by style attributes
            "img-src 'self' data:",  # the theme's icons are data in its style sheet
            "font-src 'self' data:",  # and so are two fonts of formulas
            "connect-src 'self'",  # the search index, and the record of a widget
            "base-uri 'none'",  # a planted <base> would send every relative address elsewhere
            "form-action 'none'",  # forms here are read by scripts and sent nowhere
        )
    )


def headers(site_url: str | None = None) -> dict[str, str]:
    """Return the headers for a host to send with every file.

    Transport security is left out: it binds a whole host, for months, and is the host's own decision.
    """
    return {
        "Content-Security-Policy": f"{policy(site_url)}; frame-ancestors 'none'",  # no page of others around ours
        "X-Content-Type-Options": "nosniff",  # a file is what its type says: text is never run as a script
        "Referrer-Policy": "strict-origin-when-cross-origin",  # other sites learn the host, and not which page
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",  # nothing asks for them
        "Cross-Origin-Opener-Policy": "same-origin",  # a page that opened this one has no hold on its window
    }


def with_policy(page: str, csp: str) -> str:
    """Put the policy before everything that it governs."""
    if page.count(_CHARSET) != 1:
        raise BuildError(f"{page.count(_CHARSET)} times {_CHARSET} in a page: has the theme changed?")
    return page.replace(_CHARSET, f'{_CHARSET}\n      <meta http-equiv="Content-Security-Policy" content="{csp}">')


def scripts(site_url: str | None = None) -> frozenset[str]:
    """Return the inline scripts that may run, to the letter."""
    path = urlsplit(built_for() if site_url is None else site_url or "/").path
    return inline_scripts(path) | {LOAD.removeprefix("<script>").removesuffix("</script>")}
