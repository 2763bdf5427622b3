"""The arithmetic of the widgets agrees with the package: the same random cases on both sides, to 1e-12."""

import json
import re
from collections import Counter

import numpy as np
import pytest

import attention
from attention.formats import _FORMATS
from docs_ext.html import renderer, rounding

ROUNDS = 40  # of every kind of case

# JSON has no nan and no infinity: such numbers go over as Python writes them, which JavaScript reads, and come back as
# words, which float() reads.
RUN = """{
const module = (name) => new Proxy({}, {get: (_, part) => (...given) => call(`lib/${name}.js`, part, given)});
const {partialAttention, mergePartials} = module("attention");
const fold = (blocks) => blocks.map(([s, v]) => partialAttention(s, v)).reduce((a, b) => mergePartials(a, b));
const odd = (x) => typeof x === "number" && (!Number.isFinite(x) || Object.is(x, -0));
const sent = (x) => odd(x) ? `#${Object.is(x, -0) ? "-0" : x}` : x;
globalThis.run = (name, cases) => JSON.stringify(cases.map(([part, ...given]) => {
  const known = given.map((x) => x === null ? undefined : x);      // None is the default of an argument
  return part === "fold" ? fold(...known) : module(name)[part](...known);
}), (_, x) => sent(x));
}"""


@pytest.fixture(scope="module")
def run():
    """Return a function that calls functions of a module of ours, each with its arguments."""
    renderer.load()
    renderer.engine().eval(RUN)
    return lambda module, cases: read(json.loads(renderer.engine().call("run", module, cases)))


def read(item):
    match item:
        case str() if item.startswith("#"):
            return float(item[1:])
        case list():
            return [read(part) for part in item]
        case dict():
            return {name: read(part) for name, part in item.items()}
    return item


def sizes(rng, *limits):
    return (int(rng.integers(1, limit + 1)) for limit in limits)


def some_scores(rng, shape):
    """Scores of any size, now and then masked, and exact: multiples of 1/8."""
    scores = np.round(rng.standard_normal(shape) * 10 ** rng.integers(0, 5) * 8) / 8
    return np.where(rng.random(shape) < rng.choice([0, 0.3, 1]), -np.inf, scores)


def some_mask(rng, n_q, n_k):
    """No mask, one row for all queries, or a row each; some rows allow nothing."""
    kind = rng.choice(["none", "one row", "full", "nothing"])
    if kind == "none":
        return None
    return rng.random((1 if kind == "one row" else n_q, n_k)) < (0 if kind == "nothing" else 0.5)


def some_head(rng):
    """Return queries, keys, values and a scale; every fourth head is extreme, with dot products that are exact."""
    n_q, n_k, d_v = sizes(rng, 5, 7, 4)
    if rng.random() < 0.25:
        q, k = (rng.integers(-60, 61, (n, 4)).astype(float) for n in (n_q, n_k))
    else:
        d_k = int(rng.integers(1, 9))
        q, k = rng.standard_normal((n_q, d_k)), rng.standard_normal((n_k, d_k))
    return q, k, rng.standard_normal((n_k, d_v)), rng.choice([None, 0.25, 1.0, 0.0, -2.0])


def cases(rng):
    """Yield the name in JavaScript, its arguments, and what the package says."""
    for _ in range(ROUNDS):
        row = some_scores(rng, int(rng.integers(0, 9)))
        yield "softmax", [row], attention.softmax(row)
        a, b = rng.standard_normal((2, int(rng.integers(0, 9))))
        yield "dot", [a, b], a @ b
        weights = attention.softmax(a)
        yield "softmaxVjp", [weights, b], attention.softmax_vjp(weights, b)
        yield "sum", [a], np.sum(a)

        n_q, n_k, left, right = (int(n) for n in rng.integers(0, 6, 4))
        offset = int(rng.integers(-3, 4))
        window = attention.sliding_window_mask(n_q, n_k, left=left, right=right, offset=offset)
        yield "slidingWindowMask", [n_q, n_k, left, right, offset], window
        yield "slidingWindowMask", [n_q, n_k, left], attention.sliding_window_mask(n_q, n_k, left=left, offset=0)
        no_edge = attention.sliding_window_mask(n_q, n_k, left=None, right=None, offset=0)
        yield "slidingWindowMask", [n_q, n_k, np.inf, np.inf], no_edge

        n, d_model, base = int(rng.integers(0, 60)), 2 * int(rng.integers(1, 9)), rng.choice([None, 100.0, 5e5])
        encoding = attention.sinusoidal_encoding(n, d_model, **({} if base is None else {"base": base}))
        yield "sinusoidalEncoding", [n, d_model, base], encoding

        n, half, spare = (int(size) for size in rng.integers([1, 1, 0], [6, 5, 4]))
        x, layout = rng.standard_normal((n, 2 * half + spare)), str(rng.choice(["interleaved", "half"]))
        cos, sin = attention.rotary_tables(rng.uniform(-50, 50, n), 2 * half)
        yield "applyRotary", [x, cos, sin, layout], attention.apply_rotary(x, cos, sin, layout=layout)

        q, k, v, scale = some_head(rng)
        mask = some_mask(rng, len(q), len(k))
        scores, options = attention.attention_scores(q, k, scale=scale), {"mask": mask, "scale": scale}
        given = {name: option for name, option in options.items() if option is not None}
        weights = attention.attention_weights(q, k, **options)
        masked = scores if mask is None else np.where(mask, scores, -np.inf)
        yield "attentionScores", [q, k, scale], scores
        yield "attentionWeights", [q, k, given], weights
        sink = float(rng.choice([0.0, 3.0, -np.inf, *np.abs(scores).max(axis=1)]))
        with_sink = attention.attention_weights(q, k, sink=sink, **options)
        yield "attentionWeights", [q, k, given | {"sink": sink}], with_sink
        yield "attentionWeights", [q, k], attention.attention_weights(q, k)
        yield "blend", [weights[0], v], weights[0] @ v
        whole = attention.scaled_dot_product_attention(q, k, v, **options)

        # One query over blocks of keys, in any order: the merged parts are attention over all keys.
        total = {"output": whole[0], "logsumexp": attention.logsumexp(masked[0])}
        order = rng.permutation(len(k))
        blocks = [part for part in np.split(order, np.sort(rng.integers(0, len(k), 2))) if len(part)]
        parts = [
            {"output": attention.softmax(masked[0][part]) @ v[part], "logsumexp": attention.logsumexp(masked[0][part])}
            for part in blocks
        ]
        yield "partialAttention", [masked[0][blocks[0]], v[blocks[0]]], parts[0]
        yield "fold", [[[masked[0][part], v[part]] for part in blocks]], total
        if len(parts) == 2:
            yield "mergePartials", parts, total


def plain(item):
    """Turn arrays within an argument into lists."""
    if isinstance(item, dict):
        return {name: plain(part) for name, part in item.items()}
    if isinstance(item, list):
        return [plain(part) for part in item]
    return item.tolist() if isinstance(item, np.ndarray | np.generic) else item


def assert_same(actual, expected, label):
    if isinstance(expected, dict):
        assert actual.keys() == expected.keys(), label
        for name in expected:
            assert_same(actual[name], expected[name], f"{label}: {name}")
        return
    expected = np.asarray(expected)
    if expected.size == 0:  # JavaScript has no shape (0, 3)
        assert not np.size(actual), label
        return
    actual = np.asarray(actual)
    assert actual.dtype.kind == expected.dtype.kind or expected.dtype.kind == "f", label
    assert actual.shape == expected.shape, label
    finite = np.abs(expected[np.isfinite(expected)]).max(initial=0) if expected.dtype.kind == "f" else 0
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12 * max(1, finite), err_msg=label)


def test_the_modules_functions_agree_with_the_package(run):
    golden = list(cases(np.random.default_rng(0)))
    assert len(golden) >= 500
    results = run("attention", [[name, *plain(args)] for name, args, _ in golden])
    for (name, args, expected), actual in zip(golden, results, strict=True):
        assert_same(actual, expected, f"{name}({plain(args)})")
    tried = Counter(name for name, _, _ in golden)
    exported = re.findall(
        r"^export (?:const|function) (\w+)", (renderer.SCRIPTS / "lib/attention.js").read_text("utf-8"), re.M
    )
    assert exported
    assert {name: tried[name] for name in exported if tried[name] < 10} == {}


def test_rounding_agrees_to_the_bit(run):
    """Over the whole range of float64: subnormal numbers, ties, what is just beside them and beyond the largest."""
    rng = np.random.default_rng(0)
    powers = 2.0 ** rng.integers(-160, 140, 3000)
    few_bits = rng.integers(1, 4096, 3000) * powers  # ties among them
    xs = np.concatenate(
        [few_bits, np.nextafter(few_bits, 0), np.nextafter(few_bits, np.inf), rng.random(3000) * powers]
    )
    xs = np.concatenate([xs, -xs, [0.0, -0.0, np.inf, -np.inf, np.nan, 65519, 65520, 464, 465, 5e-324]])
    for name in _FORMATS:
        actual = np.array(run("formats", [["roundToFormat", x, name] for x in xs.tolist()]), float)
        desired = attention.round_to_format(xs, name)
        np.testing.assert_array_equal(actual, desired)
        numbers = ~np.isnan(desired)
        np.testing.assert_array_equal(np.signbit(actual)[numbers], np.signbit(desired)[numbers])


NUMBERS = [0, -1, 20 / 3, 2.4, -0.25, 1e-13, 0.1234, 12345.678, 199 / 200, 1 / 201]
WEIGHTS = [0.0, 1.0, 1e-9, 0.0004999, 0.0005, 0.9994, 0.9995, 1 - 1e-9, 1 - 1e-15, *(n / 16 for n in range(17))]


@pytest.mark.parametrize(
    ("name", "ours", "special"),
    [
        ("fraction", rounding.fraction, [*NUMBERS, *WEIGHTS, np.inf, np.nan]),
        ("decimal", rounding.decimal, WEIGHTS),
        ("number", rounding.number, NUMBERS),
    ],
)
def test_numbers_are_written_as_in_the_pages(run, name, ours, special):
    rng = np.random.default_rng(0)
    quotients = rng.integers(0, 300, 200) / rng.integers(300, 400, 200)
    items = [*map(float, special), *rng.random(300).tolist(), *quotients.tolist()]
    shown = run("numbers", [[name, item] for item in items])
    assert dict(zip(map(repr, items), shown, strict=True)) == {repr(item): ours(item) for item in items}
