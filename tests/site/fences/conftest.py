"""Fences need the site's tools and html5lib; where one is missing, every module here is skipped in one line."""

from importlib.util import find_spec

import pytest

NEEDS = {"altair": "docs", "jinja2": "docs", "mkdocs": "docs", "py_mini_racer": "docs", "html5lib": "dev"}
MISSING = [
    f"{module} is not installed: pip install -e .[{extra}]" for module, extra in NEEDS.items() if not find_spec(module)
]


class _Missing(pytest.File):
    def collect(self):
        pytest.skip(MISSING[0])


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Put a skip in the place of a module that cannot be imported."""
    collectors = yield
    return [_Missing.from_parent(parent, path=file_path)] if MISSING and collectors else collectors
