"""The cases: queries, keys, values and options that tell kernels apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention.formats import round_to_format

Array = NDArray[Any]
SIZES = ("batch", "heads", "kv_heads", "n_q", "n_k", "d_k", "d_v")
_LOUD = {"float16": 2.0**12, "float8_e4m3fn": 2.0**7, "float8_e5m2": 2.0**12}


@dataclass(frozen=True, eq=False)
class Case:
    """One call of a kernel: what goes in, as (batch, heads, n, d), float64."""

    name: str
    query: Array
    key: Array
    value: Array
    options: Mapping[str, Any]
    format: str
    grad_output: Array | None = None

    @classmethod
    def of(
        cls,
        query: ArrayLike,
        key: ArrayLike,
        value: ArrayLike,
        options: Mapping[str, Any],
        format: str,
    ) -> Self:
        """Make a case of a caller's arrays."""
        given = {"query": query, "key": key, "value": value}
        arrays = {name: _inputs.real(name, a) for name, a in given.items()}
        for name, array in arrays.items():
            if array.ndim != 4:
                rule = f"{name} must have four axes, (batch, heads, n, d)"
                _inputs.refuse(rule, **{name: array})
        q, k, v = (a.astype(np.float64) for a in arrays.values())
        return cls("yours", q, k, v, options, format)

    @property
    def sizes(self) -> str:
        """Write the sizes: batch, heads, queries and keys, features."""
        b, h, n_q, d_k = self.query.shape
        kv_heads, n_k, d_v = self.value.shape[1:]
        heads = f"{h}" if h == kv_heads else f"{h}/{kv_heads}"
        return f"{b}, {heads}, {n_q}/{n_k}, {d_k}/{d_v}"

    def loud(self, n_most: int = 160) -> Iterator[tuple[Case, Array]]:
        """Make the values tell which key was read, some keys at a time.

        Key after key is loud in one feature and silent in all others: the
        output holds the weights themselves, times a number so large that
        nothing of a weight is lost.
        """
        n, d = self.value.shape[-2:]
        keys = np.arange(n)
        if n > n_most:  # the first, the last, and some between them
            keys = np.unique(np.linspace(0, n - 1, n_most).astype(int))
            keys[-16:] = np.arange(n - 16, n)
        for some in np.array_split(keys, -(-keys.size // d)):
            value = np.zeros_like(self.value)
            value[..., some, np.arange(some.size)] = loudness(self.format)
            yield replace(self, value=value), some


def loudness(format: str) -> float:
    """Return the number that a loud value has."""
    return _LOUD.get(format, 2.0**100)


# name, batch, heads, kv_heads, n_q, n_k, d_k, d_v, and which option asks for
# it. The first have sizes that every kernel takes; the others refuse to
# divide, or to be equal.
_TABLE = """
ordinary                2  4 2  128  128  64 64
partial last block      1  2 1  197  197  64 64
sizes that all differ   2  6 2   37   83  20 12
one query               3  8 2    1  193  64 64
one key                 2  3 1    5    1  16 16
more queries than keys  2  4 2   83   37  32 32
many keys               1  2 1   24 4097  64 64
long                    1  2 1  517  517  32 32
a constant per head     2  8 2   33   65  16 16
rising maxima           1  2 1  256  256  32 32
falling maxima          1  2 1  320  320  32 32
steep maxima            1  2 1  256  256  32 32
levels                  1  2 1  192  192  32 32
sharp                   1  4 2  128  128  64 64
beyond the window       1  2 1   70    0  32 32  window
offsets per sequence    3  2 1    9   70  32 32  is_causal window
empty row               2  2 1   20   45  32 32  mask
documents               2  2 1  300  300  32 32  mask
beyond the cap          1  2 1   64   96  32 32  softcap
"""
FAR = ("levels", "steep maxima")  # with scores that a cap would level
PROBED = ("sizes that all differ", "partial last block", "rising maxima")


class Drawing:
    """Draws the cases for some options and sizes, all from one seed."""

    def __init__(
        self,
        format: str,
        options: Mapping[str, Any],
        sizes: Mapping[str, int],
        seed: int,
    ) -> None:
        self.format, self.sizes, self.seed = format, sizes, seed
        self.options = {
            name: given
            for name, given in options.items()
            if given is not None and given is not False
        }
        self.reaches = not self.options.keys().isdisjoint(
            {"is_causal", "window"}
        )

    def cases(self, scores_format: str | None = None) -> Iterator[Case]:
        """Draw every case that options and format do not exclude."""
        for index, line in enumerate(_TABLE.strip().split("\n")):
            name, _, rest = line.partition("  ")
            words = rest.split()
            asked_by = words[len(SIZES) :]
            if asked_by and self.options.keys().isdisjoint(asked_by):
                continue
            if name in FAR and "softcap" in self.options:
                continue
            # 16 bits round a score of 400 by as much as 1
            if name == "steep maxima" and scores_format:
                continue
            sizes = dict(
                zip(SIZES, map(int, words[: len(SIZES)]), strict=True)
            )
            if name == "beyond the window":  # far enough for it to end
                window = self.options["window"]
                if window is True:
                    continue
                sides = window if np.ndim(window) else (window,) * 2
                sizes["n_k"] = sum(side or 0 for side in sides) + 97
            sizes |= self.sizes
            if "enable_gqa" not in self.options:
                sizes["kv_heads"] = sizes["heads"]
            rng = np.random.default_rng([self.seed, index])
            yield self._case(name, sizes, rng)

    def _case(
        self, name: str, s: dict[str, int], rng: np.random.Generator
    ) -> Case:
        b, n_q, n_k = s["batch"], s["n_q"], s["n_k"]
        options = self._options(name, s, rng)
        scale = options.get("scale", s["d_k"] ** -0.5)
        sharpness = {"sharp": 4.0, "beyond the cap": options.get("softcap")}
        size = (sharpness.get(name) or 1.25) / (scale * s["d_k"] ** 0.5)
        query = rng.standard_normal((b, s["heads"], n_q, s["d_k"])) * size
        key = rng.standard_normal((b, s["kv_heads"], n_k, s["d_k"]))
        value = rng.standard_normal((b, s["kv_heads"], n_k, s["d_v"]))
        far = 2000 if self.format == "float64" else 200  # e^88 overflows
        ramp = {
            "rising maxima": np.linspace(-12, 12, n_k),
            "falling maxima": np.linspace(12, -12, n_k),
            # far down, and up again
            "steep maxima": np.abs(np.linspace(-2 * far, 2 * far, n_k)),
        }.get(name)
        if ramp is not None:
            query[..., 0], key[..., 0] = 2 / scale, ramp / 2
        if name == "levels":  # whole rows far above zero, and far below
            far = 800 if self.format == "float64" else 200
            query[..., 0] = np.linspace(-far, far, n_q) / (16 * scale)
            key[..., 0] = 16
        if name == "a constant per head":
            numbers = 1 + np.arange(b * s["kv_heads"])
            value[:] = numbers.reshape(b, -1, 1, 1)
        if np.ndim(options.get("offset", 0)) and self._looks_back(options):
            # what lies behind the last query is not written yet
            last = np.reshape(options["offset"], (-1, 1, 1, 1)) + n_q
            unwritten = np.arange(n_k)[:, None] >= last
            key = np.where(unwritten, 8 * key, key)
            value = np.where(unwritten, loudness(self.format), value)
        q, k, v = (self.held(array) for array in (query, key, value))
        return Case(name, q, k, v, options, self.format)

    def _looks_back(self, options: Mapping[str, Any]) -> bool:
        window = options.get("window")
        right = window[1] if isinstance(window, tuple) else None
        return "is_causal" in options or right == 0

    def _options(
        self, name: str, s: dict[str, int], rng: np.random.Generator
    ) -> dict[str, Any]:
        """Draw what was asked for with True, and what the sizes ask for."""
        n_q, n_k = s["n_q"], s["n_k"]
        options = dict(self.options)
        how = options.pop("offset", None)
        if options.get("window") is True:
            right = None if options.get("is_causal") else n_k // 7
            options["window"] = (n_k // 3, right)
        if options.get("softcap") is True:
            options["softcap"] = 8.0
        if options.get("scale") is True:
            options["scale"] = 0.3
        if options.get("sink") is True:
            drawn = np.log(n_k) + rng.standard_normal(s["heads"])
            options["sink"] = self.held(drawn)
        if options.get("bias") is True:
            drawn = rng.standard_normal((s["batch"], s["heads"], n_q, n_k))
            options["bias"] = self.held(drawn)
        last = n_k - n_q
        if self.reaches:
            if name == "offsets per sequence" and how is None:
                drawn = np.array([last // 2, last, 3])
                options["offset"] = drawn[: s["batch"]]
            elif last or name == "offsets per sequence":
                options["offset"] = 0 if how == "first" else last
        if "mask" in options:
            options["mask"] = self._mask(name, s, options, rng)
        return options

    def _mask(
        self,
        name: str,
        s: dict[str, int],
        options: Mapping[str, Any],
        rng: np.random.Generator,
    ) -> Array:
        """Draw padding for every other case, and any keys for the others."""
        b, n_q, n_k = s["batch"], s["n_q"], s["n_k"]
        if name in ("ordinary", "sizes that all differ", "one query", "long"):
            lengths = np.arange(n_k, 0, -max(1, n_k // 5))[:b, None]
            return (np.arange(n_k) < lengths)[:, None, None, :]
        mask = rng.random((b, 1, n_q, n_k)) < 0.7
        if name == "documents":  # whole tiles are hidden, but not from all
            drawn = rng.random((b, s["heads"], n_q, -(-n_k // 32))) < 0.3
            mask = np.repeat(drawn, 32, axis=-1)[..., :n_k]
            ends = [n_q // 4 - 5, n_q // 2 - 10]
            own = np.searchsorted(ends, np.arange(max(n_q, n_k)), "right")
            mask[0] = own[:n_q, None] == own[:n_k]
        first = np.reshape(options.get("offset", 0), (-1, 1, 1))
        own = np.clip(np.arange(n_q)[:, None] + first, 0, n_k - 1)[:, None]
        mask |= np.arange(n_k) == own
        if name == "empty row":
            mask[0, :, n_q // 2] = False
        return mask

    def held(self, numbers: Array) -> Array:
        """Round to numbers that the format holds."""
        if self.format == "float64":
            return numbers
        if self.format == "float32":
            return numbers.astype(np.float32).astype(np.float64)
        return round_to_format(numbers, self.format)
