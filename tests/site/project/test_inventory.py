"""objects.inv: another project's docs, made with Sphinx, link to every name of the package."""

import html
import re
import subprocess
import sys
import zlib

import pytest

import attention

pytestmark = pytest.mark.nightly

SITE = "https://site.test/attention/"
ROLES = {"class": "class", "function": "func", "method": "meth", "module": "mod", "property": "attr"}
CONF = """\
project = "A small project"
extensions = ["sphinx.ext.intersphinx"]
intersphinx_mapping = {{"attention": ("{site}", {inventory!r})}}
"""


@pytest.fixture(scope="module")
def inventory(site):
    """Read objects.inv by the rules of its format: four lines, then lines of name, kind, priority, address, label."""
    *head, rest = (site / "objects.inv").read_bytes().split(b"\n", 4)
    rows = [line.split(" ", 4) for line in zlib.decompress(rest).decode().splitlines()]
    return [line.decode() for line in head], {row[0]: (row[1].removeprefix("py:"), row[3]) for row in rows}


@pytest.mark.nightly
def test_the_docs_of_a_sphinx_project_link_to_every_name(site, inventory, tmp_path):
    names = inventory[1]
    assert {kind for kind, _ in names.values()} == set(ROLES)
    (tmp_path / "conf.py").write_text(CONF.format(site=SITE, inventory=str(site / "objects.inv")))
    lines = [f"* :py:{ROLES[kind]}:`{name}`" for name, (kind, _) in names.items()]
    (tmp_path / "index.rst").write_text("\n".join(["Links", "=====", "", *lines, ""]))
    build = [sys.executable, "-m", "sphinx", "--nitpicky", "--fail-on-warning", "--quiet", ".", "built"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "built/index.html").read_text("utf-8")
    links = re.findall(r'<a class="reference external" href="([^"]+)" title="\(in ([^"]+)\)">', page)
    assert len(links) == len(names)
    for address, of in links:
        assert of == f"Attention, line by line v{attention.__version__}"
        place, _, anchor = html.unescape(address).removeprefix(SITE).partition("#")
        target = (site / place / "index.html").read_text("utf-8")
        assert not anchor or f'id="{anchor}"' in target, address
