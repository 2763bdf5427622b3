"""Does a tag fit what it names? `python -m tools.release v1.2.3` prints the notes of that version or what is wrong.

Without a tag, as on a pull request, it prints what is not released yet, or else the notes of the newest version.
"""

import re
import sys
from pathlib import Path

import attention

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


class ReleaseError(Exception):
    """A tag that names another version, or one that the changelog does not know."""


def notes(changelog: str, tag: str | None) -> str:
    """Return what the changelog says of a tag's version."""
    version = attention.__version__
    if tag not in (None, f"v{version}"):
        raise ReleaseError(f"the tag {tag} is not v{version}, and attention/__init__.py says {version}")
    name = "Unreleased" if tag is None and re.search(r"^## \[?Unreleased", changelog, re.M) else version
    section = re.search(rf"^## \[?{re.escape(name)}\b.*\n((?:(?!## ).*\n?)*)", changelog, re.M)
    if section is None or not section[1].strip():
        raise ReleaseError(f"CHANGELOG.md has nothing under ## {name}")
    return section[1].strip()


if __name__ == "__main__":
    try:
        print(notes(CHANGELOG.read_text("utf-8"), next(iter(sys.argv[1:]), None)))
    except ReleaseError as error:
        sys.exit(f"release: {error}")
