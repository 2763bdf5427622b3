"""What models keep by the formula against Transformers' caches, and the average of rows against its compressors."""

import json

import numpy as np
import pytest

from attention import apply_rotary, rms_norm, rotary_tables
from docs_ext.records.caches import cache_bytes, caches, kept
from examples.recording.caches import LENGTHS, RECORDER
from tests.site.learn.page_functions import names

RECORD = json.loads(RECORDER.file.read_text("utf-8"))
PAGE = names("kept-in-2026")
WEIGHED = {one["model"]: {held["tokens"]: held for held in one["held"]} for one in RECORD["models"]}


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("name", WEIGHED)
def test_a_model_keeps_the_bytes_that_transformers_holds(name, n):
    assert cache_bytes(name, n) == WEIGHED[name][n]["bytes"]
    assert len(caches()[name]["layers"]) == sum(kind["layers"] for kind in WEIGHED[name][n]["kinds"])


def test_a_static_cache_keeps_one_token_more_of_each_window():
    for one in RECORD["static"]:
        model = caches()[one["model"]]
        more = model["layers"].count("W") * model["kinds"].get("W", {"near": 0})["near"]
        assert one["bytes"] == cache_bytes(one["model"], one["tokens"]) + more


def test_the_page_counts_a_layer_as_the_figure_does():
    for kinds in (one["kinds"] for one in caches().values()):
        for parts in kinds.values():
            shown = {name: part for name, part in parts.items() if name != "last"}
            assert all(PAGE["kept"](n, **shown) == kept(n, **shown, last=0) for n in (*range(300), *LENGTHS))


@pytest.mark.parametrize("case", RECORD["compressors"], ids=lambda case: case["kind"])
def test_the_average_of_the_page_is_that_of_transformers(case):
    m, state, expected = case["m"], case["state"], np.array(case["averages"])
    c, z = (np.array(case["x"]) @ np.array(state[f"{name}_proj.weight"]).T for name in ("kv", "gate"))
    bias = np.array(state["position_bias"])
    if case["kind"] == "CSA":  # the first rows of the m tokens before, the second of the m tokens themselves
        d, n = expected.shape[1], len(expected) * m
        z = z[:n] + np.tile(bias, (len(expected), 1))
        before = [np.concatenate([np.full((m, d), fill), part[:n, :d]])[:n] for fill, part in ((0, c), (-np.inf, z))]
        pairs = zip(before, (c[:n, d:], z[:, d:]), strict=True)
        c, z = (np.stack([a.reshape(-1, m, d), b.reshape(-1, m, d)], 1).reshape(-1, d) for a, b in pairs)
        averages = PAGE["compress"](c, z, 0, 2 * m)
    else:
        averages = PAGE["compress"](c, z, bias, m)
    np.testing.assert_allclose(averages, expected, rtol=0, atol=1e-5)
    rows, turned = rms_norm(averages, state["kv_norm.weight"], eps=1e-6), 4  # the last four features are rotated
    tables = rotary_tables(m * np.arange(len(rows)), turned, base=100.0)
    rows[:, -turned:] = apply_rotary(rows[:, -turned:], *tables, layout="interleaved")
    np.testing.assert_allclose(rows, case["entries"], rtol=0, atol=1e-5)
