"""Each known mistake is found, and most are named."""

import pytest

from attention.testing import check, check_gradients, diagnosis
from attention.testing.mistakes import every
from tests.package.testing.kernels import MADE, changes, rewired, rewired_gradients
from tests.tables import beside

TABLES = beside(__file__, "test_names.toml")


@pytest.mark.parametrize(("name", "options"), TABLES["named"].items())
def test_a_known_mistake_is_found_and_named(name, options):
    mistake = next(one for one in every() if name in (one.name, one.says))
    options = {name: MADE.get(str(value), value) for name, value in options.items()}
    report = check(rewired("logsumexp" in options, **mistake.changes), **options)
    assert not report.passed
    assert report.findings[0].name in (mistake.name, {"mask-minus-billion": "empty-row-mean"}.get(name))


@pytest.mark.parametrize(("steps", "options"), TABLES["found"].values(), ids=TABLES["found"])
def test_what_few_cases_show_is_found(steps, options, monkeypatch):
    monkeypatch.setattr(diagnosis, "findings", lambda *_: [])
    steps = changes(steps)
    options = {name: MADE.get(str(value), value) for name, value in options.items()}
    if options.pop("gradients", False):
        assert not check_gradients(rewired_gradients(steps), **options).passed
    else:
        assert not check(rewired(**steps), **options).passed
