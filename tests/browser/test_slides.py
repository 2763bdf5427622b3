"""The slides are the lessons' own figures; each fills a window in its turn, and a sheet of paper."""

import re

from tests.browser.conftest import ROOT

AT_TOP = """n => Math.abs(document.querySelectorAll(".slide")[n].getBoundingClientRect().top
  - document.querySelector(".md-header").getBoundingClientRect().bottom) < 12"""
TAKEN = re.compile(r"```([\w-]+)\nfrom: (?:(.+)/)?([\w-]+)\.md#([\w-]+)\n```")


def test_each_slide_shows_its_lesson_s_figure_in_a_window_and_on_a_sheet(open_page, site):
    taken = TAKEN.findall((ROOT / "docs/teach/slides.md").read_text("utf-8"))
    built = (site / "teach/slides/index.html").read_text("utf-8")
    for tag, folder, page, ident in taken:
        lesson = (site / folder / page / "index.html").read_text("utf-8")
        drawn = re.search(rf'<{tag} [^>]*id="{ident}"[^>]*>|<(?:figure|div) [^>]*id="{ident}"[^>]*>', lesson)
        assert drawn[0] in built, ident
    page = open_page("teach/slides/", viewport={"width": 1280, "height": 720})
    page.evaluate("document.fonts.ready.then(() => true)")  # until then slides move
    for n in range(1, 17):
        page.keyboard.press("PageDown")
        page.wait_for_function(AT_TOP, arg=n)
    pdf = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 16
