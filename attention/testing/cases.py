"""The cases: queries, keys, values and options that tell kernels apart."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import _inputs
from attention.arguments import _read_fitting
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


def table(file: str) -> dict[str, Any]:
    """Read the table of a module: the file of its name that ends in toml."""
    return tomllib.loads(Path(file).with_suffix(".toml").read_text("utf-8"))


_TABLES = table(__file__)
# with scores that a cap would level
FAR = ("levels", "steep maxima", "far below")
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
        self.made = [n for n, given in self.options.items() if callable(given)]
        self.asked = self.options.keys() - self.made
        self.reaches = not self.asked.isdisjoint({"is_causal", "window"})
        asks = "offset" in self.options  # of a mask or bias that is made
        self.is_placed = self.reaches or bool(self.made and asks)
        if self.reaches:
            self.asked |= {"positions", "any_offset"}
        if "offset" in self.options:
            self.asked.discard("any_offset")
        # levels of scores: exp of them overflows
        self.high = 800.0 if format == "float64" else 200.0
        # what a running maximum that begins at a finite number is above
        lowest = {
            "float16": -6e4,
            "float8_e5m2": -5e4,
            "float8_e4m3fn": -400.0,
        }
        self.low = lowest.get(format, -1e5)

    def cases(
        self, scores_format: str | None = None, gradients: bool = False
    ) -> Iterator[Case]:
        """Draw every case that options and format do not exclude."""
        for index, (name, line) in enumerate(_TABLES["sizes"].items()):
            words = line.split()
            asked_by = words[len(SIZES) :]
            if asked_by and self.asked.isdisjoint(asked_by):
                continue
            below = name == "far below"
            biased = below and self.options.get("bias") is True
            if name in FAR and "softcap" in self.options and not biased:
                continue
            # 16 bits round a score of 400 by as much as 1
            if (name == "steep maxima" or below) and scores_format:
                continue
            if below and gradients:  # they take their weights from sums
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
            if name == "many queries" and self._spreads(gradients):
                sizes["n_k"] = sizes["n_q"]
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
        scale = options.get("scale") or s["d_k"] ** -0.5
        sharpness = {"sharp": 4.0, "beyond the cap": options.get("softcap")}
        size = (sharpness.get(name) or 1.25) / (scale * s["d_k"] ** 0.5)
        query = rng.standard_normal((b, s["heads"], n_q, s["d_k"])) * size
        if name == "beyond the cap" and "float8" not in self.format:
            query[:, 1:] *= 40  # where a quotient for tanh overflows
        key = rng.standard_normal((b, s["kv_heads"], n_k, s["d_k"]))
        value = rng.standard_normal((b, s["kv_heads"], n_k, s["d_v"]))
        self._raise(name, query, key, scale)
        if name == "many queries":  # gradients of keys grow with every query
            query += size
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

    def _raise(
        self, name: str, query: Array, key: Array, scale: float
    ) -> None:
        """Let the first feature move the scores of keys, or of whole rows."""
        n_q, n_k = query.shape[2], key.shape[2]
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
            level = np.linspace(-self.high, self.high, n_q)
            query[..., 0] = level / (16 * scale)
            key[..., 0] = 16
        if name == "far below" and self.options.get("bias") is not True:
            query[..., 0] = self._depths(n_q) / (16 * scale)
            key[..., 0] = 16

    def _depths(self, n_q: int) -> Array:
        return -np.geomspace(50, -self.low, n_q)

    def _spreads(self, gradients: bool) -> bool:
        """Say whether few keys are too few for thousands of queries."""
        how = self.options.get("offset")
        if gradients:  # many queries must see a key
            return self.reaches and (how == "last" or "window" in self.asked)
        # it counts exactly to 2,048
        return self.reaches and how == "first" and self.format == "float16"

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
        # far above all scores, and far below
        levels = np.linspace(self.high, -self.high, s["heads"])
        if options.get("sink") is True:
            drawn = np.log(n_k) + rng.standard_normal(s["heads"])
            drawn = levels if name == "levels" else drawn
            drawn[0] += 12 * (name == "long")  # e^11 overflows in float16
            drawn += self.low * (name == "far below")
            options["sink"] = self.held(drawn)
        shape = [s["batch"], s["heads"], n_q, n_k]
        for axis in _TABLES["shared"].get(name, ()):
            shape[axis] = 1
        if options.get("bias") is True:
            drawn = rng.standard_normal(shape)
            if name == "levels":
                drawn += levels[:, None, None]
            if name == "far below":
                drawn += self._depths(n_q)[:, None]
            options["bias"] = self.held(drawn)
        offset = self._offset(name, s, how) if self.is_placed else None
        options |= {} if offset is None else {"offset": offset}
        for option in self.made:
            options[option] = self._made(option, s, options.get("offset", 0))
        if options.get("mask") is True:
            options["mask"] = self._mask(name, shape, options, rng)
        return options

    def _offset(self, name: str, s: dict[str, int], how: Any) -> Any:
        """Choose the position of the first query; None if it has none."""
        last = s["n_k"] - s["n_q"]
        if name.endswith("per sequence") and how is None:
            return np.resize((last // 2, last, 3), s["batch"])
        if name == "an offset of each kind":  # for every start of a tile
            return last - np.arange(s["batch"])
        if name.endswith("in the middle"):
            return last - last // 8
        if last or (how is None and name == "offsets per sequence"):
            first = how is None and name == "many queries"
            return 0 if first or how == "first" else last
        return None

    def _made(self, name: str, s: dict[str, int], offset: Any) -> Array:
        """Let a caller's function make a mask or a bias."""
        h, n_q, n_k = s["heads"], s["n_q"], s["n_k"]
        given = self.options[name](h, n_q, n_k, offset=offset)
        kinds, shape = (
            "b" if name == "mask" else "iuf",
            (s["batch"], h, n_q, n_k),
        )
        made = np.asarray(_read_fitting(name, given, kinds, shape))
        if not np.isfinite(made).all():
            _inputs.refuse(f"{name} must be finite: mask= hides", given=made)
        if name == "bias":
            wide = np.float64 if self.format == "float64" else np.float32
            made = made.astype(wide)
        return made[(None,) * (4 - made.ndim)]

    def _mask(
        self,
        name: str,
        shape: list[int],
        options: Mapping[str, Any],
        rng: np.random.Generator,
    ) -> Array:
        """Draw padding for every other case, and any keys for the others."""
        b, heads, n_q, n_k = shape
        if name in ("ordinary", "sizes that all differ", "one query", "long"):
            lengths = np.arange(n_k, 0, -max(1, n_k // 5))[:b, None]
            return (np.arange(n_k) < lengths)[:, None, None, :]
        some = heads if name in _TABLES["shared"] else 1
        mask = rng.random((b, some, n_q, n_k)) < 0.7
        if name == "documents":  # whole tiles are hidden, but not from all
            drawn = rng.random((b, heads, -(-n_q // 32), -(-n_k // 32))) < 0.5
            tiles = np.repeat(drawn, 32, axis=2)[:, :, :n_q].repeat(32, axis=3)
            mask = tiles[..., :n_k] & (rng.random((b, 1, n_q, n_k)) < 0.8)
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
