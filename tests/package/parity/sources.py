"""What a library answered, as its record holds it."""

import json

import numpy as np
import pytest


def cases(*recorders):
    """Give a test the stem, the name, the inputs and the output of each case of these records."""
    given = []
    for recorder in recorders:
        recorded = json.loads(recorder.file.read_text(encoding="utf-8"))["cases"]
        names = [(case["call"], case["case"]) if "call" in case else case["case"] for case in recorded]
        assert names == list(recorder.cases), f"python -m examples.recording {recorder.stem}"
        for case in recorded:
            name, output = case.get("call", case["case"]), np.array(case["output"])
            label = [recorder.stem, *(case[key] for key in ("call", "case") if key in case)]
            given.append(pytest.param(recorder.stem, name, case["inputs"], output, id=", ".join(label)))
    return pytest.mark.parametrize(("stem", "name", "inputs", "output"), given)
