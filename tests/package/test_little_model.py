"""The little model that writes: what it computes, what its switches change, and the same model written in torch."""

import json
from pathlib import Path

import numpy as np
import pytest

from attention import BlockWeights, MultiHeadWeights, layer_norm, sinusoidal_encoding, transformer_block
from attention.little_model import ID, Switches, load, next_words, read
from attention.little_model.model import logits

OF_TORCH = json.loads((Path(__file__).parent / "parity/little_model.json").read_text("utf-8"))


def numbers(text):
    return np.array([ID[word] for word in text.split()])


OFF = {f"{part} off": Switches(**{part: False}) for part in ("mask", "positions", "norms", "residual")}
OFF |= {"everything on": Switches(), "attention off": Switches(heads=np.zeros((2, 4))), "MLP off": Switches(mlp=False)}
OFF |= {f"head {i // 4}.{i % 4} off": Switches(heads=1 - np.eye(8)[i].reshape(2, 4)) for i in range(8)}


@pytest.mark.parametrize("case", OF_TORCH["cases"], ids=lambda case: f"{case['off']}: {case['text']}")
def test_torch_computes_the_same_scores_with_any_part_off(case):
    found = logits(numbers(case["text"]), load(np.float64), OFF[case["off"]])
    np.testing.assert_allclose(found[-1], case["logits"], atol=1e-5)


def test_its_layers_are_transformer_blocks_of_the_package():
    w, ids = load(np.float64), numbers("cats who chased dogs ran")
    x = 8 * w["embedding"][ids] + sinusoidal_encoding(5, 64, base=100)
    for i in range(2):
        heads = MultiHeadWeights(*(w[f"{i}.w_{name}"] for name in "qkvo"), n_heads=4)
        block = BlockWeights(
            heads, w[f"{i}.w_in"], w[f"{i}.w_out"], norm1_weight=w[f"{i}.norm_1"], norm2_weight=w[f"{i}.norm_2"],
            activation=lambda hidden: np.maximum(hidden, 0),
        )  # fmt: skip
        x = transformer_block(x, block, is_causal=True)
    np.testing.assert_allclose(layer_norm(x, w["norm"]) @ w["embedding"].T, logits(ids, w), atol=1e-12)


def test_what_cannot_be_read_is_refused_with_the_nearest_words():
    assert read("Cats who CHASED dogs?") == ["cats", "who", "chased", "dogs", "?"]
    with pytest.raises(ValueError, match="teas is not one of the 56 words; the nearest: tea"):
        read("ann has teas.")
    for size in (0, 41):
        with pytest.raises(ValueError, match=f"{size} words: type at least one, and 40 at most"):
            next_words("cats " * size)
    shares, weights = next_words("cats who chased dogs")
    assert next(iter(shares)) == "ran"
    assert sum(shares.values()) == pytest.approx(1)
    assert [each.shape for each in weights] == [(4, 4, 4)] * 2
