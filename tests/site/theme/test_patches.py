"""Patches of the theme fit the locked version, and say so when they no longer do."""

import re
from pathlib import Path

import material
import pytest
from mkdocs.exceptions import BuildError

from docs_ext.reading.v8 import started
from docs_ext.theme.patches import _PATCHES, mend_scripts, mend_style, name_controls

ASSETS = Path(material.__file__).parent / "templates/assets"
SCRIPTS = ASSETS / "javascripts"
NAMES = [next(SCRIPTS.glob(name)).relative_to(SCRIPTS) for name in ("bundle.*.js", "workers/search.*.js")]


@pytest.fixture
def folder(tmp_path):
    for name in NAMES:
        path = tmp_path / "assets/javascripts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((SCRIPTS / name).read_text("utf-8"), "utf-8")
    return tmp_path / "assets/javascripts"


def test_every_fault_is_mended_once(folder, tmp_path):
    for _ in range(2):
        mend_scripts(tmp_path)  # it refuses a fault that does not stand there once
        scripts = "".join((folder / name).read_text("utf-8") for name in NAMES)
        assert scripts.count("/* mended */") == 2
        assert all(mended in scripts for patches in _PATCHES.values() for _, mended in patches)


def test_the_style_loses_what_is_said_of_tabs_alone_and_no_page_has_tabs(site, tmp_path):
    sheet = tmp_path / "assets/stylesheets/main.0.css"
    sheet.parent.mkdir(parents=True)
    sheet.write_text(next(ASSETS.glob("stylesheets/main.*.css")).read_text("utf-8"), "utf-8")
    before = rules(sheet)
    mend_style(tmp_path)
    assert rules(sheet) == [rule for rule in before if not all("tabbed-" in part for part in rule.split(","))]
    assert len(rules(sheet)) < len(before) - 50
    assert not [page for page in site.rglob("*.html") if 'class="tabbed-' in page.read_text("utf-8")]


def rules(sheet):
    return re.findall(r"(?<=[{}])([^{}@]+)\{[^{}]*\}", sheet.read_text("utf-8"))


def test_the_search_names_no_two_nodes_of_its_tree_alike(folder, tmp_path):
    mend_scripts(tmp_path)
    engine = started("self = globalThis; addEventListener = () => {};", (folder / NAMES[1]).read_text("utf-8"))
    name = "String(Object.assign(new lunr.TokenSet(), {{edges: {}}}))".format
    assert engine.eval(name("{1: {id: 2}, 3: {id: 4}}")) != engine.eval(name("{1: {id: 234}}"))


def test_a_changed_script_is_noticed(folder, tmp_path):
    script = folder / NAMES[0]
    script.write_text(script.read_text("utf-8").replace("t=new Worker(e)", "t=new Worker(f)"), "utf-8")
    with pytest.raises(BuildError, match=r"patches\.py: bundle.* has 0 times .*has the theme changed"):
        mend_scripts(tmp_path)


def test_the_search_and_the_menu_get_a_name_or_their_loss_is_noticed():
    page = '<label class="md-header__button md-icon" for="__drawer"><div data-md-component="search" role="dialog">'
    assert re.findall('(?:label|title)="(.*?)">', name_controls(page)) == ["Menu", "Search"]
    with pytest.raises(BuildError, match="has the theme changed"):
        name_controls("<div></div>")
