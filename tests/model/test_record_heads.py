"""What the site holds of the trained model is what examples/record_heads.py records today; a page for a text."""

import json
from dataclasses import replace

import numpy as np
import pytest

from examples import real_model, record_heads


@pytest.fixture(scope="module")
def anew():
    return json.loads(record_heads.text_of(record_heads.record(real_model.installed())))


def same(one, other, where=""):
    """Compare two records: integers within one unit, since the last digit is rounded."""
    assert type(one) is type(other), where
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for name in one:
            same(one[name], other[name], f"{where}.{name}")
    elif isinstance(one, list) and one and not isinstance(one[0], str | dict):
        a, b = np.array(one), np.array(other)
        assert a.shape == b.shape, where
        assert abs(a - b).max() <= 1, where
    elif isinstance(one, list) and one and isinstance(one[0], dict):
        assert len(one) == len(other), where
        for i, (a, b) in enumerate(zip(one, other, strict=True)):
            same(a, b, f"{where}[{i}]")
    else:
        assert one == other, where


def test_the_record_is_what_the_model_does(anew):
    kept = json.loads(record_heads.RECORD.read_text("utf-8"))
    same({k: v for k, v in kept.items() if k != "versions"}, {k: v for k, v in anew.items() if k != "versions"})


def test_the_model_takes_the_weights_of_a_sentence_as_it_records_them(anew):
    encoder = real_model.Encoder.load(real_model.installed())  # in float32
    for one in anew["sentences"] + anew["example"]:
        hidden, weights = encoder.read(one["text"]).of(0)
        assert abs(1000 * weights - one["weights"]).max() <= 0.51
        assert abs(np.linalg.norm(hidden, axis=-1) * anew["units"]["hidden"] - one["hidden"]).max() <= 0.6


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


def test_the_program_writes_a_page_for_a_text(tmp_path):
    real_model.main(["A cat sat.", "--html", str(tmp_path / "cat.html")])
    page = (tmp_path / "cat.html").read_text("utf-8")
    assert "<h1>A cat sat.</h1>" in page
    assert '"tokens": ["[CLS]", "a", "cat", "sat", ".", "[SEP]"]'.replace('"', "&#34;") in page
