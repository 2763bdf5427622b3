"""Would a wrong digit be noticed? `python -m tools.numbers 100` changes 100 results drawn at random, one at a time.

A digit, or a word, of each becomes another one; `make page` says which results of a page are not borne out as it is.
"""

import random
import re
import sys
from pathlib import Path

from docs_ext.reading.page import DOCS
from tools.numbers.claims import Found, check
from tools.numbers.evidence import changes


def pages() -> dict[str, Path]:
    """Return all pages by what the build calls them."""
    return {path.relative_to(DOCS).as_posix(): path for path in sorted(DOCS.rglob("*.md"))}


def changed(page: Path, number: Found, rng: random.Random) -> str | None:
    """Return the text of a page with another digit, or another word, in one of its numbers; None if it is not found."""
    old = number.numeral.text.strip()
    new = rng.choice([other.text.strip() for other in changes(number.numeral)])
    lines = page.read_text("utf-8").splitlines(keepends=True)
    for i in range(number.line - 1, min(number.line + 7, len(lines))):  # YAML may fold the lines of a text
        line, n = re.subn(rf"(?<![\w.]){re.escape(old)}(?![\w]|[.,]\d)", lambda _: new, lines[i], count=1)
        if n:
            return "".join([*lines[:i], line, *lines[i + 1 :]])
    return None


def main(count: int, seed: int = 0) -> None:
    """Change results drawn at random, one at a time, and print those that nothing notices."""
    rng = random.Random(seed)
    found = [(name, n) for name, page in pages().items() for n in check(name, page.read_text("utf-8")).found]
    results = [(name, number) for name, number in found if number.is_result]
    noticed = tried = 0
    for name, number in rng.sample(results, len(results)):
        text = changed(pages()[name], number, rng) if tried < count else None
        if text is not None:
            tried += 1
            if check(name, text).wrong:
                noticed += 1
            else:
                print(f"docs/{name}:{number.line}: {number.numeral.text.strip()} by {number.by}: not noticed")
    print(f"{noticed} of {tried} changes are noticed, of {len(results)} results")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
