"""Drawings as PNG: the colours stay, and the bytes are few."""

import numpy as np
import pytest

pytest.importorskip("vl_convert", reason="drawing needs the docs extra")

from docs_ext.html.pixels import png
from tests.site.pictures import read_png

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">{}</svg>'
FLAT = SVG.format(
    '<rect width="40" height="20" fill="#fff"/><rect x="10" y="5" width="20" height="10" fill="#3949ab"/>'
)


def test_flat_colours_stay_where_they_are():
    expected = np.full((20, 40, 3), 255)
    expected[5:15, 10:30] = 0x39, 0x49, 0xAB
    np.testing.assert_array_equal(read_png(png(FLAT)), expected)


def test_a_drawing_is_made_larger_by_its_scale():
    assert read_png(png(FLAT, 2.5)).shape == (50, 100, 3)


def test_of_too_many_colours_each_comes_near():
    y, x = np.mgrid[0:20, 0:40]
    shades = "".join(
        f'<rect x="{x}" y="{y}" width="1" height="1" fill="rgb({6 * x}, {12 * y}, 0)"/>'
        for x in range(40)
        for y in range(20)
    )
    picture = read_png(png(SVG.format(shades)))
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) <= 256
    assert abs(picture.astype(int) - np.stack([6 * x, 12 * y, 0 * x], -1)).max() <= 24
