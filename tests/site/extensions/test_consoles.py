"""Every example runs wherever a reader pastes it, and a copied example is nothing but code.

That each page runs as one session from top to bottom is pytest's own business: --doctest-glob in pyproject.toml.
"""

import re
from html import unescape

import pytest

from docs_ext.errors import SpecError
from docs_ext.reading.consoles import run
from tests.site.pages import PAGES, ROOT, with_proofs
from tests.tables import beside


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_block_runs_alone_when_it_is_pasted(page):
    fails = []
    for console in with_proofs(page):
        if not console.code.startswith(">>> # continues "):  # the blocks above
            try:
                run(console.code, {"__name__": "__main__"})
            except SpecError as error:
                fails.append(f"{console.where}: {error}")
    assert not fails, "\n".join(fails)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_keeps_to_plain_doctest(page):
    text = page.read_text("utf-8")
    assert "# doctest:" not in text, f"{page}: python -m doctest and pytest must agree without flags"
    prompts = len(re.findall(r"^ *>>> ", text, re.M))
    fenced = sum(len(re.findall(r"^>>> ", console.code, re.M)) for console in with_proofs(page))
    assert prompts == fenced, f"{page}: {prompts - fenced} prompts stand outside a ```pycon block"


COLUMNS = 80  # what a block holds at 1280 px, prompt included: --code in site.css


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_line_of_an_example_is_longer_than_its_block(page):
    found = with_proofs(page)
    long = [f"{found.where}: {line}" for found in found for line in found.code.split("\n") if len(line) > COLUMNS]
    assert not long, f"{len(long)} lines have more than {COLUMNS} columns:\n" + "\n".join(long)


CONSOLE = beside(__file__, "console.markdown").rstrip("\n")


@pytest.fixture(scope="module")
def rendered():
    from markdown import markdown

    return markdown(
        CONSOLE, extensions=["pymdownx.highlight", "pymdownx.superfences", "docs_ext.extensions.page_steps"]
    )


def test_what_is_copied_is_the_code_alone(rendered):
    code = re.search(r"<code>(.*)</code>", rendered, re.S)[1]
    for hidden in ("gp", "go"):  # the style sheet hides both while Material copies
        innermost = re.compile(rf'<span class="{hidden}">(?:[^<]|<span[^>]*>[^<]*</span>)*</span>')
        code = innermost.sub("", code)
    assert re.sub(r"<[^>]+>", "", code) == 'for i in range(2):\n    print(i)\n\n{}["a"]\n"&lt;b&gt;"\n'


def test_what_is_read_is_all_of_it(rendered):
    text = re.sub(r"<[^>]+>", "", rendered).replace("&gt;", ">").replace("&lt;", "<")
    assert text == CONSOLE.removeprefix("```pycon\n").removesuffix("\n```")


WHEEL = re.compile(r"https://\S+\.whl")  # as long as the site's address makes it


def test_no_line_of_other_code_is_longer_than_its_block(site):
    long = []
    for page in site.rglob("index.html"):
        html = re.sub(r'<details class="mkdocstrings-source">.*?</details>', "", page.read_text("utf-8"), flags=re.S)
        for block in re.findall(r"<pre>(.*?)</pre>", html, re.S):  # signatures, plain text
            lines = unescape(re.sub(r"<[^>]+>", "", block)).split("\n") if 'class="gp"' not in block else ()
            long += [f"{page.parent.relative_to(site)}: {line}" for line in lines if len(WHEEL.sub("", line)) > COLUMNS]
    assert not long, f"{len(long)} lines have more than {COLUMNS} columns:\n" + "\n".join(long)
