"""The page on memory: its count of tiles against that of torch, as recorded and where it is installed."""

import numpy as np

from examples.recording import blocks
from tests.package.parity.sources import cases
from tests.site.learn.page_functions import names


@cases(blocks.RECORDER)
def test_the_tiles_that_count_are_those_of_a_block_mask(stem, name, inputs, output):
    mask = blocks.RULES[inputs["mask"]](*np.indices((1024, 1024)))
    assert names("memory")["tiles"](mask) == tuple(output)
