"""A widget in a file that asks for nothing."""

from markupsafe import Markup

from docs_ext.html.standalone import alone


def test_a_page_holds_its_data_and_asks_for_nothing():
    data = {"words": ["</script><b>", "&"]}
    page = alone("head-browser", "<i> & co", "About.", Markup("<p>body</p>"), "held", data, sheets=())
    assert "<h1>&lt;i&gt; &amp; co</h1>" in page
    assert '<script type="application/json" id="held">{"words":["\\u003c/script>\\u003cb>","&"]}</script>' in page
    assert "default-src 'none'" in page
    assert "url(" not in page
    assert "src=" not in page.replace("src$=", "")
    assert "<link" not in page
