"""The page's rules for long texts against Hugging Face's: against the record everywhere, live where it is installed."""

import math

import numpy as np
import pytest

from tests.package.parity import record_rope
from tests.package.parity.sources import sources
from tests.site.learn.page_functions import names

SOURCES = sources(record_rope, "torch", "transformers")
PAGE = names("distance")
by_parts, yarn, ntk_aware = PAGE["by_parts"], PAGE["yarn"], PAGE["ntk_aware"]


def cases(*rules):
    return [
        pytest.param(case["inputs"], np.array(case["output"]), case["scaling"], id=f"{source}, {case['case']}")
        for source, data in SOURCES.items()
        for case in data["cases"]
        if not rules or case["inputs"]["rule"] in rules
    ]


def computed(rule, rotary_dim, base, trained, factor, length, **borders):
    """Compute with the functions that the page shows."""
    theta = PAGE["frequencies"](rotary_dim, base)
    if rule == "dynamic":
        return ntk_aware(theta, factor * length / trained - (factor - 1))
    return {
        "linear": lambda: PAGE["interpolated"](theta, factor),
        "yarn": lambda: yarn(rotary_dim, base, factor, trained, **borders),
        "llama3": lambda: by_parts(theta, factor, trained, **({"slow": 1, "fast": 4} | borders)),
    }[rule]()


@pytest.mark.parametrize(("inputs", "output", "scaling"), cases())
def test_frequencies_agree(inputs, output, scaling):
    result = computed(**inputs)
    assert result.shape == output.shape == (inputs["rotary_dim"] // 2,)
    np.testing.assert_allclose(result, output, rtol=1e-12, atol=0)


@pytest.mark.parametrize(("inputs", "output", "scaling"), cases())
def test_yarn_alone_multiplies_the_tables(inputs, output, scaling):
    a = 0.1 * math.log(inputs["factor"]) + 1
    assert scaling == pytest.approx(a if inputs["rule"] == "yarn" else 1, rel=1e-12)


@pytest.mark.parametrize(("inputs", "output", "scaling"), cases("yarn", "llama3"))
def test_wrong_variants_do_not(inputs, output, scaling):
    wrong = {"borders exchanged": {"slow": 32, "fast": 1} if inputs["rule"] == "yarn" else {"slow": 4, "fast": 1}}
    wrong["another upper border"] = {"slow": 1, "fast": 16}
    variants = {name: computed(**inputs, **borders) for name, borders in wrong.items()}
    variants["no ramp"] = computed(**inputs | {"rule": "linear"})
    variants["a new base"] = ntk_aware(PAGE["frequencies"](inputs["rotary_dim"], inputs["base"]), inputs["factor"])
    if inputs["rule"] == "yarn":  # the paper's ramp is not that of the code
        theta = PAGE["frequencies"](inputs["rotary_dim"], inputs["base"])
        variants["the paper's ramp"] = by_parts(theta, inputs["factor"], inputs["trained"], 1, 32)
    for name, result in variants.items():
        assert not np.allclose(result, output, rtol=1e-3, atol=0), name


def test_the_record_holds_what_the_script_would_run():
    inputs = [case["inputs"] for case in SOURCES["record"]["cases"]]
    assert {tuple(one.values())[1:4] for one in inputs} >= set(record_rope.SIZES)
    assert {one["factor"] for one in inputs} >= set(record_rope.FACTORS)
    assert [case["case"] for case in SOURCES["record"]["cases"]][-len(record_rope.MODELS) :] == [*record_rope.MODELS]
