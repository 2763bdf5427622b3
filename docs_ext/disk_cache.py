"""Results that are kept from build to build: the same chart, formula or font is not drawn twice.

A result is filed under a digest of everything that it follows from: its sources, the module that makes it, the version
of the tool. So it is never out of date. `make clean` removes the folder.
"""

import os
from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

FOLDER = Path(__file__).parents[1] / ".cache"


def kept(make: Callable[[], bytes], *sources: str | bytes, by: str = "") -> bytes:
    """Return what `make` returns for these sources; `by` names the distribution that does the work."""
    digest = sha256()
    function: Any = make.func if isinstance(make, partial) else make
    for source in (*sources, _code(function.__globals__["__file__"]), f"{by} {version(by)}" if by else ""):
        data = source if isinstance(source, bytes) else source.encode()
        digest.update(b"%d " % len(data) + data)
    path = FOLDER / digest.hexdigest()
    if path.is_file():
        return path.read_bytes()
    result = make()
    FOLDER.mkdir(exist_ok=True)
    with NamedTemporaryFile(dir=FOLDER, delete=False) as file:  # another build may write the same
        file.write(result)
    os.replace(file.name, path)
    return result


@cache
def _code(path: str) -> bytes:
    return Path(path).read_bytes()
