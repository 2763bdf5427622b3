"""The numbers of a page and what bears each out: `python -m tools.numbers docs/learn/heads.md`; without a page, a table.

`--changed 100 --seed 0` changes a digit, or the word, of 100 results drawn at random and counts how many are noticed.
"""

import argparse
import random
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


def main() -> None:
    """Print how a page stands, or all, or how many changes are noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--changed", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for page in options.pages:
        show(page.resolve())
    if not options.pages:
        for page in pages():
            found = report(page)
            by = Counter(number.by or "nothing" for number in found.found if number.is_result)
            if found.found: print(f"{name_of(page):38} {len(found.found):5} numbers, results by {dict(by)}, {len(found.wrong)} wrong")


if __name__ == "__main__":
    main()
