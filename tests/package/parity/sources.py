"""What a library answered, from its record, and from the library itself where it is installed."""

import json
from importlib.util import find_spec

import numpy as np
import pytest

from tests.package.parity.record import as_json


def sources(recorder, *libraries):
    """Read the record of a script; with its libraries run it too, on inputs that must be those of the record."""
    found = {"record": json.loads(recorder.RECORD.read_text(encoding="utf-8"))}
    if all(map(find_spec, libraries)):
        found["live"] = json.loads(as_json(recorder.record()))
    recorded, *live = ([case["inputs"] for case in source["cases"]] for source in found.values())
    assert all(inputs == recorded for inputs in live)
    return found


def cases(found, fits=lambda case: True):
    """Give a test the inputs and the output of each case that fits, whatever its source."""
    chosen = [(source, case) for source, data in found.items() for case in data["cases"] if fits(case)]
    names = [", ".join([source, *(case[key] for key in ("call", "case") if key in case)]) for source, case in chosen]
    given = [(case["inputs"], np.array(case["output"])) for _, case in chosen]
    return pytest.mark.parametrize(("inputs", "output"), given, ids=names)
