"""Setting up .venv: only what changed is done again, and what failed is taken up where it stopped."""

import shutil
import subprocess
import sys

import pytest

from tests.site.pages import ROOT
from tools import environment

LOCKS = ("requirements.lock", "requirements-nightly.lock")


@pytest.fixture
def set_up(tmp_path, monkeypatch):
    """Return what sets up a copy and returns what would have been installed; one step may fail."""
    for name in ("pyproject.toml", *LOCKS):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.setattr(environment, "ROOT", tmp_path)

    def set_up(*locks, failing=""):
        done = []

        def run(command, cwd):
            done.append("venv" if "venv" in command else command[-1].removeprefix(f"{tmp_path}/"))
            (tmp_path / ".venv").mkdir(exist_ok=True)
            return subprocess.CompletedProcess(command, 3 if done[-1] == failing else 0)

        monkeypatch.setattr(subprocess, "run", run)
        monkeypatch.setattr(sys, "argv", ["environment", *locks])
        if failing:
            with pytest.raises(SystemExit):
                environment.main()
        else:
            environment.main()
        return done

    return set_up


def test_only_what_changed_is_done_again(set_up, tmp_path):
    main, nightly = LOCKS
    assert set_up() == ["venv", main, str(tmp_path)]
    assert set_up() == []
    assert set_up(nightly) == [nightly]
    assert set_up() == set_up(nightly) == []
    for file, old, new in (("pyproject.toml", '"attention"', '"new"'), (main, "==", "==9.")):
        (tmp_path / file).write_text((tmp_path / file).read_text("utf-8").replace(old, new, 1), "utf-8")
    assert set_up() == [main, str(tmp_path)]


def test_what_failed_is_taken_up_where_it_stopped(set_up, tmp_path):
    assert set_up(failing="requirements.lock") == ["venv", "requirements.lock"]
    assert set_up() == ["requirements.lock", str(tmp_path)]
