"""What the project says of itself in several places: its dependencies, its version, its licence."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name as canonical
from packaging.version import Version

import attention
from tests.site.pages import ROOT
from tests.tables import beside, each_row
from tools.release import ReleaseError, notes

RELEASES = beside(__file__, "release.toml")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
LOCK = (ROOT / "requirements-nightly.lock").read_text("utf-8")  # holds what requirements.lock holds
_PIN = re.compile(
    r"^(?P<name>[a-z0-9][\w.-]*)(?:\[.+?\])?==(?P<version>[^\s;\\]+)(?: ; .+?)? \\\n(?P<rest>(?: .*\n)+)", re.M
)


LOCKED = [(canonical(pin["name"]), Version(pin["version"]), pin["rest"]) for pin in _PIN.finditer(LOCK)]
ASKED = [
    (extra, Requirement(text))
    for extra, texts in (
        {"": PROJECT["dependencies"], "nightly": PYPROJECT["dependency-groups"]["nightly"]}
        | PROJECT["optional-dependencies"]
    ).items()
    for text in texts
    if not text.startswith(PROJECT["name"])
]


def test_both_locks_name_the_same_versions():
    pins = {line for line in (ROOT / "requirements.lock").read_text("utf-8").splitlines() if line[:1].isalnum()}
    assert pins <= set(LOCK.splitlines())


@pytest.mark.parametrize(("extra", "asked"), ASKED, ids=[str(asked) for _, asked in ASKED])
def test_the_lock_has_each_dependency_within_its_bounds(extra, asked):
    versions = [version for name, version, _ in LOCKED if name == canonical(asked.name)]
    assert versions, f"{asked.name} is in pyproject.toml and in no lock: make lock"
    outside = [str(version) for version in versions if version not in asked.specifier]
    assert not outside, f"{asked} excludes what is locked: {outside}"


def test_every_place_that_names_the_version_agrees():
    cited = {}
    for name in ("README.md", "docs/reference/sources.md"):
        (cited[name],) = re.findall(r"note +=\s*\{Version ([^}]+)\}", (ROOT / name).read_text("utf-8"))
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    cited["CITATION.cff"], cited["its citation"] = re.findall(r"^ *version: (.+)$", citation, re.M)
    wheels = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "attention").rglob("*.py"), ROOT / "README.md"]
    named = {path: re.findall(r"attention_line_by_line-(\d[\d.]*)-py3", path.read_text("utf-8")) for path in wheels}
    cited |= {path.name: version for path, versions in named.items() for version in versions}
    assert set(cited.values()) == {attention.__version__}, cited
    released = re.findall(r"^## \[?(\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert released == sorted(released, key=Version, reverse=True)
    assert all(Version(version) <= Version(attention.__version__) for version in released)


def parsed(path):
    import yaml

    return yaml.safe_load(path.read_text("utf-8"))


def test_no_job_may_write_but_those_that_must():
    workflows = {path.name: parsed(path) for path in (ROOT / ".github/workflows").glob("*.yml")}
    assert all(workflow["permissions"] == {"contents": "read"} for workflow in workflows.values())
    jobs = {(name, of): job for name, workflow in workflows.items() for of, job in workflow["jobs"].items()}
    given = {f"{name} {of}": job["permissions"] for (name, of), job in jobs.items() if "permissions" in job}
    assert given == RELEASES["writes"]
    assert all("timeout-minutes" in job for job in jobs.values())


@each_row("tag, changelog, expected", "release.toml", "refused")
def test_a_tag_that_does_not_fit_is_refused(tag, changelog, expected):
    fill = lambda text: text.replace("{}", attention.__version__)  # noqa: E731
    with pytest.raises(ReleaseError, match=re.escape(fill(expected))):
        notes(fill(changelog), fill(tag) or None)
