"""The wheel on the site is the one that is published, and pip installs it by its address."""

import ast
import os
import subprocess
import sys
from doctest import DocTestParser
from zipfile import ZipFile

import pytest

import attention
from tests.site.pages import ROOT

NAME = f"attention_line_by_line-{attention.__version__}-py3-none-any.whl"


def test_the_site_has_the_wheel_that_is_published(site, tmp_path):
    env = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, env=env, check=True, capture_output=True)
    assert [path.name for path in site.glob("*.whl")] == [NAME]
    assert (site / NAME).read_bytes() == (tmp_path / NAME).read_bytes()


def test_what_the_examples_of_a_page_import_is_in_it_or_comes_with_numpy_and_python(site):
    with ZipFile(site / NAME) as wheel:
        files = {name.removesuffix(".py").removesuffix("/__init__") for name in wheel.namelist()}
    twins, missing = sorted(site.rglob("index.html.md")), set()
    for twin in twins:
        for example in DocTestParser().get_examples(twin.read_text("utf-8")):
            for name in imported(example.source):
                held = name.partition(".")[0] in {"numpy", *sys.stdlib_module_names} or name.replace(".", "/") in files
                missing |= set() if held else {f"{twin.parent.relative_to(site)}: {name}"}
    assert len(twins) == len([*(ROOT / "docs").rglob("*.md")])
    assert not missing


@pytest.mark.nightly
def test_every_twin_runs_with_the_wheel_and_numpy_alone(site, elsewhere):
    command = [elsewhere, "-I", "-m", "doctest", *sorted(site.rglob("index.html.md"))]
    run = subprocess.run(command, cwd=site.parent, capture_output=True, text=True)
    assert not run.returncode, run.stdout + run.stderr


def imported(code):
    """Name the modules that an example imports, wherever the statement stands."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
