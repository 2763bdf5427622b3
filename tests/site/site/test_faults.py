"""Each kind of mistake stops the build or the tests, and the message names the file that holds it.

A small project with the site's own configuration is sound; every case plants one fault in it.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tables import beside, each_row

ROOT = Path(__file__).parents[3]
COMMANDS = {
    "build": ["mkdocs", "build", "--strict"],
    "test": ["pytest", "-q", "-p", "no:cacheprovider"],
}

PAGE = beside(__file__, "sound.markdown")

MODULE = beside(__file__, "doubling.python")

FILES = {
    "docs/index.md": PAGE,
    "docs/reference.md": "# Reference\n\nFunctions.\n\n::: attention.doubling\n",
    "attention/doubling.py": MODULE,
}


@pytest.fixture
def project(tmp_path):
    """Return the folder of a small sound project under the site's own configuration."""
    config, menu = (ROOT / "mkdocs.yml").read_text("utf-8"), "nav: [index.md, reference.md]\n\n"
    config = re.sub(r"(?m)^hooks:.*\n", "", config)  # they finish a site that is right without them
    files = FILES | {"mkdocs.yml": re.sub(r"(?m)^nav:\n(?: .*\n|\n)+", menu, config), "attention/__init__.py": ""}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "docs_ext").symlink_to(ROOT / "docs_ext")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def run(command, project):
    """Run a module in the project, with this checkout's extensions and package; return its status and output."""
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-P", "-m", *command], cwd=project, env=env, capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_the_project_without_a_fault_is_sound(project, command):
    status, output = run(COMMANDS[command], project)
    assert status == 0, output


@each_row("file, sound, faulty, command, message", "faults.toml")
def test_a_fault_is_noticed_and_its_file_named(project, file, sound, faulty, command, message):
    before = FILES.get(file, "")
    assert sound in before
    (project / file).write_text(before.replace(sound, faulty, 1), "utf-8")
    status, output = run(COMMANDS[command], project)
    assert status != 0, f"nothing was noticed:\n{output}"
    assert re.search(message, output, re.S), output
