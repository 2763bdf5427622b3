"""One script out of several modules, for a page that has to stand alone: a file opened from a disk may import nothing."""

import re
from pathlib import Path

_IMPORT = re.compile(r"^import\s[^;]*?from\s+\"(?P<path>[^\"]+)\";\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=const |function |class |let )", re.MULTILINE)


def one_script(module: Path) -> str:
    """Write a module and all that it imports as one classic script, the imported ones first, within a function."""
    return '(() => {\n"use strict";\n' + "\n".join(_bodies(module.resolve(), set())) + "})();\n"


def _bodies(module: Path, seen: set[Path]) -> list[str]:
    if module in seen:
        return []
    seen.add(module)
    source = module.read_text("utf-8")
    before = [body for found in _IMPORT.finditer(source) for body in _bodies((module.parent / found["path"]).resolve(), seen)]
    body = _EXPORT.sub("", _IMPORT.sub("", source)).replace("</script", "<\\/script")
    if left := re.search(r"^(import|export)\b.*", body, re.MULTILINE):
        raise ValueError(f"{module.name}: only named imports and exports can be joined: {left[0]}")
    return [*before, body]
