"""What the project says of installing it: our name, and not the one of another distribution."""

import re
import tomllib

import attention
from tests.site.pages import ROOT

PAGE = (ROOT / "docs/how-to/install.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WRITTEN = {".md", ".py", ".toml", ".yml", ".js", ".jinja", ".html", ".cff", ".bib"}
FOLDERS = ("attention", "benchmarks", "docs", "docs_ext", "examples", "tools", ".github")
FILES = [
    *(path for path in ROOT.iterdir() if path.suffix in WRITTEN or path.name == "Makefile"),
    *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in WRITTEN),
]


def test_our_names_and_the_version_are_those_of_the_package():
    said = {
        name
        for path in FILES
        for name in re.findall(r"attention_line_by_line-\d[-\w.]*?\.whl", path.read_text("utf-8"))
    }
    assert said - {"attention_line_by_line-1.2.3-py3-none-any.whl"} == {  # an example
        f"attention_line_by_line-{attention.__version__}-py3-none-any.whl"
    }
    assert PROJECT["name"] == "attention-line-by-line"


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
