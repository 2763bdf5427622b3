"""What a run reports besides passes and failures: how many examples ran, and what was skipped, a line for a reason."""

# ruff: noqa: D103  (the hooks' names say what they are)

import os
from collections import Counter, defaultdict

import pytest

_ran: Counter[str] = Counter()
_skipped: dict[str, list[str]] = defaultdict(list)  # reason: files


def pytest_collection_modifyitems(items):
    for item in items:  # a report takes these along, from another process too
        if hasattr(item, "dtest"):
            kind = "pages" if item.path.suffix == ".md" else "docstrings"
            item.user_properties += [("examples", len(item.dtest.examples)), (kind, 1)]


def pytest_collectreport(report):
    if report.skipped:
        _note_skip(report)


def pytest_runtest_logreport(report):
    if report.skipped and not hasattr(report, "wasxfail"):
        _note_skip(report)
    if report.when == "call" and not report.skipped:
        for what, count in report.user_properties:
            _ran[what] += count


def pytest_sessionfinish(session):
    if _skipped and _refused():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(
        f"{_ran['examples']} examples ran, in {_ran['docstrings']} docstrings and {_ran['pages']} pages"
    )
    if _ran["cells"]:
        terminalreporter.write_line(f"{_ran['cells']} cells of notebooks ran; {_ran['outputs']} outputs, as stored")
    for reason, files in _skipped.items():
        line = f"{len(files)} skipped in {os.path.commonpath(files) or 'several folders'}: {reason}"
        terminalreporter.write_line(f"REFUSE_SKIPS: {line}" if _refused() else line, red=_refused())


def _note_skip(report):
    _skipped[str(report.longrepr[-1]).removeprefix("Skipped: ")].append(report.nodeid.split("::")[0])


def _refused():
    return os.environ.get("REFUSE_SKIPS") == "1"
