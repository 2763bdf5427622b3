"""Browser tests of fences compare what is shown with the modules of fences, which need the site's tools."""

from tests.site.fences.conftest import pytest_collect_file  # noqa: F401
