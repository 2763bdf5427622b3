"""What a run reports besides passes and failures: how many examples ran, and that nothing was skipped unseen."""

# ruff: noqa: D103  (the hooks' names say what they are)

import os
from collections import Counter

import pytest

_doctests: dict[str, pytest.Item] = {}
_ran: Counter[str] = Counter()
_skipped: list[str] = []


def pytest_collection_finish(session):
    _doctests.update((item.nodeid, item) for item in session.items if hasattr(item, "dtest"))


def pytest_collectreport(report):
    if report.skipped:
        _skipped.append(f"{report.nodeid}: {report.longrepr[-1]}")


def pytest_runtest_logreport(report):
    if report.skipped and not hasattr(report, "wasxfail"):
        _skipped.append(f"{report.nodeid}: {report.longrepr[-1]}")
    if report.when == "call" and not report.skipped and report.nodeid in _doctests:
        item = _doctests[report.nodeid]
        _ran["examples"] += len(item.dtest.examples)
        _ran["pages" if item.path.suffix == ".md" else "docstrings"] += 1


def pytest_sessionfinish(session):
    if _refused():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(
        f"{_ran['examples']} examples ran, in {_ran['docstrings']} docstrings and {_ran['pages']} pages"
    )
    for skip in _refused():
        terminalreporter.write_line(f"REFUSE_SKIPS: {skip}", red=True)


def _refused():
    return _skipped if os.environ.get("REFUSE_SKIPS") == "1" else []
