"""What tests of kernels share: all options, and kernels that are made of the steps of attention."""

from dataclasses import replace
from functools import reduce

import numpy as np

from attention import alibi_bias, causal_mask, mask_to_bias
from attention.testing import mistakes
from attention.testing.cases import Case
from attention.testing.steps import Steps

EVERYTHING = {
    "is_causal": True, "enable_gqa": True, "softcap": 20.0, "window": (30, None),
    **dict.fromkeys(("sink", "bias", "mask"), True),
}  # fmt: skip

MADE = {  # functions that make a mask or a bias
    "alibi": alibi_bias,
    "causal": lambda h, n_q, n_k, offset: causal_mask(n_q, n_k, offset=offset),
    "hidden": lambda h, n_q, n_k, offset: mask_to_bias(causal_mask(n_q, n_k, offset=offset)),
    "square": lambda h, n_q, n_k, offset: np.zeros((n_q, n_q + 1)),
}


def rewired(with_sums=False, **steps):
    """Write a kernel that has some steps of its own."""

    def kernel(query, key, value, **options):
        a = Steps(Case.of(query, key, value, options, "float32"), {**steps})
        output = a.output.astype(np.float32)
        return (output, a.logsumexp.astype(np.float32)) if with_sums else output

    return kernel


def rewired_gradients(steps):
    def gradients(query, key, value, grad_output, **options):
        case = replace(Case.of(query, key, value, options, "float32"), grad_output=grad_output)
        return list(Steps(case, steps).gradients().values())

    return gradients


def changes(steps):
    """Make steps of expressions, as in mistakes.toml."""
    return {name: mistakes._change(text, reduce=reduce) for name, text in steps.items()}
