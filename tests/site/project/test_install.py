"""What the project says of installing it: our name, and not the one of another distribution."""

import re
import tomllib

import attention
from tests.site.pages import ROOT

PAGE = (ROOT / "docs/how-to/install.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_page_names_every_extra_and_the_oldest_python():
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.M) == ["test", "docs", "dask", "model", "dev"]
    assert set(re.findall(r"^\| `(\w+)` \|", PAGE, re.M)) == set(PROJECT["optional-dependencies"])
    assert f"Python {PROJECT['requires-python'].removeprefix('>=')} or newer" in PAGE
    assert PROJECT["dependencies"] == ["numpy>=2.0"]


def test_a_site_with_an_address_names_it_in_what_is_copied(site):
    wheel = f"https://site.test/attention/attention_line_by_line-{attention.__version__}-py3-none-any.whl"
    assert f"<code>{wheel}\n</code>" in (site / "how-to/install/index.html").read_text("utf-8")
    reference = (site / "reference/index.html").read_text("utf-8")
    assert '(</span><span class="s2">"https://site.test/attention/"</span>' in reference
    assert "https://site.test/attention/objects.inv" in reference
    assert not [path for path in site.rglob("*.html") if "https://site.example" in path.read_text("utf-8")]
