"""The encoder of examples/real_model.py with the model of `make model`, against what transformers recorded of it."""

import numpy as np
import pytest

from examples.real_model import Encoder, installed
from examples.recording import minilm
from tests.package.parity.sources import cases


@pytest.fixture(scope="module", params=["float32", "float64"])
def encoder(request):
    return Encoder.load(installed(), request.param)


@cases(minilm.RECORDER)
def test_states_of_all_layers_and_weights_of_all_heads_are_those_of_transformers(encoder, stem, name, inputs, output):
    texts, row = [minilm.TEXTS[text] for text in inputs["batch"]], inputs["row"]
    ids, lengths = encoder.ids(texts)
    states, weights = encoder.read(texts).of(row)
    assert ids[row, : lengths[row]].tolist() == inputs["ids"]
    assert states.dtype == weights.dtype == encoder.words.dtype
    atol = 1e-7 if encoder.words.dtype == np.float64 else 1e-4
    for name, array in minilm.of_text(inputs["batch"][row], states, weights).items():
        wanted = minilm.unpacked(output.item()[name])
        assert array.shape == wanted.shape
        np.testing.assert_allclose(array, wanted, rtol=2e-7, atol=atol, err_msg=name)
