"""The page on memory: its count of tiles against that of torch, as recorded."""

import json

import numpy as np
import pytest

from tests.package.parity.record_blocks import RECORD, RULES
from tests.site.learn.page_functions import names


@pytest.mark.parametrize("case", json.loads(RECORD.read_text("utf-8"))["cases"], ids=lambda case: case["mask"])
def test_the_tiles_that_count_are_those_of_a_block_mask(case):
    mask = RULES[case["mask"]](*np.indices((1024, 1024)))
    assert names("memory")["tiles"](mask) == (case["some"], case["all"])
