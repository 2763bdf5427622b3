"""A widget in a file that asks for nothing."""

from markupsafe import Markup

from docs_ext.html.standalone import alone


def test_a_page_asks_for_nothing():
    page = alone("head-browser", "<i> & co", "About.", Markup("<p>body</p>"), sheets=())
    assert "<h1>&lt;i&gt; &amp; co</h1>" in page
    assert "<p>body</p>" in page
    assert "default-src 'none'" in page
    assert "url(" not in page
    assert "src=" not in page.replace("src$=", "")
    assert "<link" not in page
