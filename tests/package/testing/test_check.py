"""Right kernels pass, wrong ones are found and named, and what cannot be read is refused."""

import builtins
from dataclasses import replace

import numpy as np
import pytest

from attention import (
    alibi_bias,
    attention_vjp,
    logsumexp,
    scaled_dot_product_attention,
    softmax,
    tiled_attention,
)
from attention.practice import known, mutants
from attention.testing import assert_attention, check, check_gradients, diagnosis, expected_error
from attention.testing.cases import Case, Drawing
from attention.testing.errors import PRECISION, rounded
from attention.testing.mistakes import every
from attention.testing.steps import Steps
from tests.package.testing.kernels import EVERYTHING, MADE, changes, rewired
from tests.tables import beside

TABLES = beside(__file__, "test_check.toml")
OPTIONS = {"nothing": {}, "everything": EVERYTHING, "window": {"window": True, "scale": True}}


def honest(format, block=64, weights=None):
    """Write a kernel in blocks that rounds as a processor would, and returns its log-sum-exp."""

    def kernel(query, key, value, *, return_logsumexp=False, **options):
        kind = np.float64 if format == "float64" else np.float32
        q, k, v = (array.astype(kind) for array in (query, key, value))
        groups = q.shape[1] // k.shape[1]
        k, v = np.repeat(k, groups, axis=1), np.repeat(v, groups, axis=1)
        scores = kind(options.get("scale") or q.shape[-1] ** -0.5) * (q @ k.swapaxes(-1, -2))
        if cap := options.get("softcap"):
            scores = kind(cap) * np.tanh(scores / kind(cap))
        scores = scores + np.asarray(options.get("bias", 0), kind)
        allowed = Steps(Case.of(q, k, v, options, format)).allowed()
        scores = np.where(allowed, scores, -np.inf).astype(kind)
        top = np.full((*scores.shape[:-1], 1), -np.inf, kind)
        total, output = np.zeros_like(top), np.zeros((*top.shape[:-1], v.shape[-1]), kind)
        if "sink" in options:
            top, total = top * 0 + np.asarray(options["sink"], kind)[:, None, None], total + 1
            top = np.where(np.isnan(top), np.asarray(options["sink"], kind)[:, None, None], top)
        for start in range(0, k.shape[2], block):
            some = slice(start, start + block)
            new = np.maximum(top, scores[..., some].max(axis=-1, keepdims=True))
            safe = np.where(new == -np.inf, 0, new)
            part, factor = np.exp(scores[..., some] - safe), np.exp(top - safe)
            total = total * factor + part.sum(axis=-1, keepdims=True)
            output = output * factor + rounded(part, weights or format).astype(kind) @ v[:, :, some]
            top = new
        output = output / np.where(total == 0, 1, total)
        result = rounded(output, "bfloat16" if format.startswith("float8") else format)
        return (result, (top + np.log(total))[..., 0]) if return_logsumexp else result

    return kernel


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("format", PRECISION)
def test_an_honest_kernel_of_any_format_passes(format, options):
    report = check(honest(format), format=format, seed=1, **options)
    assert report.passed, str(report)
    assert report.worst < 0.95


@pytest.mark.parametrize("sizes", [{"d_k": 16, "d_v": 16}, {"d_k": 64, "d_v": 5}, {"heads": 1}], ids=str)
def test_the_threshold_knows_how_many_features_there_are(sizes):
    assert_attention(honest("bfloat16", block=48), format="bfloat16", sizes=sizes, is_causal=True)


def test_the_package_is_right_in_either_layout_and_base():
    def other(query, key, value, **options):
        swapped = (array.swapaxes(1, 2) for array in (query, key, value))
        output, total = honest("float32")(*swapped, **options, return_logsumexp=True)
        return output.swapaxes(1, 2), total / np.log(2)

    assert_attention(other, layout="bnhd", logsumexp="2", is_causal=True, enable_gqa=True, sink=True)
    assert_attention(scaled_dot_product_attention, mask=True, format="float16")


def test_the_steps_are_those_of_the_package():
    for case in Drawing("float64", EVERYTHING, {}, 3).cases():
        right = scaled_dot_product_attention(case.query, case.key, case.value, **case.options)
        np.testing.assert_allclose(Steps(case).output, right, rtol=1e-9, atol=1e-12)
        grad = np.random.default_rng(0).standard_normal(right.shape)
        extra = {"return_bias": True, "return_sink": True}
        wanted = attention_vjp(case.query, case.key, case.value, grad, **case.options, **extra)
        steps = Steps(replace(case, grad_output=grad))
        for got, want in zip(steps.gradients().values(), wanted, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-9 * np.abs(want).max())


def test_a_merge_that_cancels_passes():
    def kernel(query, key, value):
        output, total = np.float32(0), np.float32(-np.inf)
        for start in range(0, key.shape[2], 128):
            scores = query @ key[:, :, start : start + 128].swapaxes(-1, -2) * np.float32(query.shape[-1] ** -0.5)
            part = softmax(scores) @ value[:, :, start : start + 128]
            more = logsumexp(scores)[..., None]
            output = output - (output - part) / (1 + np.exp(np.minimum(total - more, 80)))
            total = np.logaddexp(total, more)
        return output

    assert check(kernel).passed


def test_a_kernel_that_subtracts_the_maximum_in_its_format_passes():
    def kernel(query, key, value):
        scores = rounded(query @ key.swapaxes(-1, -2) * query.shape[-1] ** -0.5, "float16")
        weights = softmax(rounded(scores - scores.max(axis=-1, keepdims=True), "float16"))
        return rounded(rounded(weights, "float16") @ value, "float16")

    assert_attention(kernel, format="float16", scores_format="float16")


def test_the_expected_error_is_that_of_many_roundings():
    rng = np.random.default_rng(5)
    query, key, value = (rounded(rng.standard_normal((1, 2, 300, 16)), "bfloat16") for _ in range(3))
    sigma = expected_error(query, key, value, format="bfloat16", is_causal=True)
    error = honest("bfloat16")(query, key, value, is_causal=True)
    error = error - scaled_dot_product_attention(query, key, value, is_causal=True)
    assert 0.7 < np.sqrt(np.mean((error / sigma)[:, :, 9:] ** 2)) < 1.1


def test_a_function_may_make_the_mask_and_the_bias():
    assert_attention(tiled_attention, bias=alibi_bias, mask=MADE["causal"], format="bfloat16")
    last = lambda q, k, v, **_: tiled_attention(q, k, v, is_causal=True, offset=k.shape[2] - q.shape[2])  # noqa: E731
    assert_attention(last, mask=MADE["causal"], offset="last")
    gradients = lambda *arrays, **options: attention_vjp(*arrays, **options, return_bias=True)  # noqa: E731
    report = check_gradients(gradients, bias=alibi_bias, is_causal=True, return_bias=True)
    assert report.passed
    assert "bias=alibi_bias" in str(report)


def by_polynomial(scores):
    """Weigh by powers of 2 that a polynomial approximates."""
    x = (scores - scores.max(axis=-1, keepdims=True)) / np.log(2)
    f = x - np.floor(x)
    powers = 2 ** np.floor(x) * (1 + f * (0.6951786 + f * (0.2276 + f * 0.0782)))
    return powers / powers.sum(axis=-1, keepdims=True)


SAID = {  # what no list foresees: a kernel, options, what must be said
    "scale": (rewired(scale=lambda a, x: 1.1 * x), {}, "1.1 times the scale"),
    "keys": (rewired(allowed=lambda a, x: x & (a.keys % 64 != 63)), {}, "does not read key 63"),
    "sees": (rewired(ends=lambda a, x: (None, x[1] + 3)), {"is_causal": True}, "such keys are 1 to 3 from their query"),
    "bias": (rewired(bias=lambda a, x: np.roll(x, 5, -2)), {"bias": True}, "Without bias"),
    "factor": (lambda *a: 1.02 * scaled_dot_product_attention(*a), {}, "The output is 1.02 times"),
    "weights": (honest("float32", weights="bfloat16"), {},
                "The weights, before they are divided by their sum, are (blocks of 64 keys) rounded to bfloat16"),
    "shape": (lambda q, k, v: tiled_attention(q, k, v).swapaxes(1, 2), {}, "The output has the shape"),
    "pair": (lambda q, k, v: (tiled_attention(q, k, v), 0), {}, 'give logsumexp="e" or "2"'),
    "layout": (tiled_attention, {"layout": "bnhd"}, 'with layout="bhnd" the kernel is right'),
    "nan": (rewired(weigh=lambda a, x: x * [1, np.nan][a.n_queries > 500]), {}, "The output is nan in"),
    "chance": (lambda *a: tiled_attention(*a) + np.random.default_rng().random(), {}, "called twice"),
    "one": (rewired(window=lambda a, x: x if a.n_queries > 1 else None), {"window": True},
            "behaves like window-ignored: window= is ignored. Only where there is one query."),
    "head": (rewired(combine=lambda a, x: x * (1 + 0.01 * (np.arange(a.n_heads) == a.n_heads - 1)[:, None, None])), {},
             "It is wrong only in the last head"),
    "writes": (lambda q, k, v: tiled_attention(np.multiply(q, 2, out=q), k, v), {}, "writes into its query"),
    "nothing": (lambda q, k, v: None, {}, "no real numbers"),
    "parts": (rewired(weigh=lambda a, x: x * np.where(a.keys // 24 % 2, 1.5, 1)), {},
              "Within parts of the keys (new ones begin at 24, 48, 72)"),
    "polynomial": (rewired(weigh=lambda a, x: by_polynomial(a.scores())), {"sizes": {"n_q": 128, "n_k": 128}},
                   "depends on the fraction of the score in base 2"),
    "rounding": (rewired(weigh=lambda a, x: x * (1 + 0.0028 * np.random.default_rng(int(1e9 * x.std())).uniform(
        -1, 1, x.shape))), {"sizes": {"n_q": 64, "n_k": 64}}, "as if something were rounded to bfloat16"),
    "prefix": (rewired(within=lambda a, x: x | (a.keys < a.offset())), {"is_causal": True, "window": (9, None)},
               "window= is ignored. Only for keys before the first query's position"),
    "counted": (rewired(within=lambda a, x: (a.keys <= a.positions()) & (a.keys + 9 >= np.where(
        a.keys < a.offset(), a.offset(), a.positions()))), {"is_causal": True, "window": (9, None)},
               "behaves like window-of-one-query: Over keys before the first query's position the left end"),
    "or": (rewired(window=lambda a, x: None), {"window": (9, None), "is_causal": True, "sizes": {"n_q": 9, "n_k": 40}},
           "window= is ignored. Or, which gives the same numbers here: window-top-left"),
    "block": (rewired(scores=lambda a, x: np.where(a.keys // 32 % 2, x * np.log(2), x)), {},
              "log₂ e is missing from the scale. Only in every second block of 32 keys, from the second."),
    "some keys": (rewired(full=lambda a, x: x - a.bias() * (a.keys % 5 == 2)), {"bias": True}, "Only for some keys"),
    "beside": (rewired(full=lambda a, x: x + np.sin(3 * x) * (a.keys >= a.n_keys // 48 * 48)), {},
               "Weights are wrong only in the last block of 48 keys, if it is not full, beside the others"),
    "shared": (rewired(mask=lambda a, x: x[:1] if x.shape[1] == 1 else x), {"mask": True},
               "The mask of the first sequence is used for all. Only where all heads share the mask."),
    "features": (lambda q, k, v: tiled_attention(q[..., :16], k[..., :16], v, scale=q.shape[-1] ** -0.5), {},
                 "The scores do not depend on features after the first 16"),
}  # fmt: skip


@pytest.mark.parametrize(("kernel", "options", "said"), SAID.values(), ids=SAID)
def test_what_is_not_on_the_list_is_described(kernel, options, said):
    report = check(kernel, **options)
    assert not report.passed
    assert said in " ".join(map(str, report.findings)), str(report)


def place(change):
    return lambda *arrays, **options: change(tiled_attention(*arrays, **options))


def foreign(q, k, v):  # each sequence ends with the first keys of the next
    k, v = (np.concatenate([x, np.roll(x, -1, 0)[:, :, : -x.shape[2] % 24]], axis=2) for x in (k, v))
    return tiled_attention(q, k, v)


def unwritten(q, k, v, mask, left=np.zeros(2**20, np.float32)):  # noqa: B008
    output, seen = tiled_attention(q, k, v, mask=mask), np.broadcast_to(mask, (*q.shape[:3], k.shape[2])).any(-1)
    output[~seen] = left[: output.size].reshape(output.shape)[~seen]
    left[: output.size] = output.ravel()
    return output


def wider(q, k, v):  # what fills a block is not hidden
    k, v = (np.pad(x, [(0, 0), (0, 0), (0, -x.shape[2] % 8), (0, 0)], constant_values=0.5) for x in (k, v))
    return tiled_attention(q, k, v)


def table(q, k, v):  # sequence 1 reads empty slots, those after it the sequence before
    output = tiled_attention(q, *(np.concatenate([x[:1], x[:-1]]) for x in (k, v)))
    output[1:2] = np.nan
    return output


def entries(q, k, v):  # rows of a block table are one page of 8 longer than it takes them for
    n, w = k.shape[2], -(-k.shape[2] // 8) * 8
    k, v = (np.concatenate([*np.pad(x, [(0, 0), (0, 0), (0, w + 8 - n), (0, 0)])], axis=1) for x in (k, v))
    parts = [[x[None, :, b * w : b * w + n] for x in (k, v)] for b in range(len(q))]
    return np.concatenate([tiled_attention(q[b : b + 1], *both) for b, both in enumerate(parts)])


def left(q, k, v, is_causal, offset=0):  # nothing is written for tiles of rows that see no key
    output, buffer = tiled_attention(q, k, v, is_causal=is_causal, offset=offset), np.zeros((16, v.shape[-1]))
    for tile in (output[b, h, i : i + 16] for b, h in np.ndindex(q.shape[:2]) for i in range(0, q.shape[2], 16)):
        if tile.any():
            buffer[: len(tile)] = tile
        tile[:] = buffer[: len(tile)]
    return output


FOUND = {
    "rows": place(lambda z: z.reshape(*np.array(z.shape)[[0, 2, 1, 3]]).swapaxes(1, 2)),
    "features": place(lambda z: z[..., ::-1]),
    "slot": lambda q, k, v: tiled_attention(q, *(np.pad(x, [(0, 0), (0, 0), (
        0, int(x.shape[2] % 16 > 0)), (0, 0)], constant_values=0.5) for x in (k, v))),
    **{"given": wider, "foreign": foreign, "unwritten": unwritten, "table": table, "entries": entries, "left": left},
}  # fmt: skip


@pytest.mark.parametrize(("probe", "options", "name", "said"), TABLES["probed"])
def test_a_probe_says_where_numbers_come_from(probe, options, name, said, monkeypatch):
    monkeypatch.setattr(diagnosis, "_of_all", lambda *_: ([], ([], [])))  # some have a name
    kernel = FOUND[probe] if isinstance(probe, str) else rewired(**changes(probe))
    first = check(kernel, **options).findings[0]
    assert first.name == name
    assert said in first.says


def test_rows_that_overflow_are_described():
    def kernel(query, key, value):
        with np.errstate(all="ignore"):
            weights = np.exp(query @ key.swapaxes(-1, -2) * np.float32(query.shape[-1] ** -0.5))
            return weights / weights.sum(axis=-1, keepdims=True) @ value

    report = check(kernel)
    assert [row.case for row in report.rows if row.verdict == "WRONG"] == ["steep maxima", "levels", "far below"]
    assert report.findings[0].name == "maximum-kept"


def test_a_kernel_that_asks_for_a_number_of_tokens_gets_no_other():
    seen = set()

    def kernel(query, key, value):
        seen.add(query.shape[2])
        return 1.1 * tiled_attention(query, key, value)

    assert not check(kernel, sizes={"n_q": 64, "n_k": 64}).passed
    assert seen == {64}


@pytest.mark.parametrize("format", ["bfloat16", "float16"])
def test_what_only_a_probe_can_see_is_found(format):
    report = check(honest_with_mask_of(-20.0), format=format, is_causal=True)
    assert {row.case for row in report.rows if row.verdict == "WRONG"} >= {"rising maxima"}
    assert "keys read, " in str(report)


def honest_with_mask_of(number):
    return rewired(scores=lambda a, x: np.where(a.allowed(), x, number))


BASES = {"logsumexp-in-base-two": 1 / np.log(2), "logsumexp-negative": -1, "": 1.01}


@pytest.mark.parametrize(("name", "factor"), BASES.items())
def test_a_wrong_log_sum_exp_is_named(name, factor):
    def kernel(query, key, value):
        output, total = honest("float32")(query, key, value, return_logsumexp=True)
        return output, total * factor

    assert check(kernel, logsumexp="e").findings[0].name == name


def test_a_kernel_that_refuses_some_cases_passes_and_one_that_refuses_all_does_not():
    def square(query, key, value):
        if query.shape[2] != key.shape[2]:
            raise NotImplementedError("as many queries as keys")
        return tiled_attention(query, key, value)

    report = check(square)
    assert report.passed
    assert str(report).count("NotImplementedError: as many queries as keys") == 1
    assert not check(square, refusals=0).passed
    refused = [row.verdict == "refused" for row in report.rows]
    assert check(square, refusals=sum(refused) / len(refused)).passed  # more than that share would be too many
    assert not check(lambda query: query).passed


def test_empty_rows_may_be_left_out():
    def kernel(query, key, value, mask):
        scores = np.where(mask, query @ key.swapaxes(-1, -2) * query.shape[-1] ** -0.5, np.float32(-1e30))
        return softmax(scores) @ value

    assert check(kernel, mask=True).findings[0].name == "empty-row-mean"
    assert_attention(kernel, mask=True, empty_rows=False)


def test_the_assertion_shows_the_table():
    with pytest.raises(AssertionError, match=r"(?s)ordinary.*WRONG.*not .*causal-ignored.*NOT PASSED"):
        assert_attention(lambda q, k, v, **_: tiled_attention(q, k, v), is_causal=True)


def test_names_of_mutants_are_shared_and_their_sentences_too():
    ours, theirs = {one.name: one.says for one in every()[::-1]}, {one.name: one.wrong for one in mutants.MUTANTS}
    of_layers = {"split-by-reshape", "merge-by-reshape", "rotary-pairs", "rotary-restarts"}
    of_layers |= {"padding-on-queries", "alibi-sign"}
    assert set(theirs) - set(ours) == of_layers
    for name in set(theirs) & set(ours):
        assert ours[name] == theirs[name] == known.mutants(name)


def test_a_kernel_is_called():
    with pytest.raises(TypeError, match="kernel must be callable: int"):
        check(3)


@pytest.mark.parametrize(("options", "error", "message"), TABLES["refused"].values(), ids=TABLES["refused"])
def test_what_cannot_be_read_is_refused(options, error, message):
    options = {name: MADE.get(str(value), value) for name, value in options.items()}
    with pytest.raises(getattr(builtins, error), match=message):
        check(tiled_attention, **options)
