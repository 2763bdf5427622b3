"""Pictures as arrays."""

from io import BytesIO

import numpy as np


def read_png(data):
    """Return the pixels of a PNG with a palette as an array of height, width, 3."""
    from PIL import Image

    picture = Image.open(BytesIO(data))
    assert (picture.format, picture.mode) == ("PNG", "P")
    return np.asarray(picture.convert("RGB"))
