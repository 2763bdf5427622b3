"""The picture in README.md is of today's home page."""

import struct

from tools.picture import PICTURE, SIZE, first_screen, note_of


def test_the_picture_in_the_readme_is_of_todays_home_page(site):
    png = PICTURE.read_bytes()
    assert struct.unpack(">II", png[16:24]) == tuple(SIZE.values())
    assert len(png) < 400_000
    assert note_of(png) == first_screen(site), "make picture takes a new one"


def test_other_words_are_another_screen_and_other_minutes_are_not(tmp_path):
    def screen(text):
        (tmp_path / "index.html").write_text(f'<nav class="md-tabs">Core</nav><article>{text}<h2>Deeper</h2>', "utf-8")
        return first_screen(tmp_path)

    assert screen("11 pages,  <b>67</b> minutes") == screen("12 pages, 70 minutes") != screen("11 pages, an hour")
    assert screen("words") == screen("<p>words\n</p>")
