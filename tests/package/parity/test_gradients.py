"""Gradients against PyTorch's autograd: against the record everywhere, against PyTorch itself where it is installed."""

import numpy as np

from attention import attention_vjp
from tests.package.parity import record_gradients
from tests.package.parity.sources import cases, sources

SOURCES = sources(record_gradients, "torch")
ARRAYS = ("query", "key", "value", "grad_output", "mask", "bias", "sink")


@cases(SOURCES)
def test_gradients_are_those_of_autograd(inputs, output):
    output = output.item()  # a dict
    given = {name: np.array(entry) if name in ARRAYS else entry for name, entry in inputs.items()}
    asked = {f"return_{name}": True for name in ("bias", "sink") if name in given}
    found = dict(zip(output, attention_vjp(**given, **asked), strict=True))
    assert list(found) == [name for name in ("query", "key", "value", "bias", "sink") if name in given]
    for name, gradient in output.items():
        expected = np.array(gradient)
        assert found[name].shape == expected.shape == given[name].shape
        assert np.isfinite(expected).all()
        np.testing.assert_allclose(found[name], expected, rtol=0, atol=1e-12 * np.abs(expected).max(), err_msg=name)


def test_the_record_holds_what_the_script_would_run_and_every_option():
    recorded = SOURCES["record"]["cases"]
    assert [case["case"] for case in recorded] == list(record_gradients.CASES)
    options = {"mask", "bias", "is_causal", "window", "offset", "scale", "softcap", "sink", "enable_gqa"}
    assert {name for case in recorded for name in case["inputs"]} == options | {"query", "key", "value", "grad_output"}
