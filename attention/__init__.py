"""Attention in NumPy, line by line."""

from attention.dot_product import attention_scores, attention_weights, scaled_dot_product_attention
from attention.heads import cross_attention, self_attention
from attention.masks import causal_mask, mask_to_bias, padding_mask, segment_mask, sliding_window_mask
from attention.numerics import entropy, log_softmax, logsumexp, softmax
from attention.positions import sinusoidal_encoding
from attention.projections import project

__version__ = "0.1.0"

__all__ = [
    "attention_scores",
    "attention_weights",
    "causal_mask",
    "cross_attention",
    "entropy",
    "log_softmax",
    "logsumexp",
    "mask_to_bias",
    "padding_mask",
    "project",
    "scaled_dot_product_attention",
    "segment_mask",
    "self_attention",
    "sinusoidal_encoding",
    "sliding_window_mask",
    "softmax",
]
