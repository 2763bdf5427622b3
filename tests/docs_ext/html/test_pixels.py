"""Drawings as PNG: the colours stay, the bytes are few and always the same."""

import numpy as np
import pytest

vl_convert = pytest.importorskip("vl_convert", reason="drawing needs the docs extra")

from docs_ext.html import pixels  # noqa: E402
from tests.pictures import read_png  # noqa: E402

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">{}</svg>'
FLAT = SVG.format(
    '<rect width="40" height="20" fill="#fff"/><rect x="10" y="5" width="20" height="10" fill="#3949ab"/>'
)


def test_flat_colours_stay_where_they_are():
    picture = read_png(pixels.png(FLAT))
    expected = np.full((20, 40, 3), 255)
    expected[5:15, 10:30] = 0x39, 0x49, 0xAB
    np.testing.assert_array_equal(picture, expected)


def test_a_drawing_is_made_larger_by_its_scale():
    assert read_png(pixels.png(FLAT, 2.5)).shape == (50, 100, 3)


def test_of_too_many_colours_the_frequent_ones_stay_and_the_others_come_near():
    shades = "".join(
        f'<rect x="{x}" y="{y}" width="1" height="1" fill="rgb({6 * x}, {12 * y}, 0)"/>'
        for x in range(40)
        for y in range(20)
    )
    picture = read_png(pixels.png(SVG.format(shades + '<path d="M0 0h40v2H0z" fill="#123456"/>')))
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) == 256
    assert (picture[:2] == (0x12, 0x34, 0x56)).all()
    y, x = np.mgrid[2:20, 0:40]
    assert np.mean(abs(picture[2:].astype(int) - np.stack([6 * x, 12 * y, 0 * x], -1))) < 40


def test_an_engine_that_packs_otherwise_is_noticed(monkeypatch):
    small = pixels.png(FLAT)  # has a palette
    monkeypatch.setattr(vl_convert, "svg_to_png", lambda *_, **__: small)
    with pytest.raises(ValueError, match="another kind of PNG"):
        pixels.png(FLAT)
