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


def test_the_first_link_of_the_readme_is_the_site_and_a_badge_needs_an_address():
    told = FILES["README.md"](TEXTS["README.md"], REPO, SITE)
    assert told.index("](") == told.index(f"]({SITE})")
    assert f"{REPO}/actions/workflows/check.yml/badge.svg" in told
    assert "badge" not in FILES["README.md"](TEXTS["README.md"], "https://git.test/a", SITE)
