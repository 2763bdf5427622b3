"""Every chart of the site, drawn for the width of its column: no text too small, none over another or cut off."""

import pytest

from tests.browser.conftest import DESKTOP, PHONE, Script, load

JS = Script("fences/chart.js")


@pytest.mark.parametrize(("window", "least"), [(DESKTOP, 13), (PHONE, 12)], ids=["desk", "phone"])
def test_every_text_of_every_chart_can_be_read(plain, server, site, window, least):
    pages = [file.parent for file in site.rglob("index.html") if '<figure class="chart"' in file.read_text()]
    drawn = [f"{page.relative_to(site).as_posix()}/" for page in pages]
    plain.set_viewport_size(window)
    faults = {name: load(plain, server + name).evaluate(JS.faults, least) for name in drawn}
    plain.set_viewport_size(DESKTOP)
    assert len(drawn) > 10
    assert {name: found for name, found in faults.items() if found} == {}
