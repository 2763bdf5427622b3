"""The latent attention of the page against DeepSeek-V2: its record everywhere, itself where it is installed."""

from types import SimpleNamespace

import numpy as np

from attention import KVCache, rms_norm, rotary_tables
from tests.package.parity import record_latent
from tests.package.parity.sources import cases, sources
from tests.site.learn.page_functions import names

page = SimpleNamespace(**names("smaller-caches"))
SOURCES = sources(record_latent, "torch", "transformers")
CASES = cases(SOURCES)
SIZES, EPS = record_latent.SIZES, record_latent.EPS
TABLES = rotary_tables(np.arange(record_latent.N_TOKENS), SIZES["qk_rope_head_dim"], base=record_latent.BASE)


def prepared(inputs):
    """Return queries, latents and turned keys of all tokens, and the weights, as the page's functions take them."""
    state = {name.removesuffix(".weight"): np.array(array).T for name, array in inputs["state"].items()}
    heads, d_c, d_h = (SIZES[name] for name in ("num_attention_heads", "kv_lora_rank", "qk_nope_head_dim"))
    by_head = {
        "q": state["q_b_proj" if "q_b_proj" in state else "q_proj"].reshape(-1, heads, d_h + SIZES["qk_rope_head_dim"]),
        "kv": state["kv_b_proj"].reshape(d_c, heads, d_h + SIZES["v_head_dim"]),
    }
    by_head = {name: array.swapaxes(0, 1) for name, array in by_head.items()}
    w = {"q": by_head["q"][..., :d_h], "qr": by_head["q"][..., d_h:]}
    w |= {"uk": by_head["kv"][..., :d_h], "uv": by_head["kv"][..., d_h:]}
    w |= {"dkv": state["kv_a_proj_with_mqa"][:, :d_c], "kr": state["kv_a_proj_with_mqa"][:, d_c:]}
    w["o"] = state["o_proj"].reshape(heads, SIZES["v_head_dim"], -1)
    x = np.array(inputs["x"])
    asking = x
    if "q_a_proj" in state:
        asking = rms_norm(x @ state["q_a_proj"], state["q_a_layernorm"], eps=EPS)
    latent, turned = page.to_cache(x, w, *TABLES)
    latent = rms_norm(latent, state["kv_a_layernorm"], eps=EPS)
    return *page.make_queries(asking, w, *TABLES), latent, turned, w


@CASES
def test_both_ways_compute_what_the_layer_computes(inputs, output):
    for way in (page.with_keys, page.without_keys):
        np.testing.assert_allclose(way(*prepared(inputs)), output, rtol=0, atol=1e-12 * np.abs(output).max())


@CASES
def test_a_cache_of_latents_and_turned_keys_computes_it_too(inputs, output):
    q, q_r, c, k_r, w = prepared(inputs)
    cache, rows = KVCache(), []
    for t in range(len(c)):
        new = slice(t, t + 1)
        rows.extend(page.without_keys(q[:, new], q_r[:, new], *cache.append(c[new], k_r[new]), w))
    np.testing.assert_allclose(rows, output, rtol=0, atol=1e-12 * np.abs(output).max())


@CASES
def test_the_turned_part_of_the_record_matters(inputs, output):
    q, q_r, c, k_r, w = prepared(inputs)
    for other in (page.without_keys(q, 0 * q_r, c, k_r, w), page.without_keys(q, q_r[..., ::-1], c, k_r, w)):
        assert np.abs(other - output).max() > 1e-3


def test_the_record_holds_what_the_script_would_run():
    recorded = SOURCES["record"]
    assert [case["case"] for case in recorded["cases"]] == list(record_latent.CASES)
    assert recorded["versions"].keys() == {"torch", "transformers", "numpy"}
