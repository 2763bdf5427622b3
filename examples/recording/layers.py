"""What PyTorch's own layers and functions compute."""

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from examples.recording.shared import Recorder, draw, fill

PADDING = [[False, False, False, True, True], [False, False, False, False, True]]  # True: there is no token
LAST = np.triu(np.ones((3, 5), bool), 3)  # True: forbidden; a causal mask aligned at the last key
ROW = np.array([[False] * 5, [True] * 5, [False, True, False, True, False]])  # the second query has no key
CAUSAL = np.triu(np.ones((5, 5), bool), 1)
HEADS = np.arange(60).reshape(4, 3, 5) % 7 % 2 == 1  # (batch * heads, n_q, n_k), batch 2, heads 2
CROSS = {"memory": 5, "kdim": 7, "vdim": 7}

MULTI_HEAD: dict[str, dict[str, Any]] = {
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
ENCODER_LAYER: dict[str, dict[str, Any]] = {
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


def multi_head(
    n_heads: int = 2,
    batch: int | None = None,
    n: int = 3,
    memory: int | None = None,
    *,
    attn_mask: Any = None,
    key_padding_mask: Any = None,
    **options: Any,
) -> tuple[dict[str, Any], Any]:
    """Run torch.nn.MultiheadAttention."""
    import torch

    rng = np.random.default_rng(1)
    module = torch.nn.MultiheadAttention(6, n_heads, batch_first=True, dtype=torch.float64, **options)
    state = fill(module, rng)
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


def encoder_layer(
    activation: str,
    norm_first: bool,
    *,
    src_mask: Any = None,
    src_key_padding_mask: Any = None,
    bias: bool = True,
    eps: float = 1e-5,
) -> tuple[dict[str, Any], Any]:
    """Run torch.nn.TransformerEncoderLayer."""
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
    state = fill(module, rng)
    src = draw(rng, 2, 5, 6)
    masks = {"src_mask": src_mask, "src_key_padding_mask": src_key_padding_mask}
    masks = {name: np.asarray(mask) for name, mask in masks.items() if mask is not None}
    output = module(torch.from_numpy(src), **{name: torch.from_numpy(mask) for name, mask in masks.items()})
    inputs = {"activation": activation, "norm_first": norm_first, "eps": eps, "src": src, **masks, **state}
    return inputs, output.detach().numpy()


def grouped() -> tuple[dict[str, Any], Any]:
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


def function(name: str, given: str = "x", **options: Any) -> tuple[dict[str, Any], Any]:
    """Run a function of one argument, or its like."""
    import torch

    rng = np.random.default_rng(4)
    arrays = {"x": draw(rng, 2, 3, 5), "weight": draw(rng, 5), "bias": draw(rng, 5)}
    if name == "gelu":
        arrays["x"] = np.linspace(-8, 8, 65)
    inputs = {letter: arrays[letter] for letter in given.split()}
    x, *more = (torch.from_numpy(array) for array in inputs.values())
    shape = [] if name == "gelu" else [(5,)]
    named = {"approximate": "tanh"} if "approximate" in options else options
    return inputs | options, getattr(torch.nn.functional, name)(x, *shape, *more, **named).numpy()


FUNCTIONS: dict[tuple[str, str], Callable[[], tuple[dict[str, Any], Any]]] = {
    ("layer_norm", "x, weight, bias"): partial(function, "layer_norm", "x weight bias"),
    ("layer_norm", "x, eps"): partial(function, "layer_norm", eps=0.5),
    ("rms_norm", "x, weight, eps"): partial(function, "rms_norm", "x weight", eps=0.125),
    ("gelu", "x"): partial(function, "gelu"),
    ("gelu", "x, approximate"): partial(function, "gelu", approximate=True),
}
RECORDER = Recorder(
    "layers",
    ("torch", "numpy"),
    {("MultiheadAttention", label): partial(multi_head, **options) for label, options in MULTI_HEAD.items()}
    | {("TransformerEncoderLayer", label): partial(encoder_layer, **given) for label, given in ENCODER_LAYER.items()}
    | {("scaled_dot_product_attention", "grouped heads"): grouped}
    | FUNCTIONS,
)
