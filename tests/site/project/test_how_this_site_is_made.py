"""The page "How this site is made": the files that it names are there, and mistakes get the lines that it quotes."""

import re

import pytest
from mkdocs.config import load_config
from mkdocs.exceptions import BuildError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from tests.site.pages import ROOT
from tests.site.site.test_faults import FAULTS, INDEX, PAGE

TEXT = (ROOT / "docs/reference/how-this-site-is-made.md").read_text("utf-8")
QUOTED = dict(re.findall(r"^- (.+): `(index\.md:.+)`$", TEXT, re.MULTILINE))
PLANTED = {  # what the page calls a mistake: the sound text, the faulty one
    "a misspelt fence": FAULTS["a misspelt fence"][1:3],
    "a misspelt key": FAULTS["a grid with a wrong key"][1:3],
    "a caption with a colon, but without quotation marks": FAULTS["a colon without quotes"][1:3],
    "two words, but the vectors of only one": FAULTS["a grid whose shapes disagree"][1:3],
    "a formula that KaTeX does not know": FAULTS["an undefined macro on a page"][1:3],
    "half a line in a console": FAULTS["half a line in a console"][1:3],
    "a diagram that is not there": ("The formula", "![a diagram](assets/diagrams/none.svg)\n\nThe formula"),
}
MARKDOWN = """markdown_extensions:
  - pymdownx.arithmatex: {generic: true}
  - pymdownx.superfences
  - docs_ext.extensions.page_steps
"""


def test_every_file_and_folder_that_it_names_is_there():
    named = set(re.findall(r"`((?:attention|docs|docs_ext|tests)/[\w/.-]+)`", TEXT))
    assert len(named) > 12
    assert not [name for name in sorted(named) if not (ROOT / name).exists()]


def test_the_lists_that_are_kept_by_hand_are_those_that_it_and_contributing_name():
    folders = ["attention/[!_]*.py", "docs/learn/*.md", "docs/assets/js/widgets/*.js", "docs/assets/css/fences/*.css"]
    registries = [{path.stem for path in ROOT.glob(folder)} for folder in folders]
    files = [f for n in ("attention", "docs_ext", "tests", "tools", "benchmarks") for f in (ROOT / n).rglob("*.py")]
    files += [*ROOT.glob("*.yml"), *ROOT.glob("*.toml"), ROOT / "Makefile", ROOT / "docs/reference/index.md"]
    kept = {
        file.relative_to(ROOT).as_posix()
        for file in files
        for words in [set(re.findall(r"[\w-]+", file.read_text("utf-8")))]
        if any(len(stems & words) >= 0.75 * len(stems) for stems in registries)
    }
    kept -= {"tests/site/reference/test_page_formulas.py", "tests/site/fences/test_contract.py"}  # tables of cases
    for text in (TEXT, (ROOT / "CONTRIBUTING.md").read_text("utf-8")):
        (sentence,) = re.findall(r"Two lists are kept by\shand:.*?[.;]\s", text, re.DOTALL)
        assert set(re.findall(r"`([\w/]+\.\w+)`", sentence)) == kept


@pytest.mark.parametrize("mistake", QUOTED)
def test_a_mistake_gets_the_line_that_is_quoted(tmp_path, mistake):
    sound, faulty = PLANTED[mistake]
    assert sound in PAGE
    (tmp_path / INDEX).parent.mkdir()
    (tmp_path / INDEX).write_text(PAGE.replace(sound, faulty, 1), "utf-8")
    (tmp_path / "mkdocs.yml").write_text(f"site_name: test\nplugins: []\n{MARKDOWN}", "utf-8")
    config = load_config(str(tmp_path / "mkdocs.yml"))
    file = File("index.md", config.docs_dir, config.site_dir, use_directory_urls=True)
    page = Page(None, file, config)
    page.read_source(config)
    with pytest.raises(BuildError) as error:
        page.render(config, Files([file]))
    assert str(error.value).startswith(QUOTED[mistake])  # KaTeX goes on and underlines the place
