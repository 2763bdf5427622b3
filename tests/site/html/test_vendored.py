"""What others have written lies in a folder with its licence and its version."""

import pytest

from tests.site.pages import ROOT

FOLDERS = sorted({path.parent for name in ("docs", "docs_ext") for path in (ROOT / name).rglob("*.min.*")})


def test_the_vendored_folders_are_found():
    assert [folder.relative_to(ROOT).as_posix() for folder in FOLDERS] == ["docs/assets/katex", "docs_ext/html/katex"]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_a_licence_and_a_version_lie_beside_what_is_vendored(folder):
    assert "MIT License" in (folder / "LICENSE").read_text("utf-8")
    assert (folder / "VERSION").read_text("utf-8").startswith("KaTeX 0.19.1")
