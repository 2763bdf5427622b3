"""The project once more, in another folder: for tests of what must not depend on where a thing is made."""

import shutil
import subprocess
from pathlib import Path

from tests.pages import ROOT

_MADE = {".git", ".venv", ".cache", "site", "dist", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache"}


def copy_project(folder: Path) -> Path:
    """Copy everything that is not made, as part of the same commit; return the folder."""

    def leave(parent, names):
        return {name for name in names if name == "__pycache__" or (Path(parent) == ROOT and name in _MADE)}

    shutil.copytree(ROOT, folder, ignore=leave)
    if (git := git_folder()) is not None:
        (folder / ".git").write_text(f"gitdir: {git}\n", "utf-8")
    return folder


def git_folder() -> str | None:
    """Return where git keeps this checkout; None if this is none."""
    if not shutil.which("git"):
        return None
    command = ["git", f"--git-dir={ROOT / '.git'}", "rev-parse", "--absolute-git-dir"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or None
