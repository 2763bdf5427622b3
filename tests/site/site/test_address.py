"""What a site says of itself once it is told where it is and where it comes from; without that it says nothing."""

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from docs_ext.site.address import report, repository, with_repository, with_site_url
from docs_ext.theme.scripts import THEME

REPO = "https://github.com/owner/name"
OURS = Path(__file__).parents[3] / "docs_ext/theme/templates"


def rendered(name, **context):
    env = Environment(loader=FileSystemLoader([OURS, THEME]))
    return env.get_template(f"partials/{name}.html").render(**context)


def test_a_page_leads_to_its_source_to_what_is_new_and_to_where_errors_go():
    page = "https://site.test/learn/masks/"
    told = rendered("report", version="1.2.3", repository=REPO, report=report(f"{REPO}.git", page))
    assert re.findall('href="(.*?)"', told) == [
        f"{REPO}/blob/main/CHANGELOG.md",
        f"{REPO}/issues/new?template=error.yml&amp;place=https%3A%2F%2Fsite.test%2Flearn%2Fmasks%2F",
    ]
    assert told.strip().startswith('<p class="report"')
    form = (OURS.parents[2] / ".github/ISSUE_TEMPLATE/error.yml").read_text("utf-8")
    assert "id: place" in form
    config = {"repo_url": REPO, "repo_name": "GitHub"}
    header = rendered("source", version="1.2.3", config=config, lang={"t": str})
    assert "GitHub · 1.2.3" in header
    assert 'class="md-source"' in header
    assert "data-md-component" not in header, "the theme would call an API"


def test_a_site_that_is_not_told_says_nothing():
    assert rendered("report", version="1.2.3", repository=None, report=report(None, None)).strip() == ""
    assert with_repository("a<!-- clone -->b", None) == "ab"
    assert repository(None) is report("https://git.test/a", "https://site.test/") is None
    for own in ("127.0.0.1:8000", "localhost", "0.0.0.0", "[::1]:8000"):
        assert "place=" not in report(REPO, f"http://{own}/learn/masks/")


def test_no_page_of_a_site_without_a_repository_speaks_of_one(site):
    for path in site.rglob("*.html"):
        page = path.read_text("utf-8")
        assert 'class="report"' not in page, path.name
        assert 'class="md-source"' not in page, path.name
        assert "git clone" not in page, path.name


def test_a_site_that_knows_its_address_does_not_tell_readers_to_fill_it_in(site):
    untold = '<p>a</p><p class="untold">If you read <code>site.example</code></p>'
    assert with_site_url(untold, "https://site.test/") == "<p>a</p>"
    assert with_site_url(untold, "http://127.0.0.1:8000/") == untold
    assert not [path for path in site.rglob("*.html") if 'class="untold"' in path.read_text("utf-8")]
