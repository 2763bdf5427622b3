"""The content security policy: the site's own files and the theme's inline scripts, nothing else."""

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable

_CHARSET = '<meta charset="utf-8">'
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def policy(pages: Iterable[str]) -> str:
    """Return the policy that serves all pages: instant navigation keeps the one of the page where it began."""
    scripts = {script for page in pages for script in _SCRIPT.findall(page)}
    hashes = sorted(b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    return "; ".join(
        (
            "default-src 'self'",
            " ".join(("script-src 'self'", *(f"'sha256-{hash_}'" for hash_ in hashes))),
            "style-src 'self'",
            "style-src-attr 'unsafe-inline'",  # KaTeX places its boxes by style attributes
            "img-src 'self' data:",
            "font-src 'self' data:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
        )
    )


def with_policy(page: str, csp: str) -> str:
    """Put the policy before everything that it governs."""
    if page.count(_CHARSET) != 1:
        raise ValueError(f"{page.count(_CHARSET)} times {_CHARSET} in a page: has the theme changed?")
    return page.replace(_CHARSET, f'{_CHARSET}\n      <meta http-equiv="Content-Security-Policy" content="{csp}">')
