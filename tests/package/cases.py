"""Random calls of attention: every option, alone and with the others, in shapes that broadcast."""

from typing import Any, NamedTuple

import numpy as np
import pytest

import attention
from tests.package.oracles import smaller
from tests.tables import beside

DTYPES = [np.float32, np.float64]
OPTIONS = beside(__file__, "options.toml")


def options_of(table, **names):
    """Return the cases of a table of options.toml as parameters; its expressions may use these names."""
    names |= {"at": attention, "np": np}
    return [pytest.param(*eval(f"({case},)", names), id=label) for label, case in OPTIONS[table].items()]


def random_case(rng, largest=40):
    """Draw (query, key, value), options, and sizes of tiles most of which do not divide n."""
    n_kv, group = (int(n) for n in rng.integers(1, 4, 2))
    n_q, n_k = (int(n) for n in rng.integers(0, largest, 2))
    d_k, d_v = rng.integers(1, 9, 2)
    options: dict[str, Any] = {"enable_gqa": True} if group > 1 else {}
    batch: tuple[int, ...] = [(), (2,), (3, 2)][rng.integers(3)]
    if rng.random() < 0.3:
        n_k = n_q
    scores = (*batch, n_kv * group, n_q, n_k)
    options |= random_reach(rng, scores)
    if rng.random() < 0.4:
        options["mask"] = np.asarray(rng.random(smaller(rng, scores)) < rng.choice([0.05, 0.5, 0.9]))
    if rng.random() < 0.3:
        options["bias"] = np.asarray(rng.standard_normal(smaller(rng, scores)))
    if rng.random() < 0.3:
        options["sink"] = rng.standard_normal(n_kv * group) if rng.random() < 0.5 else 1.5
    if rng.random() < 0.3:
        options["softcap"] = float(rng.uniform(0.5, 5))
    if rng.random() < 0.2:
        options["scale"] = float(rng.uniform(-2, 2))
    dtype = DTYPES[rng.integers(2)]
    query = rng.standard_normal((*batch, n_kv * group, n_q, d_k)).astype(dtype)
    if rng.random() < 0.3:
        query *= 8  # scores so large that exp needs its shift
    lead = tuple(int(rng.choice([1, size])) for size in batch)  # keys may serve all sequences
    lead_of_values = lead if rng.random() < 0.8 else (4, *batch)  # values may bring an axis of their own
    key = rng.standard_normal((*lead, n_kv, n_k, d_k)).astype(dtype)
    value = rng.standard_normal((*lead_of_values, n_kv, n_k, d_v)).astype(dtype)
    blocks = {"query_block": int(rng.integers(1, largest + 5)), "key_block": int(rng.integers(1, largest + 5))}
    return (query, key, value), options, blocks


def random_reach(rng, scores):
    """Draw is_causal, window and offset for scores of this shape."""
    n_q, n_k = scores[-2:]
    options: dict[str, Any] = {}
    if rng.random() < 0.4:
        options["is_causal"] = True
    if rng.random() < 0.6:
        left, right = ([None, 0, int(rng.integers(1, 5)), 99][rng.integers(4)] for _ in range(2))
        options["window"] = left if left == right and left is not None else (left, right)
    low, high = -n_q - 2, n_k + 3  # from queries that stand before all keys to such behind them
    kind = rng.integers(5)
    if not options:
        return options
    if kind == 0:
        options["offset"] = n_k - n_q
    elif kind == 1:
        options["offset"] = int(rng.integers(low, high))
    elif kind > 2 or n_q != n_k:
        options["offset"] = rng.integers(low, high, scores[0])
    return options


class Gradients(NamedTuple):
    """What a function returns if it is asked for everything that it was given."""

    query: Any
    key: Any
    value: Any
    bias: Any = None
    sink: Any = None


def all_of(function, *arrays, **options):
    asked = [name for name in ("bias", "sink") if options.get(name) is not None]
    found = function(*arrays, **options, **{f"return_{name}": True for name in asked})
    return Gradients(**dict(zip(("query", "key", "value", *asked), found, strict=True)))
