"""What PyTorch computes, for comparison: `python -m tests.package.parity.record` records it.

Inputs are multiples of 1/32, so that they are short and exact in the record. Nothing here uses the package.
"""

import importlib.metadata
import json
from itertools import product
from pathlib import Path

import numpy as np

RECORD = Path(__file__).parent / "torch.json"

PADDING = [[False, False, False, True, True], [False, False, False, False, True]]  # True: there is no token
LAST = np.triu(np.ones((3, 5), bool), 3)  # True: forbidden; a causal mask aligned at the last key
ROW = np.array([[False] * 5, [True] * 5, [False, True, False, True, False]])  # the second query has no key
CAUSAL = np.triu(np.ones((5, 5), bool), 1)
HEADS = np.arange(60).reshape(4, 3, 5) % 7 % 2 == 1  # (batch * heads, n_q, n_k), batch 2, heads 2
CROSS = {"memory": 5, "kdim": 7, "vdim": 7}

MULTI_HEAD = {
    "one sequence": {"bias": False},
    "biases": {},
    "one head": {"n_heads": 1},
    "a batch": {"batch": 2},
    "causal": {"n": 5, "attn_mask": CAUSAL},
    "a float mask": {"n": 5, "attn_mask": "float"},
    "padding": {"batch": 2, "n": 5, "key_padding_mask": PADDING},
    "padding and causal": {"batch": 2, "n": 5, "key_padding_mask": PADDING, "attn_mask": CAUSAL, "bias": False},
    "cross": {"batch": 2, **CROSS},
    "cross without biases": {"bias": False, **CROSS},
    "cross, padding and a mask": {"batch": 2, "key_padding_mask": PADDING, "attn_mask": LAST, **CROSS},
    "cross, a mask for each head": {"batch": 2, "attn_mask": HEADS, **CROSS},
    "cross, a query without keys": {"batch": 2, "attn_mask": ROW, **CROSS},
    "cross, kdim and vdim differ": {"batch": 2, "memory": 5, "kdim": 7, "vdim": 4},
    "a key and value of zero": {"batch": 2, "add_zero_attn": True},
}
ENCODER_LAYER = {
    f"{'pre' if norm_first else 'post'}-LN, {activation}, {label}": {
        "norm_first": norm_first,
        "activation": activation,
        **options,
    }
    for norm_first, activation, (label, options) in product(
        (True, False),
        ("relu", "gelu"),
        (("plain", {}), ("padding and causal", {"src_key_padding_mask": PADDING, "src_mask": CAUSAL})),
    )
} | {
    "pre-LN, tanh approximation": {"norm_first": True, "activation": "gelu_tanh"},
    "post-LN, no biases, large eps": {"norm_first": False, "activation": "gelu", "bias": False, "eps": 0.25},
}


def draw(rng, *shape):
    return rng.integers(-48, 49, shape) / 32


def multi_head(n_heads=2, batch=None, n=3, memory=None, *, attn_mask=None, key_padding_mask=None, **options):
    """Run torch.nn.MultiheadAttention; return its inputs and its output."""
    import torch

    rng = np.random.default_rng(1)
    module = torch.nn.MultiheadAttention(6, n_heads, batch_first=True, dtype=torch.float64, **options)
    state = {name: draw(rng, *parameter.shape) for name, parameter in module.named_parameters()}
    module.load_state_dict({name: torch.from_numpy(array) for name, array in state.items()})
    lead = () if batch is None else (batch,)
    query = draw(rng, *lead, n, 6)
    key, value = query, query
    if memory:
        key = value = draw(rng, *lead, memory, options["kdim"])
        if options["vdim"] != options["kdim"]:
            value = draw(rng, *lead, memory, options["vdim"])
    masks = {"attn_mask": draw(rng, n, n) if isinstance(attn_mask, str) else attn_mask}
    masks["key_padding_mask"] = key_padding_mask
    masks = {name: np.asarray(mask) for name, mask in masks.items() if mask is not None}
    output, _ = module(
        *(torch.from_numpy(array) for array in (query, key, value)),
        need_weights=False,
        **{name: torch.from_numpy(mask) for name, mask in masks.items()},
    )
    inputs = {"n_heads": n_heads, "query": query, **masks, **state}
    if memory:
        inputs |= {"key": key, "value": value}
    if "add_zero_attn" in options:
        inputs["add_zero_attn"] = True
    return inputs, output.detach().numpy()


def encoder_layer(activation, norm_first, *, src_mask=None, src_key_padding_mask=None, bias=True, eps=1e-5):
    """Run torch.nn.TransformerEncoderLayer; return its inputs and its output."""
    import torch

    functions = {"gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh")}
    rng = np.random.default_rng(2)
    module = torch.nn.TransformerEncoderLayer(
        d_model=6,
        nhead=2,
        dim_feedforward=7,
        dropout=0.0,
        activation=functions.get(activation, activation),
        layer_norm_eps=eps,
        batch_first=True,
        norm_first=norm_first,
        bias=bias,
        dtype=torch.float64,
    )  # in training mode, which has no fast path with rules of its own
    state = {name: draw(rng, *parameter.shape) for name, parameter in module.named_parameters()}
    module.load_state_dict({name: torch.from_numpy(array) for name, array in state.items()})
    src = draw(rng, 2, 5, 6)
    masks = {"src_mask": src_mask, "src_key_padding_mask": src_key_padding_mask}
    masks = {name: np.asarray(mask) for name, mask in masks.items() if mask is not None}
    output = module(torch.from_numpy(src), **{name: torch.from_numpy(mask) for name, mask in masks.items()})
    inputs = {"activation": activation, "norm_first": norm_first, "eps": eps, "src": src, **masks, **state}
    return inputs, output.detach().numpy()


def grouped():
    """Run torch.nn.functional.scaled_dot_product_attention with shared keys and values."""
    import torch

    rng = np.random.default_rng(3)
    inputs = {
        name: draw(rng, *shape) for name, shape in {"query": (4, 3, 2), "key": (2, 5, 2), "value": (2, 5, 2)}.items()
    }
    output = torch.nn.functional.scaled_dot_product_attention(
        *(torch.from_numpy(array)[None] for array in inputs.values()), enable_gqa=True
    )
    return inputs, output[0].numpy()


def functions():
    """Run the functions of one argument and their like."""
    import torch
    import torch.nn.functional as F  # noqa: N812

    rng = np.random.default_rng(4)
    x, weight, bias = draw(rng, 2, 3, 5), draw(rng, 5), draw(rng, 5)
    t, w, b = (torch.from_numpy(array) for array in (x, weight, bias))
    wide = np.linspace(-8, 8, 65)
    yield "layer_norm", {"x": x, "weight": weight, "bias": bias}, F.layer_norm(t, (5,), w, b)
    yield "layer_norm", {"x": x, "eps": 0.5}, F.layer_norm(t, (5,), eps=0.5)
    yield "rms_norm", {"x": x, "weight": weight, "eps": 0.125}, F.rms_norm(t, (5,), w, eps=0.125)
    yield "gelu", {"x": wide}, F.gelu(torch.from_numpy(wide))
    yield "gelu", {"x": wide, "approximate": True}, F.gelu(torch.from_numpy(wide), approximate="tanh")


def record():
    """Run everything; return what torch.json holds."""
    cases = [("MultiheadAttention", label, *multi_head(**options)) for label, options in MULTI_HEAD.items()]
    cases += [("TransformerEncoderLayer", label, *encoder_layer(**options)) for label, options in ENCODER_LAYER.items()]
    cases += [("scaled_dot_product_attention", "grouped heads", *grouped())]
    for name, inputs, output in functions():
        cases.append((name, ", ".join(inputs), inputs, output.numpy()))
    keys = ("call", "case", "inputs", "output")
    return of_versions("torch", "numpy", cases=(dict(zip(keys, case, strict=True)) for case in cases))


def of_versions(*libraries, cases):
    """Say which versions gave the cases."""
    return {"versions": {name: importlib.metadata.version(name) for name in libraries}, "cases": list(cases)}


def as_json(data):
    """Write a line for each entry of a case; arrays as nested lists."""
    lines = [json.dumps(case, default=lambda array: array.tolist(), separators=(",", ":")) for case in data["cases"]]
    return f'{{"versions": {json.dumps(data["versions"])},\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    RECORD.write_text(as_json(record()), encoding="utf-8")
