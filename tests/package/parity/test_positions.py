"""Positions against ONNX and Hugging Face: against the record everywhere, against them where they are installed."""

import numpy as np
import pytest

from attention import (
    alibi_bias,
    alibi_slopes,
    apply_rotary,
    relative_position_bias,
    relative_position_bucket,
    rotary_permutation,
    rotary_tables,
)
from tests.package.parity import record_positions
from tests.package.parity.sources import cases, sources

SOURCES = sources(record_positions, "onnx", "torch", "transformers")
BY_NAME = {(case["call"], case["case"]): case for case in SOURCES["record"]["cases"]}
ROTATIONS = ("onnx RotaryEmbedding", "llama", "gpt_neox", "gptj")


def of(*calls):
    return cases(SOURCES, lambda case: case["call"] in calls)


def rotated(inputs, n_heads=None, **changes):
    """Rotate the first heads of the recorded vectors: tables for each sequence, one heads axis for all."""
    x = np.array(inputs["x"])[:, :n_heads]
    cos, sin = rotary_tables(
        inputs["positions"], inputs["rotary_dim"], base=inputs["base"], interpolation=inputs["interpolation"]
    )
    return apply_rotary(x, cos[:, None], sin[:, None], **{"layout": inputs["layout"], **changes})


@of(*ROTATIONS)
def test_rotations_agree(inputs, output):
    result = rotated(inputs)
    assert result.shape == output.shape
    np.testing.assert_allclose(result, output, rtol=0, atol=1e-12)


@pytest.mark.parametrize("call", ROTATIONS)
def test_rotations_agree_for_1_to_40_heads(call):
    labels = [label for name, label in BY_NAME if name == call and "1 to 40 heads" in label]
    assert labels
    for label in labels:
        inputs, output = BY_NAME[call, label]["inputs"], np.array(BY_NAME[call, label]["output"])
        assert output.shape[1] == 40
        for n_heads in record_positions.HEADS:
            np.testing.assert_allclose(rotated(inputs, n_heads), output[:, :n_heads], rtol=0, atol=1e-12)


@of(*ROTATIONS)
def test_the_other_layout_is_wrong_until_the_features_are_put_in_its_order(inputs, output):
    other = "half" if inputs["layout"] == "interleaved" else "interleaved"
    if inputs["rotary_dim"] > 2:  # a single pair has one layout
        assert not np.allclose(rotated(inputs, layout=other), output, rtol=0, atol=0.1)
    order = np.arange(output.shape[-1])
    order[: inputs["rotary_dim"]] = rotary_permutation(inputs["rotary_dim"])
    if other == "interleaved":
        order = np.argsort(order)
    turned = rotated(inputs | {"x": np.array(inputs["x"])[..., order]}, layout=other)
    np.testing.assert_allclose(turned, output[..., order], rtol=0, atol=1e-12)


@of("bloom")
def test_bloom_adds_what_alibi_adds_up_to_a_number_for_each_query(inputs, output):
    n_heads, n_keys = inputs["n_heads"], inputs["n_keys"]
    bias = alibi_bias(n_heads, n_keys)
    for query in range(n_keys):  # the number: what the query's own position got there, 0 here
        seen = slice(query + 1)
        np.testing.assert_allclose(bias[:, query, seen], output[:, seen] - output[:, query, None], rtol=0, atol=1e-12)
    np.testing.assert_allclose(alibi_slopes(n_heads), output[:, 1], rtol=1e-12)


@of("mpt")
def test_mpt_adds_what_alibi_adds_to_the_scores_of_the_last_query(inputs, output):
    n_keys = inputs["n_keys"]
    bias = alibi_bias(inputs["n_heads"], 1, n_keys, offset=n_keys - 1)
    np.testing.assert_allclose(bias[:, 0], output, rtol=1e-12)


@of("t5 buckets")
def test_buckets_agree_exactly(inputs, output):
    options = {name: entry for name, entry in inputs.items() if name != "reach"}
    distance = np.arange(-inputs["reach"], inputs["reach"] + 1)
    bucket = relative_position_bucket(distance, **options)
    wrong = distance[bucket != output]
    if (inputs["n_buckets"], inputs["max_distance"]) == (48, 81):
        # (81 / 24)^(16 / 24) is 2.25, so the 17th of the far buckets begins at exactly 54; float32 misses it
        assert 81**16 * 24**8 == 54**24
        assert wrong.tolist() == [-54]
        assert (bucket[distance == -54], output[distance == -54]) == (40, 39)
    else:
        assert wrong.size == 0


@of("t5 bias")
def test_a_table_of_buckets_gives_the_bias_of_t5(inputs, output):
    sizes = inputs["n_queries"], inputs["n_keys"]
    every = np.arange(-16.0, 17.0)  # a table of distances, read as their own numbers
    distance = relative_position_bias([every], *sizes, offset=inputs["offset"])[0].astype(int)
    options = {name: inputs[name] for name in ("bidirectional", "n_buckets", "max_distance")}
    bias = np.array(inputs["table"])[:, relative_position_bucket(distance, **options)]
    np.testing.assert_array_equal(bias, output)


@of("llama tables")
def test_angles_in_float32_are_off_by_hundredths_at_position_a_million(inputs, output):
    cos, _ = rotary_tables(inputs["positions"], inputs["rotary_dim"])
    near, far = np.abs(output - cos).max(axis=-1)
    assert near < 1e-7
    assert 0.01 < far < 0.1


def test_the_record_holds_what_the_script_would_run():
    assert SOURCES["record"]["versions"].keys() == {"torch", "transformers", "onnx", "numpy"}
    for call, labels in (
        ("llama", record_positions.LLAMA),
        ("gpt_neox", record_positions.NEOX),
        ("gptj", record_positions.GPTJ),
    ):
        assert [label for name, label in BY_NAME if name == call] == ["1 to 40 heads", *labels]
    assert [label for name, label in BY_NAME if name == "t5 buckets"] == list(record_positions.BUCKETS)
    assert {label for name, label in BY_NAME if name == ROTATIONS[0]} >= set(record_positions.ONNX)
    for call in ("bloom", "mpt"):
        assert [label for name, label in BY_NAME if name == call] == [f"{n} heads" for n in record_positions.HEADS]
