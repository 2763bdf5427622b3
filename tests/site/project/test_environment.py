"""What `make serve` installs: the part of requirements.lock that the site needs, all of it and nothing else."""

import re
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name as canonical

from tools.environment import _direct, needed

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
