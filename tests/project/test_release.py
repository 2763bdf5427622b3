"""What the project says of itself in several places: its dependencies, its version, its licence."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import attention
from tests.pages import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
_PIN = re.compile(r"^(?P<name>[a-z0-9][\w.-]*)==(?P<version>[^\s;\\]+)(?: ; .+?)? \\\n(?P<rest>(?: .*\n)+)", re.M)


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


LOCKED = [(canonical(pin["name"]), Version(pin["version"]), pin["rest"]) for pin in _PIN.finditer(LOCK)]
ASKED = [
    (extra, Requirement(text))
    for extra, texts in ({"": PROJECT["dependencies"]} | PROJECT["optional-dependencies"]).items()
    for text in texts
    if not text.startswith(PROJECT["name"])
]


def test_all_of_the_lock_is_read():
    assert len(LOCKED) == len(re.findall(r"^[a-z0-9]\S*==", LOCK, re.M)) > 50
    assert all("--hash=sha256:" in rest for *_, rest in LOCKED)


@pytest.mark.parametrize(("extra", "asked"), ASKED, ids=[str(asked) for _, asked in ASKED])
def test_the_lock_has_each_dependency_within_its_bounds(extra, asked):
    versions = [version for name, version, _ in LOCKED if name == canonical(asked.name)]
    assert versions, f"{asked.name} is in pyproject.toml and not in requirements.lock: make lock"
    outside = [str(version) for version in versions if version not in asked.specifier]
    assert not outside, f"{asked} excludes what is locked: {outside}"


def test_the_lock_has_nothing_that_the_project_does_not_ask_for():
    wanted = {canonical(asked.name) for _, asked in ASKED}
    direct = {
        name for name, _, rest in LOCKED if f"# via {PROJECT['name']}" in rest or f"#   {PROJECT['name']}" in rest
    }
    assert direct == wanted


def test_every_place_that_names_the_version_agrees():
    cited = {}
    for name in ("README.md", "docs/reference/sources.md"):
        (cited[name],) = re.findall(r"note +=\s*\{Version ([^}]+)\}", (ROOT / name).read_text("utf-8"))
    assert set(cited.values()) == {attention.__version__}, cited
    released = re.findall(r"^## \[?(\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert released == sorted(released, key=Version, reverse=True)
    assert all(Version(version) <= Version(attention.__version__) for version in released)


def test_both_citations_of_the_site_are_one():
    def citation(name):
        found = re.search(r"@misc\{attention_line_by_line,.*?\n *\}", (ROOT / name).read_text("utf-8"), re.S)
        return found[0].split()

    assert citation("README.md") == citation("docs/reference/sources.md")
    year = re.search(r"Copyright \(c\) (\d{4})", (ROOT / "LICENSE").read_text("utf-8"))[1]
    assert f"{{{year}}}," in citation("README.md")


def test_the_licence_is_the_one_that_is_named():
    def paragraphs(name):
        return [" ".join(part.split()) for part in (ROOT / name).read_text("utf-8").strip().split("\n\n")]

    heading, holder, *rest = paragraphs("LICENSE")
    assert PROJECT["license"] == "MIT"
    assert (heading, holder.split(") ")[1][5:]) == ("MIT License", "The authors of Attention, line by line")
    assert rest == paragraphs("docs/assets/katex/LICENSE")[-3:], "KaTeX has the same licence, word for word"
    for name in ("README.md", "mkdocs.yml"):
        assert "MIT licence" in (ROOT / name).read_text("utf-8")


WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_only_read_and_names_the_versions_of_what_it_runs(path):
    text = path.read_text("utf-8")
    assert set(re.findall(r"^ *permissions:(.*(?:\n +\w+: \w+)*)", text, re.M)) == {"\n  contents: read"}
    used = re.findall(r"uses: (\S+?)(?:@(\S+))?$", text, re.M)
    assert used
    assert all(name.startswith("actions/") and re.fullmatch(r"v\d+(\.\d+)*|[0-9a-f]{40}", at) for name, at in used), (
        used
    )
    assert len({name for name, _ in used}) == len(set(used)), "two versions of one action"
    assert text.count("persist-credentials: false") == sum(name == "actions/checkout" for name, _ in used)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_has_no_secret_and_an_end_and_no_more_rights_for_what_strangers_send(path):
    text = path.read_text("utf-8")
    assert "secrets." not in text
    assert "pull_request_target" not in text
    assert "workflow_run" not in text
    jobs = text.partition("\njobs:\n")[2]
    names = re.findall(r"^  ([\w-]+):$", jobs, re.M)
    assert len(re.findall(r"^    timeout-minutes: \d+$", jobs, re.M)) == len(names) > 0
    assert re.search(r"^concurrency:\n  group: .+\n", text, re.M)


def test_every_dependency_that_is_locked_is_audited():
    text = (ROOT / ".github/workflows/audit.yml").read_text("utf-8")
    assert "--strict" in text
    assert "--require-hashes --requirement requirements.lock" in text
    assert re.search(r"^  schedule:\n    - cron:", text, re.M)


def test_python_is_the_same_everywhere():
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert f"Python {oldest} or newer" in (ROOT / "README.md").read_text("utf-8")
    assert f"Python {oldest} or newer" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert f"--python-version {oldest}" in (ROOT / "Makefile").read_text("utf-8")
    assert f'"{oldest}"' in (ROOT / ".github/workflows/check.yml").read_text("utf-8")
