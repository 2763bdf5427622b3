"""Explained code: every line of the function is there, once and in order, and stale notes stop the build."""

import re
from html import unescape

import pytest

from docs_ext.errors import SpecError
from docs_ext.fences import explained_code

CODE = '''\
import os


def outer(x):
    """Leave this out.

    All of it.
    """
    y = x < 1  # & a comment
    for i in range(2):
        y += i
    return y


def after():
    return os
'''


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
@pytest.mark.parametrize(
    ("notes", "function", "message"),
    [
        pytest.param({"for i": "Loop."}, "a.py:outer", "must begin at 'def outer", id="first line unexplained"),
        pytest.param({"def": "Enter.", "while": "Loop."}, "a.py:outer", "begins with 'while'", id="stale note"),
        pytest.param({"def": "x", "return": "x", "for": "x"}, "a.py:outer", "begins with 'for'", id="wrong order"),
        pytest.param({"def": "x", "return os": "x"}, "a.py:outer", "begins with 'return os'", id="another function"),
        pytest.param({"def": "x"}, "a.py:outr", "did you mean 'outer'", id="misspelt"),
        pytest.param({"def": "x"}, "b.py:outer", "path:name", id="no file"),
        pytest.param({"def": "x"}, "a.py", "path:name", id="no name"),
        pytest.param({"def": 1}, "a.py:outer", "notes is a mapping", id="no text"),
        pytest.param(["def"], "a.py:outer", "notes is a mapping", id="no mapping"),
        pytest.param({}, "a.py:outer", "must begin", id="nothing said"),
    ],
)
def test_what_does_not_fit_is_refused(notes, function, message):
    with pytest.raises(SpecError, match=message):
        render(notes, function)
