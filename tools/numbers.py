"""Which numbers of the pages nothing binds: `python -m tools.numbers docs/learn/heads.md`, or without a page a table of all.

`--record` writes down how many they are, page by page; tests let the number only fall.
"""

import json
import sys
from pathlib import Path

from docs_ext.spec.claims import Report, check

ROOT = Path(__file__).parents[1]
RECORD = ROOT / "tests" / "project" / "unbound.json"


def pages() -> list[Path]:
    """Return the pages that hold numbers of their own."""
    return sorted((ROOT / "docs").rglob("*.md"))


def report(page: Path) -> Report:
    """Check one page."""
    return check(page.relative_to(ROOT / "docs").as_posix(), page.read_text("utf-8"))


def show(page: Path) -> None:
    """Print what is wrong on a page and what is unbound, line by line."""
    found, lines = report(page), page.read_text("utf-8").splitlines()
    print(*found.wrong, sep="\n", end="\n" if found.wrong else "")
    for line in sorted({number.line for number in found.unbound}):
        numbers = ", ".join(number.numeral.text.strip() for number in found.unbound if number.line == line)
        print(f"{page.relative_to(ROOT)}:{line}: {numbers}   in   {lines[line - 1].strip()[:150]}")
    print(
        f"{len(found.unbound)} of {len(found.found)} numbers are unbound; {found.noticed / max(1, len(found.found)):.1%} of changes would be noticed"
    )


def main(arguments: list[str]) -> None:
    """Print the numbers of the pages that are named, or how all pages stand."""
    if named := [Path(a).resolve() for a in arguments if not a.startswith("--")]:
        for page in named:
            show(page)
        return
    reports = {page.relative_to(ROOT / "docs").as_posix(): report(page) for page in pages()}
    reports = {name: found for name, found in reports.items() if found.found}
    for name, found in reports.items():
        print(
            f"{name:38} {len(found.found):5} numbers {len(found.unbound):5} unbound {found.noticed / len(found.found):7.1%} noticed"
        )
    total = sum(len(found.found) for found in reports.values())
    noticed = sum(found.noticed for found in reports.values())
    print(
        f"{'all':38} {total:5} numbers {sum(len(f.unbound) for f in reports.values()):5} unbound {noticed / total:7.1%} noticed"
    )
    if "--record" in arguments:
        RECORD.write_text(json.dumps({name: len(f.unbound) for name, f in reports.items()}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
