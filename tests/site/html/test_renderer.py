"""A wrong script is named with its line, whichever widget is drawn, and V8 lets Python end."""

import atexit
import re
import shutil
from pathlib import Path

import pytest
from py_mini_racer import JSParseException

from docs_ext.html import renderer
from docs_ext.reading.v8 import started
from tests.tables import each_row

SOUND = Path(__file__).with_name("dials")  # the scripts of two widgets and what they share


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    folder = shutil.copytree(SOUND, tmp_path / "js")
    monkeypatch.setattr(renderer, "SCRIPTS", folder)
    renderer.load.cache_clear()
    yield folder
    renderer.load.cache_clear()


@each_row("name, text, line, message", "renderer.toml", "table")
def test_the_script_that_is_wrong_is_named_with_its_line_until_it_is_mended(scripts, name, text, line, message):
    sound = (scripts / name).read_text("utf-8")
    (scripts / name).write_text(f"{sound}{text}\n", "utf-8")
    with pytest.raises(ValueError, match=f"^{re.escape(f'docs/assets/js/{name}:{line}: {message}')}$"):
        renderer.draw("a-dial", {"of": " of "})
    (scripts / name).write_text(sound, "utf-8")
    renderer.load.cache_clear()
    assert renderer.draw("a-dial", {"of": " of "}) == "1 of 1"


@each_row("widget, message", "renderer.toml", "calls")
def test_an_error_of_a_call_names_the_script(scripts, widget, message):
    with pytest.raises(ValueError, match=f"^docs/assets/js/widgets/{re.escape(message)}$"):
        renderer.call(f"widgets/{widget}.js", "html", None, 1)


def test_an_engine_is_closed_at_the_end_though_its_script_is_wrong(monkeypatch):
    closing = []
    monkeypatch.setattr(atexit, "register", closing.append)
    with pytest.raises(JSParseException):
        started("(")
    closing[0]()
