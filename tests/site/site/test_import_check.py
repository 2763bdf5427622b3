"""What a downloaded script does first: it says in a line if the package `attention` is missing, or another one."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import attention
from tests.site.pages import ROOT

pytest.importorskip("mkdocs", reason="the site's tools are not installed: pip install -e .[docs]")

from docs_ext.site.downloads import as_script
from docs_ext.site.import_check import guard

SITE = "https://site.test/attention/"
WHEEL = f"python -m pip install {SITE}attention_line_by_line-{attention.__version__}-py3-none-any.whl"
PAGE = "# Title\n\n```pycon\n>>> from attention import softmax\n>>> softmax([0, 0])\narray([0.5, 0.5])\n\n```\n"


def run(folder, site=SITE, version=attention.__version__):
    """Run a script of the site where Python finds what is in the folder, NumPy, and nothing else."""
    script = as_script(PAGE, SITE + "learn/page/", "page", site)
    assert guard(site) in script
    (folder / "page.py").write_text(script.replace(guard(site), guard(site, version)), "utf-8")
    (folder / "numpy").symlink_to(os.path.dirname(np.__file__))
    (folder / "numpy.libs").symlink_to(os.path.dirname(np.__file__) + ".libs")
    done = subprocess.run(
        [sys.executable, "-S", "page.py"], cwd=folder, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr.splitlines()


def put_ours(folder):
    shutil.copytree(ROOT / "attention", folder / "attention", ignore=shutil.ignore_patterns("__pycache__"))


def test_ours_runs_and_nothing_is_said_from_a_clone_without_metadata(tmp_path):
    put_ours(tmp_path)
    assert run(tmp_path) == (0, "array([0.5, 0.5])\nAll 1 outputs are those of the page.\n", [])


def test_no_package_is_one_line_and_the_command_that_installs_the_wheel_of_this_site(tmp_path):
    code, printed, said = run(tmp_path)
    assert (code, printed) == (1, "")
    assert said == [
        "This needs the package of Attention, line by line, which is not installed. Please run",
        f"  {WHEEL}",
    ]


@pytest.mark.parametrize("site", ["http://127.0.0.1:8000/", "http://localhost/", "", None])
def test_a_site_without_an_address_names_the_clone(tmp_path, site):
    *_, said = run(tmp_path, site)
    assert said[-1] == "  python -m pip install .    (in the folder of the repository)"


OTHERS = {
    "keras": "from tensorflow.keras.layers import Layer\n",  # what the other distribution imports; not installed here
    "empty": "",
    "mentions ours": 'x = 1\n"""Attention in NumPy, line by line."""\n',
    "broken": "def (\n",
    "no letters": "\udcff",
}


@pytest.mark.parametrize("start", OTHERS.values(), ids=OTHERS)
def test_another_package_is_one_line_and_two_commands(tmp_path, start):
    (tmp_path / "attention").mkdir()
    (tmp_path / "attention/__init__.py").write_bytes(start.encode("utf-8", "surrogateescape"))
    code, printed, said = run(tmp_path)
    assert (code, printed) == (1, "")
    assert "found another one of the name `attention`" in said[0]
    assert str(tmp_path / "attention/__init__.py") in said[0]
    assert said[1:] == ["  python -m pip uninstall attention attention-line-by-line", f"  {WHEEL}"]


def test_a_file_or_a_folder_of_that_name_is_another_package(tmp_path):
    for place in ("file", "folder"):
        (tmp_path / place).mkdir()
    (tmp_path / "file/attention.py").write_text("x = 1\n")
    (tmp_path / "folder/attention").mkdir()
    for place, name in (("file", "attention.py"), ("folder", "attention")):
        code, _, said = run(tmp_path / place)
        assert code == 1
        assert f"{tmp_path / place / name}. Please remove it" in said[0]


def test_what_the_other_one_leaves_of_ours_is_no_package_of_ours(tmp_path):
    """With both installed their files mix; the last one wrote `__init__.py`, and removing it takes that away."""
    put_ours(tmp_path)
    (tmp_path / "attention/__init__.py").unlink()
    code, _, said = run(tmp_path)
    assert code == 1
    assert "found another one" in said[0]


def test_another_version_is_one_line_and_the_script_goes_on(tmp_path):
    put_ours(tmp_path)
    code, printed, said = run(tmp_path, version="9.9.9")
    assert (code, said) == (0, [])
    assert printed.splitlines() == [
        f"Note: this is of version 9.9.9, and the package here of version {attention.__version__}.",
        "array([0.5, 0.5])",
        "All 1 outputs are those of the page.",
    ]


def test_ours_is_told_by_its_first_line():
    start = (ROOT / "attention/__init__.py").read_text("utf-8")
    assert start.startswith(f'"""{attention.__doc__}"""\n')
    assert f'\n__version__ = "{attention.__version__}"\n' in start


def test_the_check_binds_one_name_and_imports_neither_package():
    names = {"__name__": "page"}
    before = set(sys.modules)
    exec(guard(SITE), names)
    assert set(names) - {"__name__", "__builtins__"} == {"check_package"}
    assert "tensorflow" not in set(sys.modules) - before


def test_every_script_of_the_site_checks_first(site):
    scripts = sorted(site.rglob("learn/*/*.py"))
    assert len(scripts) > 25
    for script in scripts:
        text = script.read_text("utf-8")
        assert text.index(guard(SITE)) < text.index("class Recorder"), script.name
        assert f"\n    {WHEEL}\n" in text[: text.index("class Recorder")], script.name
