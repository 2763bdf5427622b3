"""What is published: a wheel and a source distribution, the same bytes from the same sources, which work elsewhere."""

import os
import subprocess
import sys
import tarfile
import zipfile

import pytest

import attention
from tests.site.pages import ROOT

pytestmark = pytest.mark.nightly

NAME = f"attention_line_by_line-{attention.__version__}"
BOTH = (f"{NAME}-py3-none-any.whl", f"{NAME}.tar.gz")


def build(project, into, *, targets=("wheel", "sdist"), **options):
    """Build as `make dist` does."""
    env = {name: value for name, value in os.environ.items() if name not in ("SOURCE_DATE_EPOCH", "PYTHONPATH")}
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(into)]
    for target in targets:
        command += ["--target", target]
    run = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, **options)
    assert not run.returncode, run.stdout + run.stderr
    return into


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    return build(ROOT, tmp_path_factory.mktemp("dist"))


def test_the_sdist_gives_the_same_wheel(dist, tmp_path):
    with tarfile.open(dist / f"{NAME}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    wheel = build(tmp_path / NAME, tmp_path / "dist", targets=["wheel"]) / BOTH[0]
    assert wheel.read_bytes() == (dist / BOTH[0]).read_bytes()


def test_the_wheel_holds_the_package_and_its_licence(dist):
    info = f"{NAME}.dist-info"
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "attention").rglob("*.py")}
    package |= {"attention/py.typed", "attention/little_model/recorded.json", "attention/little_model/without.json"}
    package |= {"attention/show/show.css", "attention/show/show.js"}
    about = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE")}
    with zipfile.ZipFile(dist / BOTH[0]) as wheel:
        assert set(wheel.namelist()) == package | about
        assert wheel.read(f"{info}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
        asked = [line for line in wheel.read(f"{info}/METADATA").decode().splitlines() if line.startswith("Requires-D")]
    assert [line for line in asked if "extra ==" not in line] == ["Requires-Dist: numpy>=2.0"]


def test_the_sdist_holds_what_git_would_take(dist):
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    with tarfile.open(dist / f"{NAME}.tar.gz") as archive:
        held = {member.name.removeprefix(f"{NAME}/") for member in archive.getmembers()}
    assert held == {name for name in listed.split("\0") if name and (ROOT / name).exists()} | {"PKG-INFO"}
