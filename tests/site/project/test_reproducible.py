"""Two builds of one commit are equal, byte for byte, in whatever folder and environment they are made.

That holds on one kind of processor. On another, NumPy and its BLAS take other instructions, the last digits of some
numbers differ, and the page on training shows another run.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.site.pages import ROOT
from tools.copies import copy_project

pytestmark = pytest.mark.nightly

ELSEWHERE = {  # what differs on another machine, and must not be seen in the site
    "PYTHONHASHSEED": "12345",
    "TZ": "Pacific/Kiritimati",
    "LC_ALL": "C",
    "OPENBLAS_NUM_THREADS": "1",
}


@pytest.fixture(scope="module")
def site_elsewhere(tmp_path_factory):
    """Build the site from a copy with a longer name, without anything kept, in another environment."""
    copy = copy_project(tmp_path_factory.mktemp("a folder whose name is longer") / "copy")
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | ELSEWHERE
    env["SITE_URL"] = "https://site.test/attention/"
    build = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    run = subprocess.run(build, cwd=copy, env=env, umask=0o077, capture_output=True, text=True)
    assert not run.returncode, run.stdout + run.stderr
    return copy / "site"


def test_the_site_is_the_same_from_another_folder(site, site_elsewhere):
    here, there = _files(site), _files(site_elsewhere)
    assert sorted(here) == sorted(there)
    assert len(here) > 100
    assert [_difference(name, here[name], there[name]) for name in sorted(here) if here[name] != there[name]][:3] == []


def test_its_dates_are_those_of_the_commit(site):
    command = ["git", "log", "-1", "--date=format-local:%Y-%m-%d", "--format=%cd"]
    date = subprocess.run(command, cwd=ROOT, env=os.environ | {"TZ": "UTC"}, capture_output=True, text=True).stdout
    assert set(re.findall("<lastmod>(.+?)</lastmod>", (site / "sitemap.xml").read_text("utf-8"))) == {date.strip()}


def _files(folder: Path):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _difference(name, here, there):
    """Name the first place where two files differ, with what stands there."""
    place = next((at for at, pair in enumerate(zip(here, there, strict=False)) if pair[0] != pair[1]), None)
    place = min(len(here), len(there)) if place is None else place
    around = slice(max(place - 40, 0), place + 40)
    return f"{name}, byte {place}: {here[around]!r} and {there[around]!r}"
