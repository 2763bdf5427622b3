"""The pages' functions against DeepSeek-V3.2 and Qwen3-Next: the record everywhere, live where installed."""

import numpy as np
import pytest

from attention import apply_rotary, rms_norm, rotary_tables
from tests.package.parity import record_beyond_softmax as recorder
from tests.package.parity.sources import sources
from tests.site.learn.page_functions import names

SPARSE, LINEAR = names("sparse-attention"), names("beyond-softmax")
SOURCES = sources(recorder, "torch", "transformers")
EVERY = pytest.mark.parametrize("source", SOURCES)


def case(source, at):
    found = SOURCES[source]["cases"][at]
    inputs = dict(found["inputs"])
    inputs |= inputs.pop("state", {})
    return {name: np.array(array) for name, array in inputs.items()}, np.array(found["output"])


def close(result, output):
    return np.allclose(result, output, rtol=0, atol=1e-12 * np.abs(output).max())


def heads(x, weight, n_heads):
    """Project, and return (heads, n, d): torch keeps a weight as (out, in)."""
    return (x @ weight.T).reshape(len(x), n_heads, -1).swapaxes(0, 1)


def sparse(given, top=3):
    """Return the output of DeepSeek's layer, and the tokens that its indexer keeps."""
    x, n = given["x"], recorder.N_TOKENS
    tables = rotary_tables(np.arange(n), 4, base=recorder.BASE)
    short_q = rms_norm(x @ given["q_a_proj.weight"].T, given["q_a_layernorm.weight"], eps=1e-6)
    latent, key = np.split(x @ given["kv_a_proj_with_mqa.weight"].T, [6], axis=1)
    latent = rms_norm(latent, given["kv_a_layernorm.weight"], eps=1e-6)
    q, kv = heads(short_q, given["q_b_proj.weight"], 2), heads(latent, given["kv_b_proj.weight"], 2)
    turned = [apply_rotary(part, *tables, layout="interleaved") for part in (q[..., 3:], key)]
    q = np.concatenate([q[..., :3], turned[0]], axis=-1)
    k = np.concatenate([kv[..., :3], np.broadcast_to(turned[1], (2, n, 4))], axis=-1)

    index_k = x @ given["indexer.wk.weight"].T
    index_k = (index_k - index_k.mean(axis=1, keepdims=True)) / np.sqrt(index_k.var(axis=1, keepdims=True) + 1e-6)
    index_k = index_k * given["indexer.k_norm.weight"] + given["indexer.k_norm.bias"]
    index_q = heads(short_q, given["indexer.wq_b.weight"], 3)
    turned = [apply_rotary(part[..., :4], *tables, layout="half") for part in (index_q, index_k)]
    index = [np.concatenate(both, axis=-1) for both in zip(turned, (index_q[..., 4:], index_k[..., 4:]), strict=True)]
    w = x @ given["indexer.weights_proj.weight"].T / np.sqrt(3 * 6)
    scores = np.where(np.tri(n, dtype=bool), SPARSE["index_scores"](*index, w), -np.inf)
    kept = [sorted(np.argsort(-row, kind="stable")[:top]) for row in scores]
    z = SPARSE["sparse_attention"](q, k, kv[..., 3:], scores, top)
    return np.hstack([*z]) @ given["o_proj.weight"].T, np.array(kept)


@EVERY
def test_sparse_attention_and_what_it_keeps_are_those_of_deepseek(source):
    given, output = case(source, 0)
    result, kept = sparse(given)
    assert close(result, output)
    assert np.array_equal(kept[2:], given["kept"][2:])  # before, some of the future fills the row
    assert not np.allclose(sparse(given, top=4)[0], output, rtol=0, atol=1e-3)


@EVERY
def test_the_delta_rule_is_that_of_qwen3_next(source):
    given, output = case(source, 1)
    q, k = (x / np.sqrt((x**2).sum(axis=1, keepdims=True) + 1e-6) for x in (given["q"], given["k"]))
    alpha, rest = np.exp(-given["fades"]), (k, given["v"])
    assert close(LINEAR["delta_rule"](q / 2, *rest, alpha, given["beta"]), output)  # 2 is the root of d_k
    assert not np.allclose(LINEAR["delta_rule"](q / 2, *rest, alpha**0, given["beta"]), output, rtol=0, atol=1e-3)


def test_the_record_holds_what_the_script_would_run():
    recorded = SOURCES["record"]
    assert tuple(case["case"] for case in recorded["cases"]) == recorder.CASES
