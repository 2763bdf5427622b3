"""Each property of attention against each option that the pages teach: it holds, or the page names the option."""

import re

import numpy as np
import pytest

import attention as at
from tests.site.pages import ROOT
from tests.tables import beside

PAGE = (ROOT / "docs/reference/properties.md").read_text("utf-8")
N, D = 6, 4
RNG = np.random.default_rng(0)
Q, K, V = RNG.standard_normal((3, 2, N, D))
BIAS = RNG.standard_normal((N, N))
MASK = np.tril(RNG.random((N, N)) < 0.6) | np.eye(N, dtype=bool)
GAIN = np.array([1, 2, 0.5, 1])
M = RNG.standard_normal((D, D))
ORDER = RNG.permutation(N)


def rotated(x, first=0):
    return at.apply_rotary(x, *at.rotary_tables(first + np.arange(x.shape[-2]), D), layout="half")


OPTIONS = {  # what is done to queries and keys before the scores, and the arguments of the function
    "plain": (lambda x: x, {}),
    "shared heads": (lambda x: x, {"enable_gqa": True}),
    "mask": (lambda x: x, {"mask": MASK}),
    "window": (lambda x: x, {"window": (2, 0)}),
    "bias": (lambda x: x, {"bias": BIAS}),
    "softcap": (lambda x: x, {"softcap": 1.0}),
    "sink": (lambda x: x, {"sink": 0.0}),
    "rotation": (rotated, {}),
    "norm": (lambda x: at.rms_norm(x, GAIN), {}),
}


class Attention:
    """Attention with one of the options."""

    def __init__(self, option):
        self.step, self.options = OPTIONS[option]
        self.groups = 2 if "enable_gqa" in self.options else 1

    def weights(self, q, k, **other):
        q = self.step(np.repeat(q, self.groups, axis=0))
        return at.attention_weights(q, self.step(k), **self.options | other)

    def output(self, q, k, v):
        q = self.step(np.repeat(q, self.groups, axis=0))
        return at.scaled_dot_product_attention(q, self.step(k), v, **self.options)


def budget(f):
    return np.allclose(f.weights(Q, K).sum(axis=-1), 1)


def shift(f):
    return np.allclose(f.weights(Q, K, bias=f.options.get("bias", 0) + np.full((N, N), 3.0)), f.weights(Q, K))


def hull(f):
    return np.allclose(f.output(Q, K, np.ones_like(V)), 1)


def order(f):
    return np.allclose(f.output(Q, K[:, ORDER], V[:, ORDER]), f.output(Q, K, V))


def mask(f):
    allowed = np.arange(N) != 1
    given = f.options.get("mask", np.ones((N, N), bool))
    less, free = f.weights(Q, K, mask=given & allowed), f.weights(Q, K) * allowed
    rows = [0, *range(2, N)]  # row 1 may be left without any key
    return np.allclose(less[:, rows], (free / free.sum(axis=-1, keepdims=True))[:, rows])


def rank(f):
    scores = at.attention_scores(f.step(Q[0]), f.step(K[0]), softcap=f.options.get("softcap")) + f.options.get(
        "bias", 0
    )
    if "mask" in f.options or "window" in f.options:
        scores = np.where(np.tri(N), scores, -9)
    return np.linalg.matrix_rank(scores) <= D


def key_bias(f):
    return np.allclose(f.weights(Q, K + np.array([1, -2, 3, 5])), f.weights(Q, K))


def merge(f):
    parts = []
    for some in (slice(0, 2), slice(2, N)):
        options = {name: x[:, some] if name in ("mask", "bias") else x for name, x in f.options.items()}
        if "window" in options:
            away = np.arange(N)[:, None] - np.arange(N)
            options = {"mask": ((away >= 0) & (away <= 2))[:, some]}
        q, k = f.step(np.repeat(Q, f.groups, axis=0)), f.step(K)
        parts.append(at.partial_attention(q, k[:, some], V[:, some], **options))
    return np.allclose(at.merge_partials(*parts).output, f.output(Q, K, V))


def absorb(f):
    before = f.weights(Q, K @ M)
    other = Attention("plain")
    other.options, other.groups = f.options, f.groups
    return np.allclose(other.weights(Q @ M.T, K), before)  # what comes between cannot be absorbed


EXCEPTIONS = beside(__file__, "properties.toml")
SAID = {"rotation": "rotation|turned", "window": "window|mask", "norm": "norm"}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("name", EXCEPTIONS)
def test_a_property_holds_with_an_option_or_the_page_names_the_option(name, option):
    holds = globals()[name.replace("-", "_")]
    assert holds(Attention(option)) == (option not in EXCEPTIONS[name])
    if option in EXCEPTIONS[name]:
        section = re.search(rf"\{{ #{name} \}}\n(.*?)(?=\n## )", PAGE, re.DOTALL)[1]
        row = re.search(rf"\(#{name}\) \|(.*)", PAGE)[1]
        conditions = re.search(r"\*\*Conditions\.\*\*(.*?)\n\n", section, re.DOTALL)[1]
        assert re.search(SAID.get(option, option), conditions + row)
