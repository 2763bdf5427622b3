"""The wavelengths of the pairs of a rotary head, before and after a rule for long texts has slowed them down.

```wave-lengths
caption: The wavelengths of all pairs, before and after
rule: yarn        # none, interpolation, ntk, yarn or llama
factor: 4         # a power of two up to 64
trained: 4096     # tokens, a power of two from 512 to 131072
base: 10000       # or 500000 or 1000000
features: 64      # 16, 64 or 128
```

The drawing has a line for each pair, from its wavelength before to that after, on a logarithmic axis. The table below
counts, for every rule, the pairs that stay, and those that meet angles which they never showed in training.
"""

from typing import Any

from docs_ext.reading.keys import Data, Spec, one_of

REQUIRED = ("caption", "rule", "factor", "trained", "base", "features")
OPTIONAL = ()
RULES = ["none", "interpolation", "ntk", "yarn", "llama"]
FACTORS = [2**k for k in range(7)]
LENGTHS = [2**k for k in range(9, 18)]
FEATURES = [16, 64, 128]
BASES = [10**4, 5 * 10**5, 10**6]


def data(spec: Spec) -> Data:
    """Return what the script draws: what is shown at first, and what can be chosen."""
    options: dict[str, list[Any]] = {"rule": RULES, "factor": FACTORS, "trained": LENGTHS, "base": BASES}
    shown = {key: one_of(spec, key, of) for key, of in (options | {"features": FEATURES}).items()}
    return {**shown, "factors": FACTORS, "lengths": LENGTHS, "bases": BASES, "sizes": FEATURES}
