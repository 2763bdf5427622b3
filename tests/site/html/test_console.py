"""Folded setups: found by the build, whole in the copy, and nothing lost in what is read. A copy pastes at a prompt."""

import re
import sys
from code import InteractiveConsole

import html5lib
import pytest
from markdown import markdown

from docs_ext.html.console import for_prompt
from tests.site.pages import PAGES, ROOT, with_proofs
from tests.tables import beside

CASES = {label: (case["consoles"], case["setup"]) for label, case in beside(__file__, "console.toml").items()}
EXTENSIONS = ["pymdownx.highlight", "pymdownx.superfences", "docs_ext.extensions.page_steps"]


def render(*consoles):
    return markdown("\n\n".join(f"```pycon\n{console}\n\n```" for console in consoles), extensions=EXTENSIONS)


def blocks(html):
    """Yield of each block its setup as it reads, what stands below, and what a click on the button copies."""
    root = html5lib.parse(html, namespaceHTMLElements=False)
    for block in root.iterfind(".//div[@class]"):
        setup = block.find("details/pre")
        below = "".join(block.find("pre/code").itertext()).rstrip()
        yield "" if setup is None else "".join(setup.itertext()).rstrip(), below, block.get("data-copy")


def folded(*consoles):
    return [setup for setup, _, _ in blocks(render(*consoles))]


@pytest.mark.parametrize(("consoles", "setup"), CASES.values(), ids=CASES)
def test_the_setup_of_a_block_is_what_it_begins_with_and_the_reader_knows(consoles, setup):
    assert folded(*consoles)[-1] == setup


@pytest.mark.parametrize("consoles", [consoles for consoles, setup in CASES.values() if setup])
def test_a_folded_block_is_copied_whole_and_read_whole(consoles):
    setup, below, copied = list(blocks(render(*consoles)))[-1]
    assert copied == for_prompt(consoles[-1])
    assert re.sub(r"\n+", "\n", f"{setup}\n{below}") == re.sub(r"\n+", "\n", consoles[-1])
    assert not below.startswith("\n")


class Prompt(InteractiveConsole):
    """Python's prompt, which reads lines and runs nothing."""

    def __init__(self):
        super().__init__()
        self.faults = []

    def runcode(self, code):
        pass

    def showsyntaxerror(self, *_args, **_options):
        self.faults.append(str(sys.exc_info()[1]))

    def paste(self, text):
        """Paste a text; the reader ends it with one line more if the prompt waits for it."""
        if [*map(self.push, text.split("\n"))][-1] and self.push(""):
            self.faults.append("the prompt waits for more")
        return self.faults


@pytest.mark.parametrize("source", PAGES, ids=lambda source: source.relative_to(ROOT).as_posix())
def test_what_is_copied_from_a_page_pastes_at_the_prompt(source):
    for console in with_proofs(source):
        assert not Prompt().paste(for_prompt(console.code.rstrip("\n"))), console.code


def test_a_copy_is_for_a_prompt_or_a_file_of_tests():
    loop = ">>> import re\n>>> for i in range(2):\n...     print(i)\n0\n1\n>>> 5\n5"
    [(setup, _, copied)] = blocks(render(loop))
    assert (setup, copied) == (">>> import re", "import re\nfor i in range(2):\n    print(i)\n\n5")
    page = f"---\ncopies: doctests\n---\n\n```pycon\n{loop}\n\n```"
    [(setup, below, copied)] = blocks(markdown(page, extensions=EXTENSIONS))
    assert (setup, below, copied) == ("", loop, loop)
    assert "data-copy" not in render(">>> 5\n5")
