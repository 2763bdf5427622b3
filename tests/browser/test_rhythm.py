"""No lesson goes on for long without a picture: a figure, a drawing or a widget, in what is open as the page loads."""

import pytest

from tests.browser.conftest import DESKTOP, ROOT, load

pytestmark = pytest.mark.nightly

LESSONS = sorted(path.stem for path in (ROOT / "docs/learn").glob("*.md"))
LIMIT = 1400  # pixels, in a window of 1280
LONGEST = """() => {
  document.documentElement.classList.add("whole");
  const page = document.querySelector(".md-content__inner"), drawn = [...page.querySelectorAll("figure, svg, .widget")]
    .filter(e => !e.closest(".katex") && e.checkVisibility())
    .map(e => e.getBoundingClientRect()).filter(({height}) => height >= 50);
  const {top, bottom} = page.getBoundingClientRect(), longest = {pixels: 0, from: 0};
  let end = top;
  for (const box of [...drawn.sort((one, other) => one.top - other.top), {top: bottom, bottom}]) {
    if (box.top - end > longest.pixels) Object.assign(longest, {pixels: box.top - end, from: end - top});
    end = Math.max(end, box.bottom);
  }
  return longest;
}"""


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_shows_a_picture_before_a_reader_misses_one(tab, server, lesson):
    tab.set_viewport_size(DESKTOP)
    longest = load(tab, f"{server}learn/{lesson}/").evaluate(LONGEST)
    assert longest["pixels"] <= LIMIT, longest
