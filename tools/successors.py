"""Would another generator build this site? `make successors` asks the two that read mkdocs.yml, and prints a table.

Each is installed in an environment of its own, in the newest version to be had, beside the versions of the lock, and
builds a copy of the project. It fails if one of them builds no site, changes what a page says, or leaves links dead.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import NamedTuple

from uv import find_uv_bin

from tools.compare import Site, read
from tools.copies import ROOT, copy_project

SUCCESSORS = {
    "properdocs": ("build", "--strict", "--config-file", "mkdocs.yml"),
    "zensical": ("build", "--strict", "--config-file", "mkdocs.yml"),
}
SHOWN = 5  # examples of what is missing


class Build(NamedTuple):
    """A site, what built it, and how many seconds that took."""

    generator: str
    site: Site
    seconds: float


class FailedError(Exception):
    """A generator that cannot be installed, or builds no site."""


def main() -> int:
    """Build, compare, print; return how many generators have something wrong."""
    with TemporaryDirectory() as folder:
        ours, wrong = build("mkdocs", ("build", "--strict"), Path(sys.executable).parent, Path(folder)), 0
        theirs = []
        for name, arguments in SUCCESSORS.items():
            try:
                theirs.append(build(name, arguments, install(name, Path(folder)), Path(folder)))
            except FailedError as error:
                wrong += 1
                print(f"{name}: {error}\n")
        print(table(ours, theirs))
        for other in theirs:
            missing = list(lacks(ours.site, other.site))
            wrong += any(line.is_wrong for line in missing)
            print(f"\n{other.generator}\n" + "".join(f"- {line.text}\n" for line in missing))
    return wrong


def install(name: str, folder: Path) -> Path:
    """Install a generator beside the versions of the lock; return the folder of its programs."""
    venv, uv = folder / f"venv-{name}", find_uv_bin()
    _run([uv, "venv", "--python", sys.executable, str(venv)], ROOT)
    lock = ["--only-binary", ":all:", "--requirement", "requirements.lock"]
    _run([uv, "pip", "install", "--python", str(venv / "bin/python"), *lock, name], ROOT)
    return venv / "bin"


def build(name: str, arguments: tuple[str, ...], programs: Path, folder: Path) -> Build:
    """Build a copy of the project, without anything kept from other builds."""
    version = f"from importlib.metadata import version; print('{name}', version('{name}'))"
    generator = _run([str(programs / "python"), "-c", version], folder)
    copy = copy_project(folder / name)
    start = monotonic()
    _run([str(programs / name), *arguments], copy)
    return Build(generator, read(copy / "site"), monotonic() - start)


def _run(command: list[str], folder: Path) -> str:
    env = os.environ | {"PYTHONPATH": str(folder), "NO_MKDOCS_2_WARNING": "1"}
    run = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    if run.returncode:
        raise FailedError(f"{Path(command[0]).name} {command[1]}:\n{run.stdout}{run.stderr}")
    return run.stdout.strip()


class Line(NamedTuple):
    """Something that differs, and whether a reader has less or worse for it."""

    text: str
    is_wrong: bool


def lacks(ours: Site, theirs: Site) -> list[Line]:
    """Say what another build of the same sources lacks."""
    files = ours.files - theirs.files
    found = {
        "pages say something else": (ours.words_changed(theirs), True),
        "anchors are lost": (ours.anchors_lost(theirs), True),
        "links lead nowhere": (list(theirs.dead_links()), True),
        "pages are missing": (sorted(ours.pages.keys() - theirs.pages.keys()), False),
        "other files are missing beside those of the theme": (
            sorted(name for name in files if not name.startswith("assets/") and name not in ours.pages),
            False,
        ),
    }
    return [
        Line(f"{len(names)} {what}{': ' if names else ''}{_some(names)}", is_wrong and bool(names))
        for what, (names, is_wrong) in found.items()
    ]


def _some(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:SHOWN])
    return f"{shown} and {len(names) - SHOWN} more" if len(names) > SHOWN else shown


def table(ours: Build, theirs: list[Build]) -> str:
    """Write what each build holds, side by side, as Markdown."""
    builds = [ours, *theirs]
    rows: dict[str, Callable[[Build], int]] = {"pages": lambda build: len(build.site.pages)}
    rows |= {part: partial(_count, part) for part in sorted(ours.site.parts())}
    rows["places that search knows"] = lambda build: build.site.searched
    rows["dead links"] = lambda build: len(list(build.site.dead_links()))
    rows["seconds"] = lambda build: round(build.seconds)
    lines = [["", *(build.generator for build in builds)], ["---", *("---:" for _ in builds)]]
    lines += [[name, *(str(value(build)) for build in builds)] for name, value in rows.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _count(part: str, build: Build) -> int:
    return build.site.parts()[part]


if __name__ == "__main__":
    sys.exit(main())
