"""The date of a build is that of the commit, and does not depend on when or where it is built."""

import os
import subprocess

import pytest

from docs_ext.site import date


@pytest.fixture
def commit_of_1999(tmp_path):
    """Return a folder with a checkout whose only commit is of the last second of 1999."""
    when = {"GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "1999-12-31T23:59:59Z"}
    who = ["-c", "user.name=a", "-c", "user.email=a@test", "-c", "commit.gpgsign=false"]
    for command in (["init"], [*who, "commit", "--allow-empty", "--message", "x"]):
        subprocess.run(["git", *command], cwd=tmp_path, env=os.environ | when, check=True, capture_output=True)
    return tmp_path


@pytest.mark.parametrize(("folder", "told"), [("", "946684799"), ("unpacked", date.WITHOUT_GIT)])
def test_it_is_that_of_the_last_commit_of_this_project(monkeypatch, commit_of_1999, folder, told):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")  # put back afterwards, whatever the test does
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    monkeypatch.setattr(date, "ROOT", commit_of_1999 / folder)
    date.ROOT.mkdir(exist_ok=True)
    date.set_date()
    assert os.environ["SOURCE_DATE_EPOCH"] == told
