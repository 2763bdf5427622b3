"""The file that examples/real_model.py writes asks for nothing."""

import re

import numpy as np

from examples import real_model_page


def test_the_file_asks_for_nothing():
    page = real_model_page.page("<i> & co", ["a", "b"], np.full((1, 1, 2, 2), 0.5), "About.")
    assert "<h1>&lt;i&gt; &amp; co</h1>" in page
    assert "default-src 'none'" in page
    assert not re.findall(r'url\((?!#)|<link|<\w+ [^>]*\bsrc="', page)
