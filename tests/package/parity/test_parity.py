"""The package against PyTorch: against the record everywhere, against PyTorch itself where it is installed."""

import doctest
from functools import partial

import numpy as np
import pytest

import attention
from attention import BlockWeights, MultiHeadWeights, Rotary, multi_head_attention, transformer_block
from tests.package.parity import record, record_stored
from tests.package.parity.sources import sources
from tests.site.pages import ROOT, consoles

SOURCES = sources(record, "torch")

CASES = [
    pytest.param(case["call"], case["inputs"], case["output"], id=f"{source}, {case['call']}, {case['case']}")
    for source, data in SOURCES.items()
    for case in data["cases"]
]
ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "gelu": attention.gelu,
    "gelu_tanh": partial(attention.gelu, approximate=True),
}


def arrays(inputs):
    return {name: np.array(entry) if isinstance(entry, list) else entry for name, entry in inputs.items()}


def heads_from_torch(state, n_heads, d_key=None, d_value=None):
    """Turn torch's matrices around: there a feature of the result is a row, and Q, K, V may be stacked.

    Keys and values of their own become one memory with the features of both, and zeros where a matrix does not look.
    """
    if "in_proj_weight" in state:
        w_q, w_k, w_v = np.split(state["in_proj_weight"].T, 3, axis=1)
    else:
        w_q, w_k, w_v = (state[f"{letter}_proj_weight"].T for letter in "qkv")
    if d_value:
        w_k = np.vstack([w_k, np.zeros((d_value, w_k.shape[1]))])
        w_v = np.vstack([np.zeros((d_key, w_v.shape[1])), w_v])
    biases = np.split(state["in_proj_bias"], 3) if "in_proj_bias" in state else [None] * 3
    return MultiHeadWeights(
        w_q, w_k, w_v, state["out_proj.weight"].T, *biases, state.get("out_proj.bias"), n_heads=n_heads
    )


def masks_from_torch(mask, padding, n_heads):
    """Turn torch's masks into options: in these modules True means "forbidden", here it means "may attend"."""
    options = {}
    if mask is not None and mask.dtype != bool:
        options["bias"] = mask
    elif mask is not None:
        options["mask"] = ~mask if mask.ndim == 2 else ~mask.reshape(-1, n_heads, *mask.shape[1:])
    if padding is not None:
        options["mask"] = options.get("mask", True) & ~padding[:, None, None, :]
    return options


def multi_head(inputs):
    n_heads, query, memory = inputs["n_heads"], inputs["query"], inputs.get("key")
    widths = {}
    if memory is not None and not np.array_equal(memory, inputs["value"]):
        widths = {"d_key": memory.shape[-1], "d_value": inputs["value"].shape[-1]}
        memory = np.concatenate([memory, inputs["value"]], axis=-1)
    options = masks_from_torch(inputs.get("attn_mask"), inputs.get("key_padding_mask"), n_heads)
    if "add_zero_attn" in inputs:  # a key and value of zero: a score of zero that hands over nothing
        options["sink"] = 0.0
    return multi_head_attention(query, heads_from_torch(inputs, n_heads, **widths), memory=memory, **options)


def encoder_layer(inputs):
    own = {name.removeprefix("self_attn."): entry for name, entry in inputs.items() if name.startswith("self_attn.")}
    weights = BlockWeights(
        heads_from_torch(own, 2),
        inputs["linear1.weight"].T,
        inputs["linear2.weight"].T,
        *(inputs.get(name) for name in ("linear1.bias", "linear2.bias")),
        *(inputs.get(name) for name in ("norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias")),
        activation=ACTIVATIONS[inputs["activation"]],
        eps=inputs["eps"],
    )
    options = masks_from_torch(inputs.get("src_mask"), inputs.get("src_key_padding_mask"), 2)
    return transformer_block(inputs["src"], weights, norm_first=inputs["norm_first"], **options)


def ours(call, inputs):
    inputs = arrays(inputs)
    if call == "MultiheadAttention":
        return multi_head(inputs)
    if call == "TransformerEncoderLayer":
        return encoder_layer(inputs)
    if call == "scaled_dot_product_attention":
        return attention.scaled_dot_product_attention(**inputs, enable_gqa=True)
    return getattr(attention, call)(**inputs)


@pytest.mark.parametrize(("call", "inputs", "output"), CASES)
def test_the_package_computes_what_torch_computes(call, inputs, output):
    expected = np.array(output)
    result = ours(call, inputs)
    assert result.shape == expected.shape
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def function_of_the_heads_page(name):
    """Run the page's example that defines a function, and return the function."""
    code = next(c.code for c in consoles(ROOT / "docs/how-to/load-weights.md") if f"def {name}(" in c.code)
    names = {}
    exec("".join(example.source for example in doctest.DocTestParser().get_examples(code)), names)
    return names[name]


@pytest.mark.parametrize("case", ["biases", "a batch"])
def test_the_function_on_the_page_of_weights_brings_weights_from_torch(case):
    from_torch = function_of_the_heads_page("from_torch")
    inputs, output = next((c["inputs"], c["output"]) for c in SOURCES["record"]["cases"] if c["case"] == case)
    state = arrays(inputs)
    result = multi_head_attention(state["query"], from_torch(state, n_heads=state["n_heads"]))
    np.testing.assert_allclose(result, output, rtol=0, atol=1e-12 * np.abs(output).max())


STORED = sources(record_stored, "torch", "transformers")
HALF = Rotary(*attention.rotary_tables(np.arange(record_stored.N_TOKENS), 4, base=record_stored.BASE), "half")


@pytest.mark.parametrize("source", STORED)
@pytest.mark.parametrize(
    ("call", "options"), [("bert", {}), ("gpt2", {"is_causal": True}), ("llama", {"is_causal": True, "rotary": HALF})]
)
def test_the_functions_on_the_page_of_weights_bring_weights_from_three_models(source, call, options):
    case = next(case for case in STORED[source]["cases"] if case["call"] == call)
    bring = function_of_the_heads_page(f"from_{call}")
    weights = bring(arrays(case["inputs"]["state"]), record_stored.LAYER, record_stored.N_HEADS)
    result = multi_head_attention(np.array(case["inputs"]["x"]), weights, **options)
    np.testing.assert_allclose(result, case["output"], rtol=0, atol=1e-12 * np.abs(case["output"]).max())


def test_the_record_holds_what_the_script_would_run():
    recorded = [(case["call"], case["case"]) for case in SOURCES["record"]["cases"]]
    modules = [("MultiheadAttention", label) for label in record.MULTI_HEAD]
    modules += [("TransformerEncoderLayer", label) for label in record.ENCODER_LAYER]
    assert recorded[: len(modules)] == modules
    assert SOURCES["record"]["versions"].keys() == {"torch", "numpy"}
