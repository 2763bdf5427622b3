"""What a library answered, from its record, and from the library itself where it is installed."""

import json
from importlib.util import find_spec

import numpy as np
import pytest


def sources(recorder):
    """Read a record, whose cases must be the recorder's; with its libraries run it too, on equal inputs."""
    found = [json.loads(recorder.file.read_text(encoding="utf-8"))]
    names = [(case["call"], case["case"]) if "call" in case else case["case"] for case in found[0]["cases"]]
    assert names == list(recorder.cases), f"python -m examples.recording {recorder.stem}"
    if all(map(find_spec, recorder.libraries)):
        found.append(json.loads(recorder.record()))
        recorded, live = ([case["inputs"] for case in source["cases"]] for source in found)
        assert live == recorded
    return found


def cases(*recorders, fits=lambda case: True):
    """Give a test the stem, the name, the inputs and the output of each case that fits, whatever its source."""
    given = []
    for recorder in recorders:
        for source, data in zip(("record", "live"), sources(recorder), strict=False):
            for case in filter(fits, data["cases"]):
                name, output = case.get("call", case["case"]), np.array(case["output"])
                label = [source, recorder.stem, *(case[key] for key in ("call", "case") if key in case)]
                given.append(pytest.param(recorder.stem, name, case["inputs"], output, id=", ".join(label)))
    return pytest.mark.parametrize(("stem", "name", "inputs", "output"), given)
