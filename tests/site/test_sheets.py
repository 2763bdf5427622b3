"""The style sheets, read without a browser: whole rules, known properties, variables and classes that exist.

What a property may be called, Pygments tells.
"""

import importlib.util
import re
from itertools import accumulate
from pathlib import Path

import material
import pytest
from pygments.lexers import CssLexer
from pygments.token import Keyword

from docs_ext.errors import did_you_mean
from tests.site.pages import ROOT

THEME = Path(material.__file__).parent / "templates"
FOLDER = ROOT / "docs/assets/css"
SHEETS = {path.relative_to(FOLDER).as_posix(): path.read_text("utf-8") for path in sorted(FOLDER.rglob("*.css"))}
FOREIGN = "".join(
    path.read_text("utf-8")
    for path in (*sorted((THEME / "assets/stylesheets").glob("*.css")), ROOT / "docs/assets/katex/katex.min.css")
)
WRITERS = [path for folder in ("docs_ext", "docs/assets/js") for path in sorted((ROOT / folder).rglob("*.*"))]
WRITERS = [
    path for path in WRITERS if path.suffix in (".py", ".js", ".html", ".jinja", ".yaml") and "katex" not in path.parts
]
SCRIPTS = {path.name: path.read_text("utf-8") for path in WRITERS if path.suffix == ".js"}
PAGES = sorted((ROOT / "docs").rglob("*.md"))
WORDS = {path: set(re.findall(r"[\w-]+", path.read_text("utf-8"))) for path in (*WRITERS, *PAGES)}
MARKUP = "".join(path.read_text("utf-8") for path in (*WRITERS, *PAGES))
HANDLER = [Path(folder) for folder in importlib.util.find_spec("mkdocstrings_handlers").submodule_search_locations]
TEMPLATES = [path for folder in (THEME, *HANDLER) for path in folder.rglob("*.*") if path.suffix in (".html", ".jinja")]
THEIRS = FOREIGN + "".join(path.read_text("utf-8") for path in TEMPLATES)
THEIR_WORDS = set(re.findall(r"[\w-]+", THEIRS))
TESTED = "".join(path.read_text("utf-8") for path in (ROOT / "tests/browser").rglob("*.[pj][ys]"))

NEWER = "animation-timeline font-display inherits initial-value navigation paint-order size src syntax text-anchor"
NEWER = {*NEWER.split(), "touch-action", "vector-effect", "zoom"}  # of which Pygments does not know
_UNITS = "px em rem fr vh vw ch ex deg turn s ms dppx cqi cqw cqb svh lh rlh mm"
UNITS = set(_UNITS.split())
LEXER = CssLexer()
EVERY = pytest.mark.parametrize("name", SHEETS)


def blank(text):
    """Leave out comments and what stands in quotation marks."""
    return re.sub(r'"[^"\n]*"', '""', re.sub(r"/\*.*?\*/", lambda c: "\n" * c[0].count("\n"), text, flags=re.S))


def declarations(text):
    """Yield property and value of every declaration, innermost braces first."""
    for body in re.findall(r"\{([^{}]*)\}", blank(text)):
        for part in filter(None, map(str.strip, body.split(";"))):
            yield part.partition(":")[::2] if ":" in part else (part, "")


def is_known(prop):
    """Ask Pygments, which colours the code of the pages, whether that is a property of CSS."""
    return prop.startswith("--") or prop in NEWER or (Keyword, prop) in LEXER.get_tokens(f"a{{{prop}:0}}")


@EVERY
def test_every_brace_is_closed_and_every_declaration_has_a_known_property_and_a_value(name):
    text = blank(SHEETS[name])
    assert not re.search(r"/\*|\*/", text)
    assert text.count('"') % 2 == 0
    depths = [*accumulate((line.count("{") - line.count("}") for line in text.split("\n")), initial=0)]
    faulty = next((number for number, depth in enumerate(depths) if not 0 <= depth <= 3), None)
    assert faulty is None, f"{name}:{faulty}: a brace too many"
    assert depths[-1] == 0, f"{name}: a brace is open at the end"
    for prop, value in declarations(SHEETS[name]):
        assert is_known(prop), f"{name}: {prop!r} is no property"
        assert value.strip(), f"{name}: {prop!r} has no value"
        assert value.count("(") == value.count(")"), f"{name}: {prop}: {value}"
        assert set(re.findall(r"(?<![\w#-])\d*\.?\d+([a-z]+)\b", value)) <= UNITS, f"{name}: {prop}: {value}"


OWN = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in (*FOLDER.rglob("*.css"), *WRITERS, *PAGES)
}
SET = r"(--[\w-]+)\s*:"


def where(pattern, known):
    """Return which variables of our files are not known, each with its files."""
    found = {(name, file) for file, text in OWN.items() for name in re.findall(pattern, text) if name not in known}
    return [f"{file}: {name}{did_you_mean(name, known)}" for name, file in sorted(found)]


def test_every_variable_is_set_somewhere_and_used():
    ours = "".join(SHEETS.values())
    known = set(re.findall(SET, ours + THEIRS + MARKUP)) | set(re.findall(r'setProperty\("(--[\w-]+)"', MARKUP))
    assert not (lost := where(r"var\((--[\w-]+)\)", known)), "never set: " + "; ".join(lost)
    asked = set(re.findall(r"var\((--[\w-]+)", ours + MARKUP + THEIRS))
    idle = [line for line in where(SET, asked) if line.partition(":")[0].endswith(".css")]
    assert not idle, "set, and never used: " + "; ".join(idle)


def names_in(selectors):
    return set(re.findall(r"\.(-?[a-zA-Z_][\w-]*)", re.sub(r"\[[^\]]*\]", "", selectors)))


@EVERY
def test_every_class_of_a_selector_is_given_to_something(name):
    selectors = " ".join(re.findall(r"([^{};]+)\{", blank(SHEETS[name])))
    selectors = re.sub(r"@\w+[^{]*", "", selectors) if selectors.startswith("@") else selectors
    known = THEIR_WORDS.union(*WORDS.values()) | {f"role-{role}" for role in ("query", "key", "value", "output")}
    known |= {f"l{level}" for level in range(4)}  # head-browser.js counts them
    missing = names_in(selectors) - known
    assert not missing, f"{name}: nothing has the class {missing}"


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_class_that_a_script_gives_or_seeks_exists_elsewhere(name):
    text = SCRIPTS[name]
    given = set()
    for written in re.findall(r'(?:className = |classList\.(?:add|toggle|remove)\()"([^"]+)"', text):
        given |= set(written.split())
    sought = set().union(*map(names_in, re.findall(r'(?:querySelector(?:All)?|closest|matches)\(\s*"([^"]+)"', text)))
    others = THEIR_WORDS.union(STYLED, *(words for other, words in WORDS.items() if other.name != name))
    assert not [one for one in given | sought if one not in others and f".{one}" not in TESTED]


# What one engine at least drops or draws differently. WebKit reads the shorthand text-decoration as a line and nothing
# else, and leaves the legend of a fieldset that is a grid or a flexbox outside of it. Firefox loses stripes of a
# gradient that mixes a colour and does not say in which space. WebKit turns no cell of a table, but spans,
# positions no row, and draws a double line of 4 pixels as one.
MIXED = "|".join(re.findall(r"(--[\w-]+): *color-mix", "".join(SHEETS.values())))
REFUSED = {
    "text-decoration": re.compile("^(?!(none|underline|line-through)$)"),
    "background": re.compile(rf"repeating-[a-z]+-gradient\((?![^,]* in )[^;]*(color-mix|var\(({MIXED})\))"),
}
HIDDEN_LEGENDS = {"row-stepper.widget fieldset", ".translation-tabs fieldset"}  # a legend that is seen by nobody


def refused(sheet):
    """Yield each declaration that another engine reads otherwise."""
    for selectors, body in re.findall(r"([^{};]+)\{([^{}]*)\}", blank(sheet)):
        styled = {selector.strip() for selector in re.split(r",(?![^(]*\))", selectors)} - HIDDEN_LEGENDS
        on_row = any(re.search(r"\b(tr|thead|tbody|tfoot)$", selector) for selector in styled)
        on_spans = all(re.search(r"\bspan$", selector) for selector in styled)
        on_fieldset = any(re.search(r"fieldset[^ >+~]*$", selector) for selector in styled)
        for prop, value in declarations(f"{{{body}}}"):
            wrong = prop in REFUSED and REFUSED[prop].search(" ".join(value.split()))
            wrong = wrong or (prop == "display" and on_fieldset and re.search("grid|flex", value))
            wrong = wrong or (prop == "position" and on_row) or "4px double" in value
            if wrong or (prop == "writing-mode" and not on_spans):
                yield f"{selectors.strip()} {{ {prop}:{value} }}"


@EVERY
def test_every_engine_reads_a_sheet_alike(name):
    assert not list(refused(SHEETS[name]))


STYLED = set().union(*(names_in(blank(sheet)) for sheet in SHEETS.values()))
