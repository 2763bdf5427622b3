import re
import shutil
import subprocess
import venv
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def elsewhere(site, tmp_path_factory):
    """Install the site's wheel in an environment that has NumPy and nothing else; return its Python."""
    import uv

    folder = tmp_path_factory.mktemp("elsewhere")
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    for path in Path(np.__file__).parents[1].glob("numpy*"):
        if path.name in ("numpy", "numpy.libs"):
            (packages / path.name).symlink_to(path)
        elif re.fullmatch(r"numpy-[\d.]+\.dist-info", path.name):
            shutil.copytree(path, packages / path.name)  # uv does not follow a link
    python = str(folder / "bin/python")
    (wheel,) = site.glob("*.whl")
    install = [uv.find_uv_bin(), "pip", "install", "--offline", "--no-index", "--python", python, wheel]
    run = subprocess.run(install, cwd=folder, capture_output=True, text=True)
    assert not run.returncode, run.stderr
    return python
