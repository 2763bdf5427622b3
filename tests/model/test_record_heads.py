"""What examples/record_heads.py takes apart: heads that are removed, and tokens that are deleted."""

from dataclasses import replace

import numpy as np

from examples import real_model, record_heads


def test_a_removed_head_writes_nothing():
    encoder = real_model.Encoder.load(real_model.installed(), np.float64)
    texts = ["the cat ran", "a dog slept"]
    hidden, weights = encoder.read(texts[0]).of(0)
    values, outputs, attended = record_heads.heads_of(encoder, hidden, weights)
    assert values.shape == outputs.shape == (6, 12, 5, 384)
    block = encoder.blocks[2].attention
    summed = outputs[2].sum(axis=0) + block.b_o  # all heads and the bias are the layer's attention
    less = outputs[2][np.arange(12) != 7].sum(axis=0) + block.b_o
    for model, attention in ((encoder, summed), (encoder.without([(2, 7)]), less)):
        merged = np.concatenate(list(attended[2]), axis=-1)
        w = model.blocks[2].attention
        np.testing.assert_allclose(merged @ w.w_o + w.b_o, attention, atol=1e-10)


def test_a_deleted_token_leaves_the_other_weights_alone_and_a_masked_one_shares_its_own_out():
    encoder = real_model.Encoder.load(real_model.installed(), np.float64)
    x, mask = encoder.embed(*encoder.ids("the cat ran"))
    others = np.arange(5) != 0
    block = encoder.blocks[2]
    _, weights = real_model.read_block(x, block, mask)
    _, deleted = real_model.read_block(x, block, mask, others)
    _, masked = real_model.read_block(x, block, mask & others)
    np.testing.assert_array_equal(deleted, weights * others)
    np.testing.assert_allclose(masked, deleted / deleted.sum(axis=-1, keepdims=True), atol=1e-12)
    silent, _ = real_model.read_block(x, block, mask, False)
    bare = replace(block, attention=replace(block.attention, w_o=0 * block.attention.w_o))
    np.testing.assert_allclose(silent, real_model.read_block(x, bare, mask)[0], atol=1e-10)
