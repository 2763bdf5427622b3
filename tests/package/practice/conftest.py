"""Where the exercise programs run."""

from pathlib import Path

import pytest

import attention


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Stand in an empty folder, from which the package can be imported."""
    monkeypatch.setenv("PYTHONPATH", str(Path(attention.__file__).parents[1]))
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.chdir(tmp_path)
