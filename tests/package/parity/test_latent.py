"""The page loads layers of DeepSeek-V2 and V3 and runs them: against the record, and live where they are installed."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np

from attention import KVCache, rotary_tables
from tests.package.parity import record_latent
from tests.package.parity.sources import cases, sources
from tests.site.learn.page_functions import names

page = SimpleNamespace(**names("smaller-caches"))
SOURCES = sources(record_latent, "torch", "transformers")
CASES = cases(SOURCES)
N, HEADS = record_latent.N_TOKENS, record_latent.SIZES["num_attention_heads"]


def loaded(inputs, **changes):
    """Load the layer as the page does; `changes` load it wrongly."""
    options = {"layout": "interleaved" if inputs["neighbours"] else "half", "eps": record_latent.EPS}
    options["mscale"] = 0.1 * np.log(inputs["factor"]) + 1
    state = {name: np.array(array) for name, array in inputs["state"].items()} | changes.pop("state", {})
    return page.load(state, HEADS, **options | changes)


def run(inputs, w, way=page.without_keys, cuts=()):
    """Run the layer over all tokens, in one call or cut into several through a cache."""
    cache, rows = KVCache(), []
    for first, stop in pairwise([0, *cuts, N]):
        tables = rotary_tables(range(first, stop), w["kr"].shape[-1], inv_freq=inputs["inv_freq"])
        new = np.array(inputs["x"])[first:stop], w, *tables
        rows.extend(way(*page.make_queries(*new), *cache.append(*page.to_cache(*new)), w))
    return np.array(rows)


def close(z, output):
    return np.allclose(z, output, rtol=0, atol=1e-12 * np.abs(output).max())


@CASES
def test_both_ways_compute_what_the_layer_computes_with_a_cache_too(inputs, output):
    w = loaded(inputs)
    for way in (page.with_keys, page.without_keys):
        for cuts in ((), (1, 4), range(1, N)):
            assert close(run(inputs, w, way, cuts), output)
    assert np.isclose(w["scale"], inputs["scale"], rtol=1e-14)


@CASES
def test_a_wrong_load_fails_by_what_the_page_says(inputs, output):
    rows = np.array(inputs["state"]["kv_b_proj.weight"])
    d_h = loaded(inputs)["uk"].shape[-1] * HEADS  # the rows of all keys, if they came first
    mixed = np.hstack([part.reshape(HEADS, -1, rows.shape[1]) for part in (rows[:d_h], rows[d_h:])])
    wrong = {
        "keys first": {"state": {"kv_b_proj.weight": mixed.reshape(rows.shape)}},
        "layout": {"layout": "half" if inputs["neighbours"] else "interleaved"},
        "norm": {"state": {"kv_a_layernorm.weight": np.ones(rows.shape[1])}},
    }
    if inputs["factor"] > 1:
        wrong["scale"] = {"mscale": 1.0}
    for name, changes in wrong.items():
        w = loaded(inputs, **changes)
        z = run(inputs, w)
        assert close(run(inputs, w, page.with_keys), z)  # both ways agree, on what is wrong
        assert np.linalg.norm(z - output) > 0.1 * np.linalg.norm(output)
        assert close(z[0], output[0]) == (name in {"layout", "scale"})  # one token does not show it


def test_the_record_holds_what_the_script_would_run():
    recorded = SOURCES["record"]
    assert [case["case"] for case in recorded["cases"]] == list(record_latent.CASES)
    assert recorded["versions"].keys() == {"torch", "transformers", "numpy"}
