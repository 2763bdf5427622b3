"""What a run says about skipped tests: a line for a reason, and a failure where skips are refused."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SKIPS = """
import pytest

@pytest.fixture
def browser():
    pytest.skip("no browser")

@pytest.mark.parametrize("i", range(3))
def test_a(browser, i): ...

def test_b(browser): ...

def test_c():
    pytest.skip("no luck")
"""

ALONE_OR_SHARED = [[], ["--numprocesses=2"]] if find_spec("xdist") else [[]]  # as pytest and as make test run


def run(folder, *options, **environment):
    clean = {name: value for name, value in os.environ.items() if name != "REFUSE_SKIPS"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml")]
    return subprocess.run(
        [*command, *options, f"--rootdir={folder}", "."],
        cwd=folder,
        env=clean | environment,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def folder(tmp_path):
    shutil.copy(ROOT / "conftest.py", tmp_path)
    for name in ("one", "two"):
        file = tmp_path / f"checks/{name}/test_{name}.py"
        file.parent.mkdir(parents=True)
        file.write_text(SKIPS if name == "one" else SKIPS.replace("no luck", "no time"), "utf-8")
    (tmp_path / "checks/two/test_whole.py").write_text("import pytest\npytest.importorskip('no_such_module')", "utf-8")
    return tmp_path


@pytest.mark.parametrize("options", ALONE_OR_SHARED)
def test_skips_of_one_reason_are_one_line(folder, options):
    result = run(folder, *options)
    assert result.returncode == 0, result.stdout
    lines = [line for line in result.stdout.splitlines() if " skipped in checks" in line]
    assert sorted(lines, key=lambda line: line.split(": ", 1)[1]) == [
        "1 skipped in checks/two/test_whole.py: could not import 'no_such_module': No module named 'no_such_module'",
        "8 skipped in checks: no browser",
        "1 skipped in checks/one/test_one.py: no luck",
        "1 skipped in checks/two/test_two.py: no time",
    ]
    assert "SKIPPED" not in result.stdout


@pytest.mark.parametrize("options", ALONE_OR_SHARED)
def test_a_refused_skip_fails_the_run(folder, options):
    result = run(folder, *options, REFUSE_SKIPS="1")
    assert result.returncode == 1
    assert result.stdout.count("REFUSE_SKIPS: ") == 4
    assert "REFUSE_SKIPS: 8 skipped in checks: no browser" in result.stdout


def test_an_expected_failure_is_no_skip(tmp_path):
    shutil.copy(ROOT / "conftest.py", tmp_path)
    test = "import pytest\n@pytest.mark.xfail\ndef test_d():\n    assert False"
    (tmp_path / "test_d.py").write_text(test, "utf-8")
    assert run(tmp_path, REFUSE_SKIPS="1").returncode == 0


@pytest.mark.parametrize("options", ALONE_OR_SHARED)
def test_examples_are_counted(tmp_path, options):
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "page.md").write_text(">>> 1 + 1\n2\n>>> 2 + 2\n4\n", "utf-8")
    (tmp_path / "sums.py").write_text('"""\n>>> 1 + 2\n3\n"""\n', "utf-8")
    assert "3 examples ran, in 1 docstrings and 1 pages" in run(tmp_path, *options).stdout
