"""A wrong script is named with its line, whichever widget is drawn, and V8 lets Python end."""

import atexit
import re
import shutil
from pathlib import Path

import pytest
from py_mini_racer import JSParseException

from docs_ext.html import renderer
from docs_ext.reading.v8 import started

SOUND = Path(__file__).with_name("dials")  # the scripts of two widgets and what they share
BROKEN = [  # a script, what it holds at its end, the line that is wrong, and what is said of it
    ("lib/numbers.js", "let x = 3 +* 4;", 4, "SyntaxError: Unexpected token '*'"),
    ("widgets/b-dial.js", "}\nfunction g() {", 5, "SyntaxError: Unexpected token '}'"),
    ("widgets/b-dial.js", "function g() {\n", 5, "SyntaxError: Unexpected end of input"),
    ("main.js", "let word = 'a", 3, "SyntaxError: Invalid or unexpected token"),
    ("widgets/a-dial.js", "let one;", 7, "SyntaxError: Identifier 'one' has already been declared"),
    ("main.js", "export let a = 1;", 3, "only imports and exports by name can be joined: export let a = 1;"),
    ("main.js", 'import { x } from "./lib/nothing.js";', 3, "there is no lib/nothing.js"),
    ("main.js", 'import("./lib/nothing.js");', 3, "there is no lib/nothing.js"),
    ("main.js", 'import { unt } from "./lib/numbers.js";', 3, "lib/numbers.js exports no unt (did you mean 'unit'?)"),
    (
        "lib/numbers.js",
        "const two = ones + 1;",
        4,
        "ReferenceError: ones is not defined (for docs/assets/js/widgets/a-dial.js:4)",
    ),
]


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    folder = shutil.copytree(SOUND, tmp_path / "js")
    monkeypatch.setattr(renderer, "SCRIPTS", folder)
    renderer.load.cache_clear()
    yield folder
    renderer.load.cache_clear()


@pytest.mark.parametrize(("name", "text", "line", "message"), BROKEN)
def test_the_script_that_is_wrong_is_named_with_its_line_until_it_is_mended(scripts, name, text, line, message):
    sound = (scripts / name).read_text("utf-8")
    (scripts / name).write_text(f"{sound}{text}\n", "utf-8")
    with pytest.raises(ValueError, match=f"^{re.escape(f'docs/assets/js/{name}:{line}: {message}')}$"):
        renderer.draw("a-dial", {"of": " of "})
    (scripts / name).write_text(sound, "utf-8")
    renderer.load.cache_clear()
    assert renderer.draw("a-dial", {"of": " of "}) == "1 of 1"


@pytest.mark.parametrize(
    ("widget", "message"),
    [
        ("a-dial", "a-dial.js:6: TypeError: Cannot read properties of null (reading 'of')"),
        ("b-dial", "b-dial.js: Error: it does not export html"),
        ("c-dial", "c-dial.js: Error: there is no such script"),
    ],
)
def test_an_error_of_a_call_names_the_script(scripts, widget, message):
    with pytest.raises(ValueError, match=f"^docs/assets/js/widgets/{re.escape(message)}$"):
        renderer.call(f"widgets/{widget}.js", "html", None, 1)


def test_an_engine_is_closed_at_the_end_though_its_script_is_wrong(monkeypatch):
    closing = []
    monkeypatch.setattr(atexit, "register", closing.append)
    with pytest.raises(JSParseException):
        started("(")
    closing[0]()
