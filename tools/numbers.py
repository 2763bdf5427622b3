"""The results of a page and what bears each out: `python -m tools.numbers docs/learn/heads.md`; by default, a table.

`--changed 100 --seed 0` changes a digit, or the word, of 100 results drawn at random and counts how many are noticed.
"""

import argparse
import random
import re
from collections import Counter
from pathlib import Path

from docs_ext.numbers.claims import Found, Report, check
from docs_ext.numbers.evidence import changes

ROOT = Path(__file__).parents[1]


def pages() -> list[Path]:
    """Return all pages."""
    return sorted((ROOT / "docs").rglob("*.md"))


def name_of(page: Path) -> str:
    """Return what the build calls a page."""
    return page.relative_to(ROOT / "docs").as_posix()


def report(page: Path) -> Report:
    """Check one page."""
    return check(name_of(page), page.read_text("utf-8"))


def show(page: Path) -> None:
    """Print the results of a page with what bears them out, and what is wrong."""
    found = report(page)
    for number in found.found:
        if number.is_result:
            print(f"docs/{name_of(page)}:{number.line}: {number.numeral.text.strip()}: {number.by or 'nothing'}")
    print("\n".join(found.wrong))


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


def try_changes(count: int, seed: int) -> None:
    """Change results drawn at random, one at a time, and print those that nothing notices."""
    rng = random.Random(seed)
    results = [(page, number) for page in pages() for number in report(page).found if number.is_result]
    drawn = rng.sample(results, len(results))
    noticed = tried = 0
    for page, number in drawn:
        text = changed(page, number, rng)
        if text is not None and tried < count:
            tried += 1
            if check(name_of(page), text).wrong:
                noticed += 1
            else:
                print(f"docs/{name_of(page)}:{number.line}: {number.numeral.text.strip()} by {number.by}: not noticed")
    print(f"{noticed} of {tried} changes are noticed, of {len(results)} results")


def main() -> None:
    """Print how a page stands, or all, or how many changes are noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--changed", type=int)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.changed:
        try_changes(options.changed, options.seed)
    elif options.pages:
        for page in options.pages:
            show(page.resolve())
    else:
        for page in pages():
            found = report(page)
            by = Counter(number.by or "nothing" for number in found.found if number.is_result)
            if by:
                print(f"{name_of(page):34} {len(found.wrong)} wrong; {by.total():3} results by", dict(by.most_common()))


if __name__ == "__main__":
    main()
