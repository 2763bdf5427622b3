"""Softmax, its logarithm and logsumexp against SciPy's, along one axis, several, and all."""

import json

import numpy as np
import pytest

import attention
from tests.package.parity.record_softmax import RECORD

CASES = json.loads(RECORD.read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['function']}, axis {case['axis']}")
def test_it_equals_scipys(case):
    axis = tuple(case["axis"]) if isinstance(case["axis"], list) else case["axis"]
    result = getattr(attention, case["function"])(case["x"], axis=axis)
    np.testing.assert_allclose(result, case["output"], rtol=1e-14)
