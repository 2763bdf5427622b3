"""Setting up .venv: what is done when, what is left alone, and which Python is refused."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import environment

ROOT = Path(__file__).parents[3]
ALL = ["venv", "lock", "project"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a copy of what setting up reads; nothing is installed, `done` has what would have been."""
    for name in ("pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    return tmp_path


@pytest.fixture
def set_up(folder, monkeypatch):
    def set_up(failing=""):
        done = []

        def run(command, cwd):
            assert cwd == str(folder)
            what = "venv" if "venv" in command else "lock" if "-r" in command else "project"
            done.append(what)
            (folder / ".venv").mkdir(exist_ok=True)
            return subprocess.CompletedProcess(command, 3 if what == failing else 0)

        monkeypatch.setattr(subprocess, "run", run)
        if failing:
            with pytest.raises(SystemExit) as error:
                environment.main()
            assert error.value.code == 3
        else:
            environment.main()
        return done

    return set_up


def change(file, old, new):
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")


def test_everything_is_set_up_once_and_says_so_before(set_up, capsys):
    assert set_up() == ALL
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said] == ["Creating", "Installing", "Installing"]
    assert int(said[1].split()[1]) == len({p.name for p in packages()})
    assert set_up() == []
    assert not capsys.readouterr().out


def packages():
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    return [Path(line.split("==")[0]) for line in lock.splitlines() if "==" in line and not line.startswith((" ", "#"))]


def test_a_new_date_and_the_configuration_of_tools_install_nothing(set_up, folder):
    set_up()
    (folder / "requirements.lock").touch()
    change(folder / "pyproject.toml", "line-length = 120", "line-length = 100")
    assert set_up() == []


def test_only_what_changed_is_done_again(set_up, folder, monkeypatch):
    set_up()
    change(folder / "pyproject.toml", 'keywords = ["attention"', 'keywords = ["new"')
    assert set_up() == ["project"]
    change(folder / "requirements.lock", "==", "==9.")
    assert set_up() == ["lock"]
    monkeypatch.setattr(sys, "base_prefix", "/another/python")
    assert set_up() == ALL
    assert set_up() == []


def test_what_failed_is_taken_up_where_it_stopped(set_up):
    assert set_up(failing="lock") == ["venv", "lock"]
    assert set_up() == ["lock", "project"]


def test_an_old_python_is_refused_in_one_line(set_up, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 13))
    with pytest.raises(SystemExit, match=r"^Python 3\.11 or newer is needed, and \S+ is 3\.10: .*PYTHON=[^\n]*$"):
        set_up()


@pytest.mark.parametrize("module", ["__init__", "environment"])
def test_an_old_python_can_read_the_refusal(module):
    ast.parse((ROOT / f"tools/{module}.py").read_text("utf-8"), feature_version=(3, 6))


def test_the_oldest_python_is_that_of_the_project():
    assert f'requires-python = ">={environment.OLDEST[0]}.{environment.OLDEST[1]}"' in (
        ROOT / "pyproject.toml"
    ).read_text("utf-8")
