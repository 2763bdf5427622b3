"""Which numbers of the pages nothing binds: `python -m tools.numbers docs/learn/heads.md`; without a page, a table.

`--record` writes down how many they are, page by page; tests let the number only fall.
"""

import json
import sys
from pathlib import Path

from docs_ext.numbers.claims import Report, check

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "tests" / "site" / "project" / "unbound.json"


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
    """Print what is wrong on a page and what is unbound, line by line."""
    found, lines = report(page), page.read_text("utf-8").splitlines()
    for wrong in found.wrong:
        print(wrong)
    for line in sorted({number.line for number in found.unbound}):
        numbers = ", ".join(number.numeral.text.strip() for number in found.unbound if number.line == line)
        print(f"docs/{name_of(page)}:{line}: {numbers}   in   {lines[line - 1].strip()[:150]}")
    share = found.noticed / max(1, len(found.found))
    print(f"{len(found.unbound)} of {len(found.found)} numbers are unbound; {share:.1%} of changes would be noticed")


def main(arguments: list[str]) -> None:
    """Print the numbers of the pages that are named, or how all pages stand."""
    if named := [Path(a).resolve() for a in arguments if not a.startswith("--")]:
        for page in named:
            show(page)
        return
    reports = {name_of(page): report(page) for page in pages()}
    rows = [(name, len(r.found), len(r.unbound), r.noticed) for name, r in reports.items() if r.found]
    _, found, unbound, noticed = zip(*rows, strict=True)
    for row in [*rows, ("all", sum(found), sum(unbound), sum(noticed))]:
        print(f"{row[0]:38} {row[1]:5} numbers {row[2]:5} unbound {row[3] / row[1]:7.1%} noticed")
    if "--record" in arguments:
        record = {name: unbound for name, _, unbound, _ in rows if unbound}
        RECORD.write_text(json.dumps(record, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
