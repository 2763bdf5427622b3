"""What is kept is what would be made: another source, another code or another tool makes it anew."""

import os
import shutil
import subprocess
import sys
from functools import partial
from types import SimpleNamespace

import pytest

from docs_ext import disk_cache as module
from docs_ext.disk_cache import kept


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Return a function that counts how often it has to make something."""
    monkeypatch.setattr(module, "FOLDER", tmp_path / "cache")
    calls = []

    def make(text):
        calls.append(text)
        return text.encode()

    return make, calls


def test_the_same_is_made_once(made):
    make, calls = made
    assert [kept(partial(make, "a"), "a"), kept(partial(make, "a"), "a")] == [b"a", b"a"]
    assert calls == ["a"]


@pytest.mark.parametrize(("one", "other"), [(("a",), ("b",)), (("ab", "c"), ("a", "bc")), (("a",), ("a", ""))])
def test_other_sources_make_it_anew(made, one, other):
    make, calls = made
    for sources in (one, other):
        kept(partial(make, "x"), *sources)
    assert len(calls) == 2


def test_another_tool_makes_it_anew_and_what_is_long_gone_goes(made, monkeypatch):
    make, calls = made
    for number in "112345676":
        monkeypatch.setattr(module, "distributions", lambda number=number: [SimpleNamespace(name="a", version=number)])
        module._folder.cache_clear()
        kept(partial(make, number), "a")
    module._folder.cache_clear()
    assert "".join(calls) == "1234567"
    assert len(list(module.FOLDER.iterdir())) == module.MOST


CONVERT = """
from docs_ext.copies.markdown import to_markdown
print(to_markdown('<span class="katex"><annotation>W_Q</annotation></span>', "https://site.test/"), end="")
"""


def test_a_result_follows_an_edit_of_what_its_code_calls(tmp_path):
    for name in ("attention", "docs_ext"):
        shutil.copytree(module.ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    env = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}

    def converted():
        command = [sys.executable, "-c", CONVERT]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stdout

    helper = tmp_path / "docs_ext/html/tree.py"
    assert converted() == "$W_Q$\n"
    helper.write_text(helper.read_text("utf-8").replace("str(annotation.text())", '"LOST"'), "utf-8")
    assert converted() == "$LOST$\n"
    with (tmp_path / "attention/masks.py").open("a") as package:
        package.write("# what pages compute follows from this too\n")
    converted()
    assert len(list((tmp_path / ".cache").iterdir())) == 3


def test_what_is_half_written_is_made_anew(made, monkeypatch):
    make, calls = made
    with monkeypatch.context() as full_disk:
        full_disk.setattr("os.replace", lambda *_: {}["no space"])
        with pytest.raises(KeyError):
            kept(partial(make, "a"), "a")
    assert kept(partial(make, "a"), "a") == b"a"
    assert calls == ["a", "a"]
