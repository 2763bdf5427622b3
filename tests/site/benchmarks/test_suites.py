"""The measuring itself, and the committed results: every missed goal says why."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from attention import apply_rotary, rotary_tables, scaled_dot_product_attention, sinusoidal_encoding
from benchmarks import suites
from benchmarks.__main__ import REASONS
from benchmarks.peers import (
    contenders,
    einsum_attention,
    loop_encoding,
    rotary_contenders,
)

RESULTS = Path(suites.__file__).with_name("results.json")


def test_contenders_compute_attention_and_positions(rng):
    query, key, value = rng.standard_normal((3, 20, 8), dtype=np.float32)
    expected = scaled_dot_product_attention(query, key, value)
    np.testing.assert_allclose(einsum_attention(query, key, value), expected, atol=1e-5)
    for name, call in contenders(query, key, value).items():
        np.testing.assert_allclose(np.asarray(call()).reshape(expected.shape), expected, atol=1e-5, err_msg=name)
    np.testing.assert_allclose(loop_encoding(9, 6), sinusoidal_encoding(9, 6), atol=1e-14)


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_rotary_contenders_turn_the_same_layout(rng, layout):
    x = rng.standard_normal((2, 5, 6), dtype=np.float32)
    ours, usual = rotary_contenders(x, layout)
    expected = apply_rotary(x, *rotary_tables(np.arange(5), 6), layout=layout)
    np.testing.assert_allclose(ours(), expected, atol=1e-6)
    assert {"interleaved": "rotate-pairs, NumPy", "half": "rotate-half, NumPy"}[layout] in usual
    for name, call in usual.items():
        np.testing.assert_allclose(np.asarray(call()), expected, atol=1e-6, err_msg=name)


@pytest.mark.nightly
def test_sharing_a_step_and_a_window_are_what_they_are_called(monkeypatch):
    """Every call of a suite computes what its oracle does, so that no ratio compares two different things."""
    seen = {}

    def watched(self, calls, base):
        seen.update({name: np.asarray(call()) for name, call in calls.items()})
        return {name: {"median": 1.0} for name in calls}

    monkeypatch.setattr(suites.Effort, "ratios", watched)
    effort = suites.Effort(seconds=0, largest=256)
    list(suites.windows(effort))
    query, key, value = suites.inputs(256)
    position = np.arange(256)
    near = (position <= position[:, None]) & (position > position[:, None] - 128)
    expected = scaled_dot_product_attention(query, key, value, mask=near)
    np.testing.assert_allclose(seen["window"], expected, atol=1e-5)

    list(suites.sharing(effort))  # the last call is the prompt of tiled_attention
    query, key, value = suites.inputs(256, n_heads=32, d=128)
    few = [array[(np.arange(32) // 4) * 4] for array in (key, value)]
    np.testing.assert_allclose(seen["few"], scaled_dot_product_attention(query, *few), atol=1e-5)
    np.testing.assert_allclose(seen["many"], scaled_dot_product_attention(query, key, value), atol=1e-5)


def test_a_step_of_unequal_lengths_is_that_of_each_sequence_alone(rng):
    keys, values = rng.standard_normal((2, 3, 2, 8, 4), dtype=np.float32)
    new = rng.standard_normal((3, 2, 1, 4), dtype=np.float32)
    cache = suites._filled([keys, keys, values])
    cache.truncate([8, 3, 5])
    for step in (1, 2):
        together = suites._append_and_attend(cache, new, is_causal=True)
        for i, n in enumerate((8, 3, 5)):
            k, v = (np.concatenate([array[i, :, :n], *[new[i]] * step], axis=-2) for array in (keys, values))
            np.testing.assert_allclose(together[i], scaled_dot_product_attention(new[i], k, v), atol=1e-6)


@pytest.mark.parametrize("record", json.loads(RESULTS.read_text("utf-8"))["machines"])
def test_the_committed_results_judge_every_goal_and_explain_what_is_missed(record):
    assert {"machine", "findings"} == set(record)
    goals = {finding["goal"] for finding in record["findings"] if "goal" in finding}
    assert goals == set(range(1, 12))
    measured, all_suites = {f["suite"] for f in record["findings"]}, {suite.__name__ for suite in suites.SUITES}
    assert measured | {"model"} == all_suites  # that one only where the trained model is installed
    for finding in record["findings"]:
        limits = [finding["value"] <= finding.get("at_most", np.inf), finding["value"] >= finding.get("at_least", 0)]
        if "met" in finding:
            assert finding["met"] == all(limits), finding
        assert finding.get("met", True) or len(finding.get("reason", "")) > 20, finding


@pytest.mark.parametrize("machine", range(len(json.loads(RESULTS.read_text("utf-8"))["machines"])))
def test_a_step_beyond_the_caches_takes_as_long_as_its_bytes_say(machine):
    """Within 30%, from the record alone: bytes counted here, over the bandwidth of the same record."""
    found = json.loads(RESULTS.read_text("utf-8"))["machines"][machine]["findings"]
    value = {(f["what"], f.get("n")): f["value"] for f in found if f["suite"] == "roofline"}
    beyond = []
    for (what, n), milliseconds in value.items():
        n_bytes = 2 * 8 * 64 * 4 * (n or 0)  # keys and values, 8 heads of 64 features, 4 bytes a number
        if what == "a step, 8 heads" and n_bytes > value["last-level cache", None] * 2**20:
            beyond.append(1e3 * n_bytes / (1e9 * value["memory bandwidth", None]) / milliseconds)
    assert len(beyond) >= 3
    assert 0.7 < min(beyond) <= max(beyond) < 1.3, beyond
    assert max(speed for (what, _), speed in value.items() if "square" in what) == value["peak", None]


def test_a_reason_holds_no_figure_and_the_results_hold_no_other_reason():
    reasons = {reason for *_, reason in REASONS}
    assert not [reason for reason in reasons if re.search(r"\d", reason)]
    records = json.loads(RESULTS.read_text("utf-8"))["machines"]
    findings = [finding for record in records for finding in record["findings"]]
    assert {finding["reason"] for finding in findings if "reason" in finding} <= reasons
