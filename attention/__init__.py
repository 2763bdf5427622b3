"""Attention in NumPy, line by line."""

from attention.additive import additive_attention
from attention.arguments import AttentionOptions, SharedOptions
from attention.block import (
    BlockWeights,
    feed_forward,
    gelu,
    layer_norm,
    rms_norm,
    silu,
    transformer_block,
)
from attention.cache import KVCache
from attention.costs import attention_flops, kv_cache_bytes
from attention.delta import delta_rule, linear_attention
from attention.dot_product import (
    attention_scores,
    attention_weights,
    scaled_dot_product_attention,
)
from attention.formats import round_to_format
from attention.gradients import attention_vjp, softmax_vjp
from attention.head_shapes import merge_heads, repeat_kv, split_heads
from attention.latent import LatentWeights, latent_attention
from attention.masks import (
    causal_mask,
    mask_to_bias,
    padding_mask,
    segment_mask,
    sliding_window_mask,
)
from attention.multi_head import MultiHeadWeights, Rotary, multi_head_attention
from attention.numerics import entropy, log_softmax, logsumexp, softmax
from attention.partials import (
    PartialAttention,
    merge_partials,
    partial_attention,
)
from attention.projections import project
from attention.ragged import paged_attention, varlen_attention
from attention.relative import alibi_bias, alibi_slopes
from attention.rotary import apply_rotary, rotary_frequencies, rotary_tables
from attention.single_head import cross_attention, self_attention
from attention.sinusoidal import sinusoidal_encoding
from attention.sparse import index_scores, sparse_attention, top_k_indices
from attention.tiled_gradients import tiled_attention_vjp
from attention.tiling import tiled_attention

__version__ = "0.1.0"
__all__ = [
    "AttentionOptions",
    "BlockWeights",
    "KVCache",
    "LatentWeights",
    "MultiHeadWeights",
    "PartialAttention",
    "Rotary",
    "SharedOptions",
    "additive_attention",
    "alibi_bias",
    "alibi_slopes",
    "apply_rotary",
    "attention_flops",
    "attention_scores",
    "attention_vjp",
    "attention_weights",
    "causal_mask",
    "cross_attention",
    "delta_rule",
    "entropy",
    "feed_forward",
    "gelu",
    "index_scores",
    "kv_cache_bytes",
    "latent_attention",
    "layer_norm",
    "linear_attention",
    "log_softmax",
    "logsumexp",
    "mask_to_bias",
    "merge_heads",
    "merge_partials",
    "multi_head_attention",
    "padding_mask",
    "paged_attention",
    "partial_attention",
    "project",
    "repeat_kv",
    "rms_norm",
    "rotary_frequencies",
    "rotary_tables",
    "round_to_format",
    "scaled_dot_product_attention",
    "segment_mask",
    "self_attention",
    "silu",
    "sinusoidal_encoding",
    "sliding_window_mask",
    "softmax",
    "softmax_vjp",
    "sparse_attention",
    "split_heads",
    "tiled_attention",
    "tiled_attention_vjp",
    "top_k_indices",
    "transformer_block",
    "varlen_attention",
]
