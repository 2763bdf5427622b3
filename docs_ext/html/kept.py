"""Results that are kept from build to build: the same chart, formula or font is not drawn twice.

A result is filed under a digest of everything that it follows from, the versions of the tools included, so it is never
out of date. `make clean` removes the folder.
"""

import os
from collections.abc import Callable
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import NamedTemporaryFile

FOLDER = Path(__file__).parents[2] / ".cache"


def kept(make: Callable[[], bytes], *sources: str | bytes, by: str = "") -> bytes:
    """Return what `make` returns for these sources; `by` names the distribution that does the work."""
    digest = sha256()
    for source in (*sources, f"{by} {version(by)}" if by else ""):
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
