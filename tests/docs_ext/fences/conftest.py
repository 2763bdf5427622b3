"""Fences need the site's tools and html5lib; where they are missing, every module here is skipped in one line."""

from importlib.util import find_spec

import pytest

NEEDS = {"altair": "docs", "jinja2": "docs", "mkdocs": "docs", "py_mini_racer": "docs", "html5lib": "dev"}
MISSING = [
    f"{name} is not installed: pip install -e .[{extra}]" for name, extra in NEEDS.items() if not find_spec(name)
]


class _Missing(pytest.Module):
    def collect(self):
        pytest.skip(MISSING[0], allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    """Take the place of a module that cannot be imported."""
    return _Missing.from_parent(parent, path=module_path) if MISSING else None
