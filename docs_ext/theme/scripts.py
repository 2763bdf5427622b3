"""The inline scripts of the theme's templates, and of ours: the policy has to allow them."""

import re
from functools import cache
from pathlib import Path

import material  # type: ignore[import-untyped]
from jinja2 import Environment, FileSystemLoader

_OURS = Path(__file__).parent / "templates"
THEME = Path(material.__file__).parent / "templates"
_USED = ("base", "palette", "content")  # of the theme's partials/javascripts; the others are for what is not used here
_DEPTHS = (".", "..", "../..")  # the way from a page to the first one, which the theme writes into its script
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


@cache
def inline_scripts(lost: str) -> frozenset[str]:
    """Return those of a site below a path, which 404.html, shown at any address, has in full."""
    written = [template.read_text("utf-8") for template in sorted(_OURS.glob("*.html"))]
    theme = Environment(loader=FileSystemLoader(THEME))
    for name in _USED:
        partial = theme.get_template(f"partials/javascripts/{name}.html")
        written += [partial.render(config={"extra": {}}, features=(), base_url=base) for base in (*_DEPTHS, lost)]
    return frozenset(script for text in written for script in _SCRIPT.findall(text))
