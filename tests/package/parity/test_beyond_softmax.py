"""The page's functions against DiffLlama, MiniMax and Qwen3-Next: the record everywhere, live where installed."""

import numpy as np

from attention import apply_rotary, rms_norm, rotary_tables, silu
from tests.package.parity import record_beyond_softmax as recorder
from tests.package.parity.sources import cases, sources
from tests.site.learn.page_functions import names

PAGE = names("beyond-softmax")
SOURCES = sources(recorder, "torch", "transformers")


def of(start):
    return cases(SOURCES, lambda case: case["case"].startswith(start))


def arrays(inputs):
    return {name: np.array(array) for name, array in inputs["state"].items()}, np.array(inputs["x"])[0]


def heads(x, weight, n_heads):
    """Project, and return (heads, n, d): torch keeps a weight as (out, in)."""
    return (x @ weight.T).reshape(len(x), n_heads, -1).swapaxes(0, 1)


def close(result, output):
    return np.allclose(result, output, rtol=0, atol=1e-12 * np.abs(output).max())


def differential(inputs, *, swap=False, layer=None):
    state, x = arrays(inputs)
    tables = rotary_tables(np.arange(len(x)), 6, base=recorder.BASE)
    q, k = (
        apply_rotary(heads(x, state[f"{name}_proj.weight"], n), *tables, layout="half")
        for name, n in (("q", 4), ("k", 2))
    )
    v = np.hstack([*heads(x, state["v_proj.weight"], 2)])  # both heads of values are one, twice as wide
    learned = [state[f"lambda_{name}"] for name in ("q1", "k1", "q2", "k2")]
    layer = inputs["layer"] if layer is None else layer
    pairs = ((q[2], q[0], k[1], k[0]), (q[3], q[1], k[1], k[0])) if swap else ((q[0], q[2], *k), (q[1], q[3], *k))
    z = [PAGE["differential_attention"](*pair, v, learned, layer, eps=recorder.EPS, is_causal=True) for pair in pairs]
    return np.hstack(z) @ state["o_proj.weight"].T


@of("differential")
def test_differential_attention_is_that_of_diffllama(inputs, output):
    assert close(differential(inputs), output[0])


@of("differential")
def test_which_head_is_subtracted_and_the_layer_matter(inputs, output):
    assert not np.allclose(differential(inputs, swap=True), output[0], rtol=0, atol=1e-3)
    assert not np.allclose(differential(inputs, layer=2), output[0], rtol=0, atol=1e-3)


def fading(inputs, gated=True):
    state, x = arrays(inputs)
    qkv = silu(heads(x, state["qkv_proj.weight"], 2))
    z = [
        PAGE["fading_recurrent"](*np.split(head, 3, axis=1), decay)
        for head, decay in zip(qkv, inputs["decay"], strict=True)
    ]
    z = rms_norm(np.hstack(z), state["norm.weight"], eps=inputs["norm_eps"])
    gate = 1 / (1 + np.exp(-x @ state["output_gate.weight"].T))
    return (gate * z if gated else z) @ state["out_proj.weight"].T


@of("fading")
def test_a_fading_memory_with_a_gate_behind_it_is_that_of_minimax(inputs, output):
    assert close(fading(inputs), output[0])
    assert not np.allclose(fading(inputs, gated=False), output[0], rtol=0, atol=1e-3)
    halved = inputs | {"decay": np.array(inputs["decay"]) / 2}
    assert not np.allclose(fading(halved), output[0], rtol=0, atol=1e-3)


@of("delta")
def test_the_delta_rule_is_that_of_qwen3_next(inputs, output):
    q, k, v, beta = (np.array(inputs[name]) for name in ("q", "k", "v", "beta"))
    q, k = (x / np.sqrt((x**2).sum(axis=1, keepdims=True) + 1e-6) for x in (q, k))
    assert close(PAGE["delta_rule"](q / 2, k, v, beta), output)  # 2 is the root of d_k
    assert not np.allclose(PAGE["fading_recurrent"](q / 2, k, beta[:, None] * v, 1), output, rtol=0, atol=1e-3)


def test_the_record_holds_what_the_script_would_run():
    recorded = SOURCES["record"]
    assert tuple(case["case"] for case in recorded["cases"]) == recorder.CASES
    assert recorded["versions"].keys() == {"torch", "transformers", "numpy"}
