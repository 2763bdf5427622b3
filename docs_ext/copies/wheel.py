"""The package as a wheel, at the root of the site: pip installs it from there by its address."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]


def add_wheel(site: Path) -> Path:
    """Write the wheel that `make dist` makes of the same sources, and return its path."""
    with _undated():
        (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(site), versions=["standard"])
    return Path(wheel)


@contextmanager
def _undated() -> Iterator[None]:
    """Let hatchling give files its own fixed date, so that a wheel's hash tells what is in it, not when it was made."""
    date = os.environ.pop("SOURCE_DATE_EPOCH", None)
    try:
        yield
    finally:
        if date is not None:
            os.environ["SOURCE_DATE_EPOCH"] = date
