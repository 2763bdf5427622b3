"""The wheel on the site is the one that is published, and pip installs it by its address."""

import os
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import attention
from tests.site.pages import ROOT

NAME = f"attention_line_by_line-{attention.__version__}-py3-none-any.whl"


def test_the_site_has_the_wheel_that_is_published(site, tmp_path):
    env = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, env=env, check=True, capture_output=True)
    assert [path.name for path in site.glob("*.whl")] == [NAME]
    assert (site / NAME).read_bytes() == (tmp_path / NAME).read_bytes()


def test_pip_installs_it_by_its_address(site, tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=site)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/{NAME}"
        pip = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--target", str(tmp_path), address]
        run = subprocess.run(pip, capture_output=True, text=True)
        server.shutdown()
    assert not run.returncode, run.stderr
    assert (tmp_path / "attention/py.typed").exists()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
