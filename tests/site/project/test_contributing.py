"""What CONTRIBUTING.md and RELEASING.md say of the repository: the files that they name are there, the lists too."""

import re

import pytest

from tests.site.pages import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


@pytest.mark.parametrize(("file", "least"), [("CONTRIBUTING.md", 12), ("RELEASING.md", 5)])
def test_every_file_and_folder_that_it_names_is_there(file, least):
    text = (ROOT / file).read_text("utf-8")
    named = set(re.findall(r"`((?:attention|docs|docs_ext|tests)/[\w/.-]+)`", text)) - {"docs/learn/how-long.md"}
    assert len(named) > least
    assert not [name for name in sorted(named) if not (ROOT / name).exists()]


def test_the_lists_that_are_kept_by_hand_are_those_that_it_names():
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
    kept -= {"tests/site/fences/test_contract.py"}  # a table of cases
    (sentence,) = re.findall(r"Two lists are kept by\shand:.*?[.;]\s", TEXT, re.DOTALL)
    assert set(re.findall(r"`([\w/]+\.\w+)`", sentence)) == kept
