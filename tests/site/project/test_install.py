"""What the project says of installing it: our name and not the other one, and what pip does with both."""

import re
import subprocess
import sys
import tomllib
import zipfile

import pytest

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
_INSTALL = re.compile(r"\b(?:pip3?|uv|conda|mamba|pipx)\b(?: +-[-\w]+)* +(?:install|add|download)((?: +[^\s`<]+)+)")
_OTHER = re.compile(r"[\"']?attention(?![-\w./])")


def installs_the_other(text):
    """Return what would install another distribution than ours."""
    return [said[0] for said in _INSTALL.finditer(text) if any(map(_OTHER.match, said[1].split()))]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("`pip install attention`", True),
        ("python -m pip install -U attention==5.0", True),
        ("uv pip install 'attention[tf]' numpy", True),
        ("!pip install attention", True),
        ("pip install attention-line-by-line", False),
        ("pip install https://site.test/attention/attention_line_by_line-0.1.0-py3-none-any.whl", False),
        ("python -m pip uninstall attention attention-line-by-line", False),
        ("pip install . and import attention", True),  # too strict is well: put the command in backticks
        ("`pip install .`, then `import attention`", False),
    ],
)
def test_the_search_for_the_other_name(text, wrong):
    assert bool(installs_the_other(text)) == wrong


def test_no_file_says_to_install_the_other_distribution():
    assert len(FILES) > 200
    found = {str(path.relative_to(ROOT)): installs_the_other(path.read_text("utf-8")) for path in FILES}
    assert not {name: said for name, said in found.items() if said}


def test_nothing_that_is_built_says_so_either(site):
    built = [path for path in site.rglob("*") if path.suffix in {".html", ".py", ".ipynb", ".md", ".txt", ".json"}]
    assert len(built) > 90
    assert not [path for path in built if installs_the_other(path.read_text("utf-8"))]


def test_our_names_and_the_version_are_those_of_the_package():
    said = {
        name
        for path in FILES
        for name in re.findall(r"attention_line_by_line-\d[-\w.]*?\.whl", path.read_text("utf-8"))
    }
    assert said - {"attention_line_by_line-1.2.3-py3-none-any.whl"} == {  # an example of the guard's
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


def wheel(folder, name, files):
    """Write a wheel by hand."""
    path = folder / f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
    info = f"{name.replace('-', '_')}-1.0.dist-info"
    files = files | {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in (files | {f"{info}/RECORD": record}).items():
            archive.writestr(file, text)
    return path


OURS = "attention-line-by-line"
SHOW = "import attention; print(attention.__doc__ and 'ours' or getattr(attention, 'Layer', 'neither'))"


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Return what runs pip in an environment of its own, and what says whose package is found there."""
    pytest.importorskip("pip", reason="trying what pip does needs pip")
    folder = tmp_path_factory.mktemp("both")
    first = (ROOT / "attention/__init__.py").read_text("utf-8").splitlines()[0] + "\n"
    wheels = {
        "ours": wheel(folder, OURS, {"attention/__init__.py": first, "attention/masks.py": ""}),
        "other": wheel(
            folder, "attention", {"attention/__init__.py": "Layer = 'other'\n", "attention/attention.py": ""}
        ),
    }
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

    def pip(command, *names):
        options = ["--python", python, "--disable-pip-version-check", command]
        options += ["--yes"] if command == "uninstall" else ["--no-index", "--no-deps"]
        ran = subprocess.run(
            [sys.executable, "-m", "pip", *options, *(wheels.get(name, name) for name in names)],
            check=True,
            capture_output=True,
            text=True,
        )
        return ran.stdout

    def found():
        ran = subprocess.run([python, "-c", SHOW], cwd=folder, capture_output=True, text=True)
        return ran.stdout.strip() or ran.stderr.strip().splitlines()[-1]

    return pip, found


def test_what_the_page_says_of_both_installed(environment):
    pip, found = environment
    pip("install", "ours")
    pip("install", "other")
    assert found() == "other"  # and as they are alike, ours if it comes last
    pip("uninstall", "attention")
    assert found() == "neither"
    assert "is already installed" in pip("install", "ours")
    assert found() == "neither"
    pip("uninstall", "attention", OURS)
    assert "No module named 'attention'" in found()
    pip("install", "ours")
    assert found() == "ours"


def metadata():
    """Return the metadata of the wheel, as an index reads them."""
    core = pytest.importorskip("hatchling.metadata.core", reason="building the package needs hatchling")
    spec = pytest.importorskip("hatchling.metadata.spec", reason="building the package needs hatchling")
    manager = pytest.importorskip("hatchling.plugin.manager", reason="building the package needs hatchling")
    return spec.construct_metadata_file_2_4(core.ProjectMetadata(str(ROOT), manager.PluginManager()))


def test_an_index_shows_text_without_a_link_or_picture_that_leads_nowhere():
    head, _, description = metadata().partition("\n\n")
    assert "Description-Content-Type: text/markdown" in head
    assert description.strip() == (ROOT / "attention/README.md").read_text("utf-8").strip()
    targets = re.findall(r"\]\(([^)\s]+)|\]: *(\S+)|(?:src|href)=[\"']([^\"']+)", description)
    assert [target for group in targets for target in group if target and not target.startswith("https://")] == []
    assert not installs_the_other(description)
    assert "attention-line-by-line" in description
