"""Results that are kept from build to build: the same chart, formula or font is not drawn twice.

A result is filed under a digest of everything that it follows from: its sources, all code and records that a page may
show or run, and the tools that are installed. So it is never out of date. `make clean` removes the folder.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import distributions
from pathlib import Path
from shutil import rmtree
from tempfile import NamedTemporaryFile
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".cache"
CODE = [ROOT / name for name in ("attention", "docs_ext", "examples", "docs/assets/records")]
MOST = 5  # so many codes have results: enough for two branches and the edits between


def kept(make: Callable[[], bytes], *sources: str | bytes) -> bytes:
    """Return what `make` returns for these sources."""
    function: Any = make.func if isinstance(make, partial) else make
    path = _folder(FOLDER) / _digest(f"{function.__module__}.{function.__qualname__}", *sources)
    with suppress(FileNotFoundError):
        return path.read_bytes()
    result = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, delete=False) as file:  # another build may write the same
        file.write(result)
    os.replace(file.name, path)
    return result


@cache
def _folder(parent: Path) -> Path:
    """Return the folder for results of this code and these tools; those of codes that are long gone go."""
    tools = sorted(f"{tool.name} {tool.version}" for tool in distributions())
    paths = sorted(path for folder in CODE for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    code = (part for path in paths for part in (path.relative_to(ROOT).as_posix(), path.read_bytes()))
    folder = parent / _digest(sys.version, *tools, *code)
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    with suppress(FileNotFoundError):  # another build does the same
        for old in sorted(parent.glob("*/"), key=lambda old: old.stat().st_mtime)[:-MOST]:
            rmtree(old)
    return folder


def _digest(*sources: str | bytes) -> str:
    digest = sha256()
    for source in sources:
        data = source if isinstance(source, bytes) else source.encode()
        digest.update(b"%d " % len(data) + data)
    return digest.hexdigest()
