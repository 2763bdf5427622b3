"""Wrong gradients are found and named, and right ones pass."""

from dataclasses import replace

import numpy as np
import pytest

from attention import attention_vjp
from attention.testing import backward, check_gradients
from attention.testing.cases import Case
from attention.testing.errors import rounded
from attention.testing.mistakes import every
from attention.testing.steps import Steps
from tests.package.testing.kernels import EVERYTHING, rewired_gradients
from tests.tables import beside

TABLES = beside(__file__, "test_backward.toml")


def changed(change):
    def gradients(*arrays, **options):
        return change(arrays[0].shape[-1] ** -0.5, *attention_vjp(*arrays, **options))

    return gradients


GRADIENTS = {
    "scale-missing-in-query": ({}, changed(lambda s, q, k, v: (q / s, k, v))),
    "scale-twice-in-both": ({}, changed(lambda s, q, k, v: (q * s, k * s, v))),
    "group-averaged": ({"enable_gqa": True}, lambda q, *a, **o: [
        g / (n or 1) for g, n in zip(attention_vjp(q, *a, **o), (0, *[q.shape[1] / a[0].shape[1]] * 2), strict=True)]),
    "causal-ignored": ({"is_causal": True}, lambda *a, **_: attention_vjp(*a)),
    "cap-ignored": ({"softcap": 9.0}, lambda *a, softcap: attention_vjp(*a)),
    "constant-factor-in-value": ({}, changed(lambda s, q, k, v: (q, k, 2 * v))),
    "window-ignored": ({"window": (9, 2)}, lambda q, *a, **o: attention_vjp(q, *a, **(o if q.shape[2] > 1 else {}))),
}  # fmt: skip


@pytest.mark.parametrize(("name", "given"), GRADIENTS.items())
def test_wrong_gradients_are_named(name, given):
    report = check_gradients(given[1], **given[0])
    assert not report.passed
    assert report.findings[0].name == name


@pytest.mark.parametrize(("name", "options"), TABLES["named_of_gradients"].items())
def test_a_known_mistake_of_gradients_is_named(name, options):
    mistake = next(one for one in every() if one.name == name)
    returned = {f"return_{what}": what in options for what in ("bias", "sink")}
    assert check_gradients(rewired_gradients(mistake.changes), **options, **returned).findings[0].name == name


def test_the_gradient_of_the_query_has_a_name_of_its_own_and_all_sizes_that_fit():
    gradients = rewired_gradients({"for_query": lambda a, x: x * (a.keys < (a.rows // 32 + 1) * 32)})
    found = check_gradients(gradients, is_causal=True, sizes={"n_q": 48, "n_k": 80, "batch": 1}).findings[0]
    assert found.name == "loop-end-without-offset"
    assert "(tiles of up to 32 queries and up to 32 keys)" in found.says


READ = {  # what of a case's steps replaces gradients, and what must be said
    "rows": (lambda a: {"d_value": Steps(replace(a.case, grad_output=a.grad_output() * (a.rows % 7 != 3))).d_value()},
             "d_value: grad_output of row 3 of 5 gives nothing, and all others are right"),
    "average": (lambda a: Steps(a.case, {"average": lambda a, x: x + 0.3 * np.cos(a.rows)}).gradients(),
                "All is right but D"),
    "weights": (lambda a: {"d_value": Steps(
        a.case, {"for_value": lambda a, x: x * (1 + 0.2 * (a.keys % 5 == 2))}).d_value()},
                "Weights of the backward pass, from d_value: Row 3 gives key 12 the weight"),
    "no factor": (lambda a: {"d_value": a.d_value() * np.linspace(1.4, 1.6, a.d_v)},
                  "Weights of the backward pass, from d_value"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "said"), READ.values(), ids=READ)
def test_gradients_without_a_name_are_read(change, said, monkeypatch):
    monkeypatch.setattr(backward, "_mistakes", lambda *_: [])

    def gradients(query, key, value, grad_output):
        a = Steps(replace(Case.of(query, key, value, {}, "float32"), grad_output=grad_output.astype(float)))
        return list((a.gradients() | change(a)).values())

    assert check_gradients(gradients).findings[0].says.startswith(said)


def test_it_is_measured_where_a_loop_over_queries_begins(monkeypatch):
    monkeypatch.setattr(backward, "_mistakes", lambda *_: [])
    flows = dict.fromkeys(
        ["for_query", "for_key", "for_value"], lambda a, x: x * (a.rows >= a.keys // 20 * 20 // 12 * 12)
    )
    found = check_gradients(rewired_gradients(flows), is_causal=True).findings[0]
    assert "without the offset (tiles of 12 queries and 20 keys)" in found.says


@pytest.mark.parametrize("format", ["float64", "float32", "bfloat16", "float16"])
def test_right_gradients_pass(format):
    def gradients(*arrays, **options):
        exact = attention_vjp(*arrays, **options, return_bias=True, return_sink=True)
        return [rounded(array, format) for array in exact]

    report = check_gradients(gradients, format=format, return_bias=True, return_sink=True, **EVERYTHING)
    assert report.passed, str(report)
