"""Print how many minutes each page takes that is read in order, and what they are made of: no build is needed.

Run `python -m tools.reading_time`.
"""

from mkdocs.config import load_config

from docs_ext.reading.page import DOCS, load
from docs_ext.reading.reading_time import A_MINUTE, reading


def parts_of_the_menu() -> dict[str, list[str]]:
    """Return the sources of the pages that are read in order, by the parts of the menu."""
    menu = load_config(f"{DOCS.parent}/mkdocs.yml").nav or []
    return {name: pages for part in menu[0]["Learn"] for name, pages in part.items()}


if __name__ == "__main__":
    print(f"{'':45} minutes", *(f"{part:>9}" for part in A_MINUTE))
    for name, sources in parts_of_the_menu().items():
        print(f"{name:45} {sum(reading(load(source)).first for source in sources):7.1f}")
        for source in sources:
            time = reading(load(source))
            print(f"  {source:43} {time.first:7.1f}", *(f"{time.parts[part]:9}" for part in A_MINUTE))
