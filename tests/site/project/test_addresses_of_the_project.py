"""What `make address` writes into README.md, pyproject.toml and CITATION.cff."""

from pathlib import Path

import pytest

from tools.address import FILES

ROOT = Path(__file__).parents[3]
REPO, SITE = "https://github.com/owner/name", "https://owner.github.io/name/"
TEXTS = {name: (ROOT / name).read_text("utf-8") for name in FILES}


@pytest.mark.parametrize("name", FILES)
def test_addresses_are_written_once_replaced_and_taken_back(name):
    write, bare = FILES[name], FILES[name](TEXTS[name], "", "")
    assert "github.com/owner" not in bare
    told = write(bare, REPO, SITE)
    assert REPO in told
    assert SITE in told
    assert write(told, REPO, SITE) == told
    assert write(write(told, "https://github.com/o/n", ""), REPO, SITE) == told
    assert write(told, "", "") == bare
