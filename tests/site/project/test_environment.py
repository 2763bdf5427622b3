"""What `make serve` installs: the part of requirements.lock that the site needs, all of it and nothing else."""

import re
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name as canonical

from tools.environment import _direct, _is_readable, needed

LOCK = (Path(__file__).parents[3] / "requirements.lock").read_text("utf-8")


def names(lock):
    return set(re.findall(r"^([a-z0-9]\S*?)==", lock, re.M))


def test_the_site_gets_all_that_its_packages_require_and_nothing_for_tests():
    site = names(needed(LOCK, _direct("docs")))
    assert _direct("docs") <= site < names(LOCK)
    assert not {"deno", "mypy", "playwright", "pytest", "uv"} & site
    for package in site - {"colorama", "exceptiongroup", "tzdata"}:  # of other machines
        for text in requires(package) or ():
            asked = Requirement(text)
            if asked.marker is None or asked.marker.evaluate({"extra": ""}):
                assert canonical(asked.name) in site, f"{package} requires {text}"


@pytest.mark.parametrize(
    ("path", "encoding", "readable"),
    [
        ("/home/mit Platz", "ascii", True),
        ("/home/Ümlaut", "ascii", False),
        ("/home/Ümlaut", "iso-8859-1", False),  # it would be another path
        ("/home/Ümlaut", "utf-8", True),
    ],
)
def test_a_path_must_be_the_same_in_the_encoding_of_the_locale(path, encoding, readable):
    assert _is_readable(path, encoding) is readable
