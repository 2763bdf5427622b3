"""The examples in the docstrings of what makes the site, and of the tools, are tests as those of the package are."""

import doctest
import re
from importlib import import_module

import pytest

from tests.site.pages import ROOT

FILES = sorted(path for folder in ("docs_ext", "tools") for path in (ROOT / folder).rglob("*.py"))
NAMES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in FILES
    if re.search("^ *>>> ", path.read_text("utf-8"), re.MULTILINE) and "templates" not in path.parts
]


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_a_module_are_right(name):
    module = import_module(name)
    result = doctest.testmod(module)
    assert result.failed == 0
    assert result.attempted > 0
