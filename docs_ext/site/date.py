"""The date of everything that is built: that of the last commit, so that two builds of one commit are equal.

Tools that write dates read it from SOURCE_DATE_EPOCH (reproducible-builds.org); whoever has set that keeps it.
"""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
WITHOUT_GIT = "1580601600"  # 2 February 2020: the date that hatchling, too, gives to files that have none


def set_date() -> None:
    """Set SOURCE_DATE_EPOCH for this process unless it is set."""
    if "SOURCE_DATE_EPOCH" not in os.environ:
        os.environ["SOURCE_DATE_EPOCH"] = _last_commit() or WITHOUT_GIT


def _last_commit() -> str:
    """Return the time of the checkout's commit; nothing outside a checkout, or inside someone else's."""
    command = ["git", f"--git-dir={ROOT / '.git'}", "log", "-1", "--format=%ct"]
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:
        return ""
