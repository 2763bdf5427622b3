"""objects.inv, by which the docs of other projects link here: mkdocstrings lists what has a heading on a page.

The modules have none, since a page is its module. They, the version, and methods under the name that users import
are added before the file is written.
"""

from mkdocs.config.defaults import MkDocsConfig

import attention


def complete_inventory(config: MkDocsConfig) -> None:
    """Add each module with the page that holds its functions, and the package with the page that lists the modules."""
    if "mkdocstrings" not in config.plugins:
        return
    inventory = config.plugins["mkdocstrings"].handlers.inventory  # type: ignore[attr-defined]
    inventory.version = attention.__version__
    pages = {"attention": "reference/"}
    for item in list(inventory.values()):
        if item.role in ("method", "property"):
            module, kind, name = item.name.rsplit(".", 2)
            if hasattr(attention, kind) and not name.startswith("_"):
                inventory.register(name=f"attention.{kind}.{name}", domain="py", role=item.role, uri=item.uri)
        page, _, anchor = item.uri.partition("#")
        if item.role in ("class", "function") and anchor == item.name:  # here it is defined; other names lead here too
            pages[item.name.rpartition(".")[0]] = page
    for module, page in pages.items():
        inventory.register(name=module, domain="py", role="module", uri=page)
