"""A block against layers of Llama and Mistral: against the record everywhere, against them where they are installed."""

import doctest
from itertools import pairwise

import numpy as np
import pytest

from attention import KVCache, Rotary, rotary_tables, transformer_block
from tests.package.parity import record_llama
from tests.package.parity.sources import cases, sources
from tests.site.pages import ROOT, consoles

SOURCES = sources(record_llama, "torch", "transformers")
CASES = cases(SOURCES)
SIZES = record_llama.SIZES


def function_of_the_page(name):
    """Run the page's example that defines a function, and return the function."""
    code = next(c.code for c in consoles(ROOT / "docs/how-to/load-weights.md") if f"def {name}(" in c.code)
    names = {}
    exec("".join(example.source for example in doctest.DocTestParser().get_examples(code)), names)
    return names[name]


def layer(inputs, *cuts, **changes):
    """Run our block over the tokens, in one call, or cut into several through a cache."""
    state = {name: np.array(array) for name, array in inputs["state"].items()}
    heads = SIZES["num_attention_heads"], SIZES["num_key_value_heads"]
    weights = function_of_the_page("block_from_llama")(state, 0, *heads, record_llama.EPS)
    x, n, window = np.array(inputs["x"]), record_llama.N_TOKENS, inputs["window"]
    there = np.arange(n) >= np.array(inputs["padding"])[:, None]
    positions = (there.cumsum(axis=1) - 1).clip(0)
    tables = rotary_tables(positions, SIZES["head_dim"], inv_freq=inputs["inv_freq"])
    options = {"rotary": Rotary(*(table[:, None] for table in tables), "half"), "is_causal": True}
    options["window"] = None if window is None else (window - 1, 0)
    cache, results = KVCache(window=window) if cuts else None, []
    for start, stop in pairwise([0, *cuts, n]):
        first = 0 if window is None else max(0, start - window + 1)
        options["mask"] = there[:, None, None, first:stop]
        results.append(transformer_block(x[:, start:stop], weights, cache=cache, **options | changes))
    return np.concatenate(results, axis=1)[there]


def expected(inputs, output):
    """Leave out the rows of padding."""
    return output[np.arange(record_llama.N_TOKENS) >= np.array(inputs["padding"])[:, None]]


@CASES
@pytest.mark.parametrize("cuts", [(), (5, 6, 7, 8), tuple(range(1, 9)), (2, 6)], ids=str)
def test_a_block_computes_what_the_layer_computes_at_once_and_through_a_cache(inputs, output, cuts):
    wanted = expected(inputs, output)
    result = layer(inputs, *cuts)
    assert result.shape == wanted.shape
    np.testing.assert_allclose(result, wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


@CASES
def test_layout_window_and_positions_of_the_record_matter(inputs, output):
    wanted = expected(inputs, output)
    tables = rotary_tables(np.arange(record_llama.N_TOKENS), SIZES["head_dim"], inv_freq=inputs["inv_freq"])
    changes = [{"rotary": Rotary(*tables, "interleaved")}, {"rotary": None}, {"is_causal": False, "window": None}]
    if inputs["window"] is not None:
        changes += [{"window": (inputs["window"], 0)}, {"window": None}]
    for change in changes:
        assert not np.allclose(layer(inputs, **change), wanted, rtol=0, atol=1e-6)


def test_the_record_holds_what_the_script_would_run():
    recorded = SOURCES["record"]
    assert [case["case"] for case in recorded["cases"]] == list(record_llama.CASES)
    assert recorded["versions"].keys() == {"torch", "transformers", "numpy"}
    plain, stretched = (recorded["cases"][i]["inputs"]["inv_freq"] for i in (0, 2))
    np.testing.assert_allclose(plain, [1, record_llama.BASE**-0.5], rtol=1e-15)
    assert plain != stretched
