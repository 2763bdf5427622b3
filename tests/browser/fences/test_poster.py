"""The poster is one sheet: in a window of 1600 x 1000, and on paper."""

SHEET = {"viewport": {"width": 1600, "height": 1000}}


def test_the_poster_fits_a_window_and_one_page_of_paper(open_page):
    page = open_page("practice/poster/", **SHEET)
    box = page.locator(".poster svg").bounding_box()
    assert box["y"] + box["height"] <= 1000
    assert box["x"] + box["width"] <= 1600
    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 1
