"""A site for students holds nothing of the solutions, and each problem of a sheet has one with its points."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from mkdocs.config import load_config
from mkdocs.structure.files import get_files, set_exclusions

from docs_ext.reading.page import load
from tests.site.pages import PAGES, ROOT, converted

SOLUTIONS = sorted((ROOT / "docs/teach").glob("solutions-*.md"))


@pytest.mark.parametrize(("flag", "expected"), [("yes", set()), ("no", {f"teach/{page.name}" for page in SOLUTIONS})])
def test_the_flag_leaves_out_the_solutions_and_the_links_to_them_and_nothing_else(flag, expected, monkeypatch):
    monkeypatch.setenv("SOLUTIONS", flag)
    config = load_config(str(ROOT / "mkdocs.yml"), hooks=[])
    files = get_files(config)
    set_exclusions(files, config)
    built = {file.src_uri for file in files.documentation_pages()}
    assert {path.relative_to(ROOT / "docs").as_posix() for path in PAGES[1:]} - built == expected
    html = converted("<!-- solutions -->\n", "teach/sheets.md")
    assert html.count('<a href="solutions-') == len(SOLUTIONS) - len(expected)
    assert ("without the solutions" in html) == bool(expected)


def test_pages_lead_to_the_solutions_by_the_mark_alone():
    assert not [page for page in PAGES if re.search(r"\bsolutions-\w+(\.md|/)", page.read_text("utf-8"))]


@pytest.mark.parametrize("solutions", SOLUTIONS, ids=lambda path: path.stem)
def test_each_problem_of_a_sheet_has_a_solution_with_its_points(solutions):
    sheet, page = load(f"teach/{solutions.name.replace('solutions', 'sheet')}"), load(f"teach/{solutions.name}")
    assert "\nrobots: noindex\nsearch: {exclude: true}\n" in page.text
    headings = [[(block.text, block.anchor) for block in one.blocks if block.name == "##"] for one in (sheet, page)]
    assert headings[0] == headings[1]
    facts = r"^(\d+) points · (?:warm-up|core|stretch) · after \[.+\]\(.+\) · \(\d+ minutes\)$"
    whole = [int(points) for points in re.findall(facts, sheet.text, re.MULTILINE)]
    lines = [line.partition("**Half")[0] for line in re.findall(r"^\*\*Points:\*\* (.*)", page.text, re.MULTILINE)]
    assert len(lines) == len(headings[0])
    assert [sum(map(int, re.findall(r"\((\d)\)", line))) for line in lines] == whole
    assert f"of {sum(whole)}\n" in sheet.text
    half = [int(points) for points in re.findall(r"\*\*Half(?: right)?\*\* \((\d)\)", page.text)]
    assert all(0 < part < full for part, full in zip(half, whole, strict=True))


def phrases(page):
    """Return of each solution its longest run of words without marks, which is in the built page too."""
    for solution in page.read_text("utf-8").split("\n## ")[1:]:
        text = re.sub(r"```.*?```", "`", solution.partition("\n")[2], flags=re.DOTALL)
        yield max(re.findall(r"[\w ,;:.()]+", text), key=len).strip()


def texts(site):
    """Yield the name and the text of each file."""
    for path in filter(os.path.isfile, site.rglob("*")):
        yield path.as_posix(), " ".join(re.sub("<[^>]*>", "", path.read_text("utf-8", "ignore")).split())


@pytest.mark.nightly
def test_a_site_without_solutions_holds_no_phrase_and_no_address_of_one(site, tmp_path):
    lists = [(site / name).read_text("utf-8") for name in ("sitemap.xml", "search/search_index.json", "llms.txt")]
    assert all("teach/sheet-proofs" in text and "teach/solutions-" not in text for text in lists)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"SOLUTIONS": "no"}, check=True, capture_output=True)
    shutil.unpack_archive(next(tmp_path.glob("*.zip")), tmp_path / "unpacked")
    secrets = [phrase for page in SOLUTIONS for phrase in phrases(page)]
    complete = " ".join(text for name, text in texts(site) if "solutions-" in name)
    assert not [secret for secret in secrets if secret not in complete], "the search would find nothing anywhere"
    secrets += [page.stem for page in SOLUTIONS]
    for name, text in texts(tmp_path):
        assert not [secret for secret in secrets if secret in text or secret in name], name
