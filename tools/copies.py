"""The project once more, in another folder: to build it there, or to see that nothing depends on where it is."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
_MADE = {".git", ".venv", ".cache", "site", "dist", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache"}


def copy_project(folder: Path) -> Path:
    """Copy everything that is not made, as part of the same commit; return the folder."""

    def leave(parent: str, names: list[str]) -> set[str]:
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
