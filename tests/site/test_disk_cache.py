"""What is kept is what would be made: another source, another code or another tool makes it anew."""

from functools import partial

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


def test_other_code_makes_it_anew(made, monkeypatch):
    make, calls = made
    kept(partial(make, "a"), "a")
    monkeypatch.setattr(module, "_code", lambda path: b"edited")
    kept(partial(make, "a"), "a")
    assert len(calls) == 2


def test_another_tool_makes_it_anew(made, monkeypatch):
    make, calls = made
    for number in ("1", "1", "2"):
        monkeypatch.setattr(module, "version", lambda name, number=number: number)
        kept(partial(make, "a"), "a", by="numpy")
    assert len(calls) == 2


def test_what_fails_is_not_kept(made):
    make, _ = made
    with pytest.raises(LookupError):
        kept(lambda: {}["a"], "a")
    assert kept(partial(make, "a"), "a") == b"a"
