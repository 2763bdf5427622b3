"""The roofline lab: what a step or a prefill of a model moves and computes, and what it waits for.

```roofline-lab
caption: Llama 3 8B under three roofs
model: >-
  dict(d_model=4096, n_layers=32, n_heads=32, n_kv_heads=8,
  d_head=128, d_ff=14336, n_vocabulary=128256)
machines: '{"A100": (312e12, 2.039e12, 2, 7.22e12)}'   # flops/s, bytes/s, itemsize, and if known bytes/s from L2
batch: 1         # texts: a power of two up to 1024
context: 8192    # tokens of each: 512, 1024 ... 131072
```

The first machine is chosen at first. All query heads stay; the slider changes how many heads of keys and values there
are, from 1 to as many as the queries have.
"""

from typing import Any

from docs_ext.errors import SpecError
from docs_ext.reading.expressions import value
from docs_ext.reading.keys import Data, Spec, one_of

REQUIRED = ("caption", "model", "machines", "batch", "context")
OPTIONAL = ()
SIZES = ("d_model", "n_layers", "n_heads", "n_kv_heads", "d_head", "d_ff", "n_vocabulary")
ENDS = {"batch": (0, 10), "context": (9, 17)}  # exponents of 2: texts, and tokens of a text


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    exponents = {key: _exponent(spec, key) for key in ENDS}
    return {"model": _model(spec), "machines": _machines(spec), **exponents, "ends": ENDS}


def _model(spec: Spec) -> dict[str, int]:
    given: Any = value(spec, "model")
    sound = isinstance(given, dict) and set(given) == set(SIZES) and all(isinstance(n, int) for n in given.values())
    if not sound or min(given.values()) < 1:
        raise SpecError(f"model must hold whole numbers for {', '.join(SIZES)}: {given!r}", key="model")
    if given["n_heads"] & (given["n_heads"] - 1) or given["n_heads"] % given["n_kv_heads"]:
        raise SpecError(f"n_heads must be a power of two that n_kv_heads divides: {given!r}", key="model")
    return {size: given[size] for size in SIZES}


def _machines(spec: Spec) -> list[dict[str, Any]]:
    given = value(spec, "machines")
    sound = isinstance(given, dict) and all(len(one) in (3, 4) and min(one) > 0 for one in given.values())
    if not sound or not given:
        raise SpecError(
            f"machines must map names to (flops a second, bytes a second, bytes, bytes a second of L2): {given!r}",
            key="machines",
        )
    parts = ("name", "peak", "bandwidth", "itemsize", "l2")
    return [dict(zip(parts, (name, *one), strict=False)) for name, one in given.items()]


def _exponent(spec: Spec, key: str) -> int:
    first, last = ENDS[key]
    return int(one_of(spec, key, [2**k for k in range(first, last + 1)])).bit_length() - 1
