"""Patches of the theme fit the locked version, and say so when they no longer do."""

from pathlib import Path

import material
import pytest

from docs_ext.site.theme_patches import mend_bundle, name_search_dialog

BUNDLES = list(Path(material.__file__).parent.glob("templates/assets/javascripts/bundle.*.js"))


@pytest.fixture
def site(tmp_path):
    folder = tmp_path / "assets/javascripts"
    folder.mkdir(parents=True)
    (folder / BUNDLES[0].name).write_text(BUNDLES[0].read_text("utf-8"), "utf-8")
    return tmp_path


def test_every_fault_of_the_bundle_is_found_once_and_mended(site):
    mend_bundle(site)
    script = (site / "assets/javascripts" / BUNDLES[0].name).read_text("utf-8")
    before = BUNDLES[0].read_text("utf-8")
    for fault in (
        'location.protocol!=="file:"',
        "t=new Worker(e)",
        "scrollable:At(e)",
        'setAttribute("data-md-color-switching',
    ):
        assert (before.count(fault), script.count(fault)) == (1, 0)


def test_what_is_mended_stays_as_it_is(site):
    mend_bundle(site)
    [script] = (site / "assets/javascripts").iterdir()
    once = script.read_text("utf-8")
    mend_bundle(site)
    assert script.read_text("utf-8") == once


def test_a_changed_bundle_is_noticed(site):
    [script] = (site / "assets/javascripts").iterdir()
    script.write_text(script.read_text("utf-8").replace("t=new Worker(e)", "t=new Worker(f)"), "utf-8")
    with pytest.raises(Exception, match=r"theme_patches\.py: bundle.* has 0 times .*has the theme changed"):
        mend_bundle(site)


def test_a_bundle_that_is_not_there_is_noticed(tmp_path):
    with pytest.raises(Exception, match=r"theme_patches\.py: 0 bundles"):
        mend_bundle(tmp_path)


def test_the_search_dialog_gets_a_name_or_its_loss_is_noticed():
    dialog = '<div class="md-search" data-md-component="search" role="dialog">'
    assert name_search_dialog(dialog) == dialog.replace(">", ' aria-label="Search">')
    with pytest.raises(Exception, match="has the theme changed"):
        name_search_dialog("<div></div>")
