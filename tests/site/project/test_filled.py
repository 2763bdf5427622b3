"""What `make new-page`, `new-function` and `new-widget` leave to do is done."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FOLDERS = ("attention", "benchmarks", "docs", "docs_ext", "examples", "tests")
OWN = ROOT / "tests/site/project"


def test_nothing_is_left_to_fill_in():
    left = [
        f"{path.relative_to(ROOT)}:{number}: {line[found.start() :].strip()}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.*"))
        if path.suffix in (".css", ".js", ".md", ".py") and OWN not in path.parents
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if (found := re.search("fill in: ", line, re.IGNORECASE))
    ]
    if left:
        pytest.fail("\n".join(left), pytrace=False)
