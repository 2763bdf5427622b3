import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def rng():
    """Give every test the same random numbers in every run."""
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Build the site as `make build` does, and return its folder."""
    pytest.importorskip("mkdocs", reason="building the site needs the docs extra")
    folder = tmp_path_factory.mktemp("site")
    env = os.environ | {"SITE_URL": "https://site.test/attention/"}
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    run = subprocess.run(build, cwd=ROOT, env=env, capture_output=True, text=True)
    if run.returncode:
        pytest.fail(f"mkdocs build failed:\n{run.stdout}{run.stderr}", pytrace=False)
    return folder
