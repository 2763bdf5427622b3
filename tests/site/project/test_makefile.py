"""The commands: `make` alone lists them all, each with what it does."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
def test_make_alone_lists_every_command():
    command = ["make", "--no-print-directory"]  # make test calls this from within make
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    (phony,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    lines = [re.fullmatch(r"make ([a-z -]+?) {2,}(\S.*)", line).groups() for line in shown.splitlines()]
    assert sorted(name for names, _ in lines for name in names.split()) == sorted(phony.split())


def test_readme_names_only_commands_that_exist():
    commands = set(re.findall(r"^    make ([\w-]+)", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE))
    rules = {name for rule in re.findall(r"^([a-z -]+):", MAKEFILE, re.MULTILINE) for name in rule.split()}
    assert {"serve", "test"} <= commands <= rules
