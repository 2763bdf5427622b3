"""What CONTRIBUTING.md and RELEASING.md say of the repository: the files that they name are there."""

import re

import pytest

from tests.site.pages import ROOT


@pytest.mark.parametrize(("file", "least"), [("CONTRIBUTING.md", 12), ("RELEASING.md", 5)])
def test_every_file_and_folder_that_it_names_is_there(file, least):
    text = (ROOT / file).read_text("utf-8")
    named = set(re.findall(r"`((?:attention|docs|docs_ext|tests)/[\w/.-]+)`", text)) - {"docs/learn/how-long.md"}
    assert len(named) > least
    assert not [name for name in sorted(named) if not (ROOT / name).exists()]
