"""Would another generator build this site? Those that read mkdocs.yml try: what each makes, and which links are dead.

Each is installed in an environment of its own, in its newest version, beside the versions of the lock.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

from uv import find_uv_bin

from tools.copies import copy_project

_LINK = re.compile(r'<a\b[^>]*\shref="(?!\w+:|/)([^"#]*)(?:#([^"]*))?"')


def main() -> int:
    """Build with each; return how many fail, or leave links dead."""
    return sum(map(fails, ("properdocs", "zensical")))


def fails(name: str) -> bool:
    """Build a copy of the project with this generator, and say what came of it."""
    uv = find_uv_bin()
    with TemporaryDirectory() as folder:
        venv, copy = Path(folder, "venv"), copy_project(Path(folder, "project"))
        lock = ["--only-binary", ":all:", "--requirement", "requirements.lock", name]
        env = os.environ | {"PYTHONPATH": str(copy), "NO_MKDOCS_2_WARNING": "1"}
        for command in (
            [uv, "venv", "--quiet", "--python", sys.executable, str(venv)],
            [uv, "pip", "install", "--quiet", "--python", str(venv / "bin/python"), *lock],
            [str(venv / "bin" / name), "build", "--strict", "--config-file", "mkdocs.yml"],
        ):
            run = subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True)
            if run.returncode:
                print(f"{name}: {command[1]} failed:\n{run.stdout}{run.stderr}")
                return True
        dead = list(dead_links(copy / "site"))
        print(f"{name}: {len([*(copy / 'site').rglob('*.html')])} pages, {len(dead)} dead links", *dead, sep="\n  ")
        return bool(dead)


def dead_links(site: Path) -> list[str]:
    """Return the links of a built site that lead to no page or anchor of it; `#~` begins the state of a widget."""
    text = {path: path.read_text("utf-8") for path in site.rglob("*.html")}
    anchors = {path: set(re.findall(r'\s(?:id|name)="([^"]*)"', page)) for path, page in text.items()}
    dead = []
    for path, page in text.items():
        for address, anchor in set(_LINK.findall(page)):
            target = (path.parent / unquote(address)).resolve() if address else path
            target = target / "index.html" if target.is_dir() else target
            lost = anchor and anchor[0] != "~" and unquote(anchor) not in anchors.get(target, {unquote(anchor)})
            if not target.exists() or lost:
                dead.append(f"{path.relative_to(site)}: {address}#{anchor}")
    return dead


if __name__ == "__main__":
    sys.exit(main())
