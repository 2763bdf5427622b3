import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]


def pytest_collection_modifyitems(items):
    """Mark the tests that need the built site: `-m "not built"` leaves them out."""
    for item in items:
        if "site" in getattr(item, "fixturenames", ()):
            item.add_marker("built")


@pytest.fixture
def rng():
    """Give every test the same random numbers in every run."""
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Build the site as `make build` does, once for all processes of a run, and return its folder."""
    from fcntl import LOCK_EX, flock

    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder, unfinished = shared / "built", shared / "building"
    with (shared / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not folder.exists():
            env = os.environ | {"SITE_URL": "https://site.test/attention/"}
            build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(unfinished)]
            run = subprocess.run(build, cwd=ROOT, env=env, capture_output=True, text=True)
            if run.returncode:
                pytest.fail(f"mkdocs build failed:\n{run.stdout}{run.stderr}", pytrace=False)
            unfinished.rename(folder)
    return folder
