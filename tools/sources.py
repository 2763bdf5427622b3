"""Record in `docs/reference/sources.bib` what is cited, and the digest of each entry.

Run `python -m tools.sources` after you have added or changed an entry or a citation. It prints what it records, so
that you compare each line with the paper; the tests fail while the record differs from the pages.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

from docs_ext.sources.bibliography import Source, load, save
from tools.citations import places, recorded

ROOT = Path(__file__).parents[1]


def texts() -> dict[str, str]:
    """Return all that may cite, by a short name: `learn/masks`, `attention/masks`."""
    pages = {path.relative_to(ROOT / "docs"): path for path in (ROOT / "docs").rglob("*.md")}
    modules = {path.relative_to(ROOT): path for path in (ROOT / "attention").glob("*.py")}
    return {n.with_suffix("").as_posix(): path.read_text("utf-8") for n, path in sorted((pages | modules).items())}


def cited(sources: dict[str, Source]) -> dict[str, Counter[tuple[str, str]]]:
    """Return which places of which sources each page or module cites."""
    return {name: places(text, sources) for name, text in texts().items() if name != "reference/sources"}


def stamped(source: Source, where: dict[str, str]) -> Source:
    """Return the source with its places and its digest as they are."""
    own = {name: text for name, text in source.fields.items() if name not in ("places", "digest")}
    if source.key in where:
        own["places"] = where[source.key]
    return replace(source, fields=own | {"digest": source.digest})


def main() -> None:
    """Write the record, and print what has changed."""
    sources = load()
    where = recorded(cited(sources))
    after = {key: stamped(source, where) for key, source in sources.items()}
    for key, source in after.items():
        for name in ("places", "digest"):
            old, new = sources[key].fields.get(name, "none"), source.fields.get(name, "none")
            gone, came = (
                "; ".join(part for part in one.split("; ") if part not in other.split("; "))
                for one, other in ((old, new), (new, old))
            )
            if old != new:
                print(f"{key}: {name} {gone or 'nothing'} -> {came or 'nothing'}")
    save(after)


if __name__ == "__main__":
    main()
