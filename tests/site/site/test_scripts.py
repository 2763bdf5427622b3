"""Comments leave the scripts, and nothing else does."""

import re
import subprocess
from pathlib import Path

import pytest

from docs_ext.site.scripts import strip_comments, strip_indents

ROOT = Path(__file__).parents[3]
SCRIPTS = sorted((ROOT / "docs/assets/js").rglob("*.js"))

GONE = {
    "a line": ("// why\nf();\n", "f();\n"),
    "an indented line": ("{\n  // why\n  f();\n}\n", "{\n  f();\n}\n"),
    "a line at the end of the file": ("f();\n// why", "f();\n"),
    "a line in which a quotation opens": ("// it's\nf();\n", "f();\n"),
    "a block of one line": ("  /** @type {X} */\nf();\n", "f();\n"),
    "a block of lines": ("/**\n * @param {X} x\n *\n */\nf();\n", "f();\n"),
    "two blocks": ("/** a */\nf();\n/** b */\ng();\n", "f();\ng();\n"),
    "lines of Windows": ("// why\r\nf();\r\n", "f();\r\n"),
    "a block in a file of Windows": ("/** a\r\n */\r\nf();\r\n", "f();\r\n"),
    "after a division": ("x = a / b;\n// why\ny = c / d;\n", "x = a / b;\ny = c / d;\n"),
    "after a regular expression": ("x = s.split(/[`'/]/);\n// why\n", "x = s.split(/[`'/]/);\n"),
    "after nested templates": ("`${x.map((y) => `{${y}`)}`;\n// why\n", "`${x.map((y) => `{${y}`)}`;\n"),
    "after a brace that is no brace": ("return /}/;\n// why\n", "return /}/;\n"),
    "within the code of a template": ("`${\n  // why\n  x\n}`;\n", "`${\n  x\n}`;\n"),
}
STAYS = {
    "beside code": "f(); // why\n",
    "a block before code": "x = /** @type {X} */ (y);\n/** @type {X} */ (y).z();\n",
    "a block after code": "f(); /**\n*/\n",
    "a licence": "/*! MIT */\nf();\n",
    "an address": 'x = "http://x";\n',
    "a string": "x = '\\'// no comment\\\n// nor this';\n",
    "a template": "x = `\n// text\n/** text */\n${y}\n// text\n`;\n",
    "a template with a dollar": "x = `$ $$ \\${ \\`\n// text\n`;\n",
    "a template after its code": "x = `${{ a: 1 }.a}\n// text\n`;\n",
    "nothing": "",
}


@pytest.mark.parametrize(("source", "stripped"), GONE.values(), ids=GONE)
def test_a_comment_on_lines_of_its_own_goes(source, stripped):
    assert strip_comments(source) == stripped


@pytest.mark.parametrize("source", STAYS.values(), ids=STAYS)
def test_all_else_stays(source):
    assert strip_comments(source) == source


def test_our_scripts_keep_their_code_in_order():
    assert SCRIPTS
    for path in SCRIPTS:
        source = path.read_text("utf-8")
        comment = re.compile(r"\s*(//|/\*\*|\*)")  # as deno fmt writes them
        code = [line for line in source.splitlines(keepends=True) if not comment.match(line) or "*/ (" in line]
        assert strip_comments(source) == "".join(code), path.name


def test_a_formatter_puts_back_the_spaces_that_were_taken_out(tmp_path):
    deno = pytest.importorskip("deno", reason="formatting JavaScript needs the dev extra").find_deno_bin()
    source = {path.stem: strip_comments(path.read_text("utf-8")) for path in SCRIPTS}
    for stem, text in source.items():
        (tmp_path / f"{stem}-as-it-is.js").write_text(text, "utf-8")
        (tmp_path / f"{stem}-stripped.js").write_text(strip_indents(text), "utf-8")
    subprocess.run([deno, "fmt", "--quiet", "--config", ROOT / "deno.json", tmp_path], check=True)
    for stem in source:
        pair = [(tmp_path / f"{stem}-{kind}.js").read_text("utf-8") for kind in ("stripped", "as-it-is")]
        assert pair[0] == pair[1], stem


def test_a_text_of_several_lines_keeps_its_spaces():
    source = "{\n  f(`a\n  b ${\n    c\n  }\n  d`);\n\n  g();\n}\n"
    assert strip_indents(source) == "{\nf(`a\n  b ${\nc\n}\n  d`);\n\ng();\n}\n"
