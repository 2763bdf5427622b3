"""The reference of the fences: a section for each module of the folder, and nothing in it that is not in the module."""

import ast
import re
from textwrap import dedent, indent
from types import SimpleNamespace

import html5lib
import markdown
import pytest
from pymdownx.superfences import SuperFencesException

from docs_ext.extensions import fences
from tests.site.pages import ROOT

FOLDER = ROOT / "docs_ext/fences"
EXTENSIONS = [
    "attr_list",
    "md_in_html",
    "toc",
    "pymdownx.details",
    "pymdownx.superfences",
    "docs_ext.extensions.fences",
    "docs_ext.extensions.fence_reference",
]
PAGE = "# Title\n\nBefore `<!-- fences -->`.\n\n<!-- fences -->\n\nAfter.\n"
NAMES = sorted(path.stem.replace("_", "-") for path in FOLDER.glob("[!_]*.py"))
every_name = pytest.mark.parametrize("name", NAMES)


def convert(text):
    return markdown.markdown(text, extensions=EXTENSIONS)


@pytest.fixture(scope="module")
def sections():
    """Return the elements below the heading of each fence."""
    root = html5lib.parseFragment(convert(PAGE), namespaceHTMLElements=False)
    found, below = {}, []
    for element in root:
        if element.tag == "h3":
            below = found[words(element)] = [element]
        else:
            below.append(element)
    return found


def words(element):
    return " ".join("".join(element.itertext()).split())


def docstring(name):
    source = (FOLDER / f"{name.replace('-', '_')}.py").read_text("utf-8")
    return ast.get_docstring(ast.parse(source))


def examples(name):
    """Read the fences of a docstring line by line: the code under test finds them by a pattern."""
    lines, found = docstring(name).splitlines(), []
    for number, line in enumerate(lines):
        if line.strip() == f"```{name}":
            end = next(n for n in range(number, len(lines)) if lines[n].strip() == "```")
            found.append(dedent("\n".join(lines[number : end + 1])))
    return found


def test_every_fence_of_the_folder_has_its_section_and_nothing_else_has(sections):
    assert list(sections) == NAMES
    assert [section[0].get("id") for section in sections.values()] == [f"fence-{name}" for name in NAMES]
    assert len(NAMES) > 15


@every_name
def test_the_keys_are_those_that_the_module_takes(sections, name):
    module, line = fences.fence(name), words(sections[name][2])
    required, _, optional = line.partition(" Optional: ")
    assert re.findall(r"\w+", required) == ["Required", *module.REQUIRED]
    if module.OPTIONAL is None:
        assert optional == "what Vega-Lite knows."
    else:
        assert re.findall(r"\w+", optional) == list(module.OPTIONAL)


@every_name
def test_each_example_is_shown_as_an_author_types_it_and_stands_below_it_live(sections, name):
    shown = [block for element in sections[name] for block in element.iter("code") if "```" in words(block)]
    assert ["".join(block.itertext()).strip() for block in shown] == examples(name)
    assert examples(name)
    live = [element for element in sections[name] if element.tag == "details"]
    if shown_on := getattr(fences.fence(name), "SHOWN_ON", ""):  # too large to stand here as well
        assert not live
        assert shown_on in [link.get("href") for element in sections[name] for link in element.iter("a")]
        return
    assert len(live) == len(examples(name))
    for fold in live:
        assert "open" not in fold.attrib
        assert any(
            name in (element.tag, *element.get("class", "").split()) for element in fold.iter() if element is not fold
        )
    assert not any(name == element.tag for part in sections[name] if part not in live for element in part.iter())


@every_name
def test_no_line_of_an_example_is_wider_than_its_block(name):
    lines = [line for example in examples(name) for line in example.splitlines()]
    assert max(map(len, lines)) <= 76, max(lines, key=len)


def module_with(docstring):
    return SimpleNamespace(
        __name__="docs_ext.fences.bare", __doc__=docstring, REQUIRED=("caption",), OPTIONAL=(), render=str
    )


EXAMPLE = "```bare\ncaption: c\n```"
REFUSED = {
    "no docstring": None,
    "no example": "A fence.",
    "the example of another": "A fence.\n\n" + indent(EXAMPLE.replace("bare", "chart"), "    "),
    "an example for scripts only": f"A fence.\n\nThe HTML of this:\n\n{indent(EXAMPLE, '    ')}",
}


@pytest.mark.parametrize("docstring", REFUSED.values(), ids=REFUSED)
def test_a_module_without_an_example_stops_the_build(monkeypatch, docstring):
    monkeypatch.setattr(fences, "names", lambda: ["bare"])
    monkeypatch.setattr(fences, "fence", lambda name: module_with(docstring))
    with pytest.raises(SuperFencesException) as error:
        convert(PAGE)
    said = "docs_ext/fences/bare.py: its docstring shows no example, a fence that begins ```bare"
    assert str(error.value).endswith(f", line of the text 5: {said}")
    assert "\n" not in str(error.value)


def test_an_example_that_is_wrong_stops_the_build(monkeypatch):
    monkeypatch.setattr(fences, "fence", lambda name: module_with(f"A fence.\n\n{EXAMPLE.replace('cap', 'kap')}"))
    monkeypatch.setattr(fences, "names", lambda: ["bare"])
    with pytest.raises(SuperFencesException, match="bare: unknown key 'kaption'"):
        convert(PAGE)
