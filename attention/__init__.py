"""Attention in NumPy, line by line."""

from attention.additive import additive_attention as additive_attention
from attention.block import BlockWeights as BlockWeights
from attention.block import feed_forward as feed_forward
from attention.block import gelu as gelu
from attention.block import layer_norm as layer_norm
from attention.block import rms_norm as rms_norm
from attention.block import silu as silu
from attention.block import transformer_block as transformer_block
from attention.cache import KVCache as KVCache
from attention.costs import attention_flops as attention_flops
from attention.costs import attention_weight_bytes as attention_weight_bytes
from attention.costs import kv_cache_bytes as kv_cache_bytes
from attention.dot_product import attention_scores as attention_scores
from attention.dot_product import attention_weights as attention_weights
from attention.dot_product import (
    scaled_dot_product_attention as scaled_dot_product_attention,
)
from attention.formats import round_to_format as round_to_format
from attention.gradients import attention_vjp as attention_vjp
from attention.gradients import softmax_vjp as softmax_vjp
from attention.head_shapes import merge_heads as merge_heads
from attention.head_shapes import repeat_kv as repeat_kv
from attention.head_shapes import split_heads as split_heads
from attention.masks import causal_mask as causal_mask
from attention.masks import mask_to_bias as mask_to_bias
from attention.masks import padding_mask as padding_mask
from attention.masks import segment_mask as segment_mask
from attention.masks import sliding_window_mask as sliding_window_mask
from attention.multi_head import MultiHeadWeights as MultiHeadWeights
from attention.multi_head import Rotary as Rotary
from attention.multi_head import multi_head_attention as multi_head_attention
from attention.numerics import entropy as entropy
from attention.numerics import log_softmax as log_softmax
from attention.numerics import logsumexp as logsumexp
from attention.numerics import softmax as softmax
from attention.partials import PartialAttention as PartialAttention
from attention.partials import merge_partials as merge_partials
from attention.partials import partial_attention as partial_attention
from attention.projections import project as project
from attention.relative import alibi_bias as alibi_bias
from attention.relative import alibi_slopes as alibi_slopes
from attention.relative import relative_position_bias as relative_position_bias
from attention.relative import (
    relative_position_bucket as relative_position_bucket,
)
from attention.rotary import apply_rotary as apply_rotary
from attention.rotary import rotary_permutation as rotary_permutation
from attention.rotary import rotary_tables as rotary_tables
from attention.single_head import cross_attention as cross_attention
from attention.single_head import self_attention as self_attention
from attention.sinusoidal import sinusoidal_encoding as sinusoidal_encoding
from attention.tiled_gradients import (
    tiled_attention_vjp as tiled_attention_vjp,
)
from attention.tiling import tiled_attention as tiled_attention

__version__ = "0.1.0"
__all__ = sorted(name for name, value in globals().items() if callable(value))
