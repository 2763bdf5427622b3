"""Explained code: every line of the function is there, once and in order, and stale notes stop the build."""

import re
import tomllib
from html import unescape
from pathlib import Path

import pytest

from docs_ext.errors import SpecError
from docs_ext.fences import explained_code

CODE = Path(__file__).with_name("outer.python").read_text("utf-8")


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(explained_code, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text(CODE)


def shown(html):
    return [
        unescape(re.sub("<[^>]+>", "", code)).rstrip("\n") for code in re.findall(r"<code>(.*?)</code>", html, re.S)
    ]


def render(notes, function="a.py:outer"):
    return explained_code.render({"id": "c", "function": function, "notes": notes})


@pytest.mark.usefixtures("file")
def test_the_lines_are_those_of_the_file_without_the_docstring():
    html = render({"def outer": "Enter.", "for i": "Loop, $x^2$.", "return": "Leave."})
    assert shown(html) == [
        "def outer(x):\n    y = x < 1  # & a comment",
        "    for i in range(2):\n        y += i",
        "    return y",
    ]
    assert re.findall(r"<p>(Enter|Leave)\.</p>", html) == ["Enter", "Leave"]
    assert 'class="katex"' in html
    assert html.index("Enter") < html.index("Loop") < html.index("Leave")


@pytest.mark.usefixtures("file")
def test_of_two_lines_that_begin_alike_each_has_its_note():
    assert [code.split()[:2] for code in shown(render({"def": "x", "y": "Set.", "y ": "x"}))[1:]] == [
        ["y", "="],
        ["y", "+="],
    ]


BAD = tomllib.loads(Path(__file__).with_name("explained_code.toml").read_text("utf-8"))


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(("notes", "function", "message"), BAD.values(), ids=BAD)
def test_what_does_not_fit_is_refused(notes, function, message):
    with pytest.raises(SpecError, match=message):
        render(notes, function)
