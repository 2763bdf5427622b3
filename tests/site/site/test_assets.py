"""The style sheets are found by their folders, in an order in which what is special comes last."""

from pathlib import Path

from docs_ext.site.assets import sheets

ROOT = Path(__file__).parents[3]


def test_shared_sheets_come_before_those_of_fences(tmp_path):
    for name in ("css/widgets", "css/fences/a-b", "css/a", "css/site", "css/fences/Z", "katex/katex.min"):
        path = tmp_path / f"assets/{name}.css"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert sheets(tmp_path) == [
        f"assets/{name}.css"
        for name in ("katex/katex.min", "css/site", "css/a", "css/widgets", "css/fences/Z", "css/fences/a-b")
    ]


def test_mkdocs_takes_every_sheet_from_there():
    from mkdocs import config

    loaded = config.load_config(str(ROOT / "mkdocs.yml"))
    assert loaded.extra_css == sheets()
    files = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs/assets").rglob("*.css")}
    assert set(sheets()) == files


def test_only_a_sheet_that_is_worth_a_request_has_one(site):
    own = [path.name for path in (site / "assets/css/fences").glob("*.css")]
    assert min((ROOT / "docs/assets/css/fences" / name).stat().st_size for name in own) > 1000
