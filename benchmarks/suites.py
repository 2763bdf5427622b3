"""What is measured: every suite yields findings, and a finding with a target is a goal of the project."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from attention import (
    AttentionOptions,
    KVCache,
    attention_vjp,
    causal_mask,
    scaled_dot_product_attention,
    sinusoidal_encoding,
    tiled_attention,
    tiled_attention_vjp,
)
from benchmarks.measure import build_seconds, cpu_times, fitted_exponent, import_milliseconds, peak_bytes, ratios
from benchmarks.peers import (
    COMPLEX,
    FLASH,
    MATH,
    OURS,
    REFERENCE,
    SCIPY,
    Contenders,
    contenders,
    loop_encoding,
    model_contenders,
    rotary_contenders,
    torch_backward,
    torch_contenders,
)

ROOT = Path(__file__).parents[1]
D = 64  # features of a head in every suite
MIB = 2**20
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
EPS = float(np.finfo(np.float32).eps)
SHAPES = ((64, 128), (128, 1024), (256, 256), (256, 512), (256, 1024), (384, 384), (384, 640), (512, 512), (512, 1024))


@dataclass(frozen=True)
class Finding:
    """One number: what was measured, for how many tokens, and how large it may or must be."""

    suite: str
    what: str
    value: float
    n: int | None = None
    at_most: float | None = None
    at_least: float | None = None
    goal: int | None = None
    unit: str = "ratio"

    @property
    def met(self) -> bool | None:
        if self.at_most is None and self.at_least is None:
            return None
        return (self.at_most is None or self.value <= self.at_most) and (
            self.at_least is None or self.value >= self.at_least
        )


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    seconds: float
    largest: int  # number of tokens
    rounds: int = 5
    turn: float = 0.05

    def sizes(self, *sizes: int) -> tuple[int, ...]:
        """Keep those that are not too large; two small ones if none is left."""
        return tuple(n for n in sizes if n <= self.largest) or (self.largest // 2, self.largest)

    def ratios(self, calls: Contenders, base: str) -> dict[str, dict[str, float]]:
        return ratios(self.times(calls), base)

    def times(self, calls: Contenders) -> dict[str, list[float]]:
        return cpu_times(calls, seconds=self.seconds, rounds=self.rounds, turn=self.turn)


def inputs(n: int, n_heads: int = 0, dtype: DTypeLike = np.float32, seed: int = 0, d: int = D) -> list[NDArray[Any]]:
    """Query, key and value of N(0, 1)."""
    shape = (n_heads, n, d) if n_heads else (n, d)
    return [np.random.default_rng([seed, i]).standard_normal(shape).astype(dtype) for i in range(3)]


def peers(effort: Effort) -> Iterator[Finding]:
    """Divide everyone's CPU time by that of torch's flash kernel, or by ours without torch. One head, float32."""
    for n, is_causal in product(effort.sizes(128, 512, 2048, 8192, 32768), (False, True)):
        everyone = contenders(*inputs(n), is_causal=is_causal)
        if n > 2048:  # the others need gigabytes, or minutes
            everyone = {name: call for name, call in everyone.items() if name in (OURS, FLASH)}
        if n == 8192 and not is_causal:
            everyone |= {name: call for name, call in contenders(*inputs(n)).items() if name in (REFERENCE, MATH)}
        base = FLASH if FLASH in everyone else OURS
        found = effort.ratios(everyone, base)
        for name, row in found.items():
            target, goal = None, None
            if base == FLASH and name == OURS and n >= 512:
                target, goal = 1.10, 1
            if base == FLASH and name == REFERENCE and n <= 2048 and not is_causal:
                target, goal = 2.2, 4
            kind = " (causal)" if is_causal else ""
            yield Finding("peers", name + kind, row["median"], n, at_most=target, goal=goal)
        if SCIPY in found:
            share = round(found[REFERENCE]["median"] / found[SCIPY]["median"], 3)
            yield Finding("peers", f"{REFERENCE} / {SCIPY}", share, n, at_most=1.1, goal=4)


def bound(effort: Effort) -> Iterator[Finding]:
    """Divide our CPU time by what the two matrix products and the exponentials alone take on this machine.

    Each of the three in the shape of tile that suits it best.
    """
    for n in effort.sizes(2048, 8192):
        query, key, value = inputs(n)
        ours: Contenders = {
            "plain": partial(tiled_attention, query, key, value),
            "causal": partial(tiled_attention, query, key, value, is_causal=True),
        }
        theirs = {name: call for name, call in torch_contenders(query, key, value).items() if name == FLASH}
        pieces = {(piece, shape): call for shape in SHAPES for piece, call in _pieces(shape, query, key, value).items()}
        times = effort.times(ours | theirs | {f"{piece} {shape}": call for (piece, shape), call in pieces.items()})
        least: dict[str, float] = {}  # seconds for one score
        for piece, shape in pieces:
            seconds = median(times[f"{piece} {shape}"]) / _scores_in(shape, n)
            least[piece] = min(seconds, least.get(piece, np.inf))
        limit = sum(least.values())
        pairs = {"plain": n * n, "causal": n * (n + 1) // 2}
        for name, target in (("plain", 1.25), ("causal", 1.4)):
            share = median(times[name]) / (limit * pairs[name])
            kind = " (causal)" if name == "causal" else ""
            yield Finding("bound", f"{OURS} / bound{kind}", round(share, 3), n, at_most=target, goal=1)
        if theirs:
            share = round(limit * n * n / median(times[FLASH]), 3)
            yield Finding("bound", f"bound / {FLASH}", share, n)
        for piece, seconds in least.items():
            yield Finding("bound", f"{piece}, part of the bound", round(seconds / limit, 3), n)


def _pieces(
    shape: tuple[int, int], query: NDArray[Any], key: NDArray[Any], value: NDArray[Any]
) -> dict[str, Callable[[], object]]:
    """Name the kernel's three expensive lines, for a tile of this shape."""
    rows, columns = (min(most, len(query)) for most in shape)
    scores = np.empty((columns, rows), query.dtype).T
    q, k, v = query[:rows] * query.dtype.type(D**-0.5), key[:columns].T, value[:columns]
    small = np.asfortranarray(q @ k)
    return {
        "QK": partial(np.matmul, q, k, out=scores),
        "exp": partial(np.exp, small, out=np.empty_like(scores)),
        "AV": partial(np.matmul, small, v, out=np.empty((rows, D), query.dtype)),
    }


def _scores_in(shape: tuple[int, int], n: int) -> int:
    return min(shape[0], n) * min(shape[1], n)


def tiles(effort: Effort) -> Iterator[Finding]:
    """Divide the time of every shape of tile by that of `tiled_attention` as it comes.

    And the same of the bound's three pieces: what NumPy's operations allow moves with the shape as well.
    """
    n = min(4096, effort.largest)
    arrays = inputs(n)
    for is_causal, kind in ((False, ""), (True, " (causal)")):
        ours = partial(tiled_attention, *arrays, is_causal=is_causal)
        shapes: Contenders = {
            _times(shape): partial(ours, query_block=shape[0], key_block=shape[1]) for shape in SHAPES
        }
        flash = torch_contenders(*arrays, is_causal=is_causal).get(FLASH)
        theirs: Contenders = {FLASH: flash} if flash else {}
        found = replace(effort, seconds=3 * effort.seconds).ratios({OURS: ours} | shapes | theirs, OURS)
        fastest = min(found[name]["median"] for name in shapes)
        what = f"{OURS} / its fastest shape{kind}"
        yield Finding("tiles", what, round(1 / fastest, 3), n, at_most=1.05, goal=1)
        for name in (*shapes, *theirs):
            yield Finding("tiles", name + kind, found[name]["median"], n)
    pieces = {(shape, piece): call for shape in SHAPES for piece, call in _pieces(shape, *arrays).items()}
    calls: Contenders = {f"{_times(shape)} {piece}": call for (shape, piece), call in pieces.items()}
    times = effort.times({OURS: partial(tiled_attention, *arrays)} | calls)
    for shape in SHAPES:
        seconds = sum(median(times[f"{_times(shape)} {piece}"]) for at, piece in pieces if at == shape)
        share = seconds / _scores_in(shape, n) / (median(times[OURS]) / n**2)
        yield Finding("tiles", f"{_times(shape)} (bound)", round(share, 3), n)


def _times(shape: tuple[int, int]) -> str:
    return "{} x {}".format(*shape)


def reference(effort: Effort) -> Iterator[Finding]:
    """Divide the reference's time by that of the tiles; count its temporaries."""
    for n in effort.sizes(8192):
        for is_causal, target in ((False, 1.3), (True, 2.5)):
            both: Contenders = {
                OURS: partial(tiled_attention, *inputs(n), is_causal=is_causal),
                REFERENCE: partial(scaled_dot_product_attention, *inputs(n), is_causal=is_causal),
            }
            kind = " (causal)" if is_causal else ""
            share = effort.ratios(both, OURS)[REFERENCE]["median"]
            yield Finding("reference", f"{REFERENCE} / {OURS}{kind}", share, n, at_least=target, goal=2)
    n = min(2048, effort.largest)
    query, key, value = inputs(n)
    matrices = peak_bytes(lambda: scaled_dot_product_attention(query, key, value)) / (n * n * query.itemsize)
    what = f"peak of {REFERENCE}, in n x n matrices"
    yield Finding("reference", what, round(matrices, 3), n, at_most=3.1, goal=4, unit="matrices")


def threads(effort: Effort) -> Iterator[Finding]:
    """Divide the wall time of one thread by that of two. Needs a machine that has nothing else to do."""
    n = min(8192, effort.largest)
    query, key, value = inputs(n)
    walls: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(4 * effort.rounds):  # one quiet moment is enough
        for n_threads, series in walls.items():
            start = time.perf_counter()
            tiled_attention(query, key, value, n_threads=n_threads)
            series.append(time.perf_counter() - start)
    share = round(min(walls[1]) / min(walls[2]), 3)
    yield Finding("threads", "one thread / two threads, wall time", share, n, at_least=1.8, goal=2)


def memory(effort: Effort) -> Iterator[Finding]:
    """Count the bytes that a call needs beyond its inputs and its output, and fit a power of n to them."""
    calls: dict[str, Callable[..., Any]] = {OURS: tiled_attention, REFERENCE: scaled_dot_product_attention}
    for name, call in calls.items():
        sizes = effort.sizes(*((4096, 16384, 65536) if name == OURS else (1024, 2048, 4096, 8192)))
        extra = []
        for n in sizes:
            arrays = inputs(n)
            extra.append(peak_bytes(partial(call, *arrays)) - arrays[-1].nbytes)
            target, goal = (2.0, 3) if name == OURS else (None, None)
            yield Finding("memory", name, round(extra[-1] / MIB, 3), n, at_most=target, goal=goal, unit="MiB")
        exponent = round(fitted_exponent(sizes, extra), 3)
        target, goal = (0.05, 3) if name == OURS else (None, None)
        yield Finding("memory", f"{name}, exponent of n", exponent, at_most=target, goal=goal, unit="exponent")


def gradients(effort: Effort) -> Iterator[Finding]:
    """Divide the time of a backward pass by that of the forward one, or of torch's forward and backward; count bytes.

    The gradient of the output is an array of its own: NumPy takes another way for a matrix times its own transpose.
    `tiled_attention_vjp` begins with a forward pass of its own, so torch runs one too. One head, one thread.
    """
    n = min(1024, effort.largest)
    (query, key, value), (grad, _, _) = inputs(n), inputs(n, seed=1)
    both: Contenders = {
        "forward": partial(scaled_dot_product_attention, query, key, value),
        "backward": partial(attention_vjp, query, key, value, grad),
    }
    share = effort.ratios(both, "forward")["backward"]["median"]
    yield Finding("gradients", f"attention_vjp / {REFERENCE}", share, n, at_most=3, goal=11)
    for n in effort.sizes(2048, 8192):
        (query, key, value), (grad, _, _) = inputs(n), inputs(n, seed=1)
        calls: Contenders = {"ours": partial(tiled_attention_vjp, query, key, value, grad)}
        if theirs := torch_backward(query, key, value, grad):
            found = effort.ratios(calls | {"theirs": theirs}, "theirs")["ours"]["median"]
            what = "tiled_attention_vjp / torch, CPU flash kernel, forward and backward"
            yield Finding("gradients", what, found, n, at_most=1.3, goal=11)
    sizes, extra = effort.sizes(2048, 8192, 32768), []
    for n in sizes:
        (query, key, value), (grad, _, _) = inputs(n), inputs(n, seed=1)
        extra.append(peak_bytes(partial(tiled_attention_vjp, query, key, value, grad)) - 3 * value.nbytes)
        yield Finding("gradients", "tiled_attention_vjp", round(extra[-1] / MIB, 3), n, unit="MiB")
    exponent = round(fitted_exponent(sizes, extra), 3) + 0  # no -0
    yield Finding("gradients", "tiled_attention_vjp, exponent of n", exponent, at_most=0.05, goal=11, unit="exponent")


def accuracy(effort: Effort) -> Iterator[Finding]:
    """Compare with the same formula in longdouble: the largest error, in eps of float32 times the largest value."""
    n = min(512, effort.largest)
    rng = np.random.default_rng(1)
    cases: dict[str, dict[str, Any]] = {
        "plain": {},
        "causal": {"is_causal": True},
        "mask": {"mask": rng.random((n, n)) < 0.7},
        "bias": {"bias": rng.standard_normal((n, n)).astype(np.float32)},
    }
    for size, (case, options) in product((1, 50), cases.items()):
        query, key, value = inputs(n, seed=size)
        query = query * np.float32(size)
        exact = exact_attention(query, key, value, **options)
        errors = {
            OURS: tiled_attention(query, key, value, key_block=192, **options),
            REFERENCE: scaled_dot_product_attention(query, key, value, **options),
        }
        for name, output in errors.items():
            error = _error(output, exact, value)
            what = f"{name}, {case}" + (", scores 50 times larger" if size > 1 else "")
            target, goal = (8.0, 5) if size == 1 else (None, None)
            yield Finding("accuracy", what, error, n, at_most=target, goal=goal, unit="eps")
            if size > 1 and (theirs := _torch_math_error(query, key, value, exact, options)):
                share = round(error / theirs, 3)
                yield Finding("accuracy", f"{what}, error / {MATH}'s", share, n, at_most=1.5, goal=5)


def exact_attention(
    query: NDArray[Any],
    key: NDArray[Any],
    value: NDArray[Any],
    *,
    mask: Any = True,
    bias: Any = 0,
    is_causal: bool = False,
) -> NDArray[Any]:
    """Write the formula in longdouble."""
    q, k, v = (array.astype(np.longdouble) for array in (query, key, value))
    scores = q @ k.T / np.sqrt(np.longdouble(q.shape[-1])) + bias
    allowed = mask & causal_mask(len(q)) if is_causal else np.broadcast_to(mask, scores.shape)
    scores = np.where(allowed, scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    output: NDArray[Any] = powers @ v / powers.sum(axis=-1, keepdims=True)
    return output


def _error(output: Any, exact: NDArray[Any], value: NDArray[Any]) -> float:
    return round(float(np.abs(np.asarray(output) - exact).max() / np.abs(value).max()) / EPS, 2)


def _torch_math_error(
    query: NDArray[Any], key: NDArray[Any], value: NDArray[Any], exact: NDArray[Any], options: dict[str, Any]
) -> float | None:
    options = dict(options)
    call = torch_contenders(
        query, key, value, is_causal=options.pop("is_causal", False), attn_mask=next(iter(options.values()), None)
    ).get(MATH)
    return None if call is None else _error(np.asarray(call())[0, 0], exact, value)


def decoding(effort: Effort) -> Iterator[Finding]:
    """Divide the time of one step over a KVCache by torch's for the same query, keys and values, 8 heads."""
    appends: Contenders = {}
    query = inputs(1, n_heads=8, seed=1)[0]
    for n in effort.sizes(1024, 16384, 65536):
        cache = _filled(inputs(n, n_heads=8))
        appends[str(n)] = partial(_append, cache, query)
        step = partial(_append_and_attend, cache, query)
        step()
        keys, values = (buffer[..., :n, :] for buffer in cache._buffers)  # the same memory for both
        theirs = torch_contenders(query, keys, values).get(FLASH)
        if theirs:
            weights = np.ones((*query.shape[:-1], n), query.dtype)
            calls: Contenders = {
                "ours": step,
                "tiles": partial(tiled_attention, query, keys, values),
                "theirs": theirs,
                "scores": partial(np.matmul, query, keys.swapaxes(-1, -2)),
                "blend": partial(np.matmul, weights, values),
            }
            found = effort.ratios(calls, "theirs")
            share = found["ours"]["median"]
            yield Finding("decoding", f"append and attend / {FLASH}", share, n, at_most=1.1, goal=6)
            tiles = found["tiles"]["median"]
            yield Finding("decoding", f"{OURS}, one query / {FLASH}", tiles, n, at_most=1.1, goal=6)
            least = round(found["scores"]["median"] + found["blend"]["median"], 3)
            yield Finding("decoding", f"its two matrix products / {FLASH}", least, n)
    if len(appends) > 1:
        smallest, *_, largest = appends
        share = effort.ratios(appends, smallest)[largest]["median"]
        yield Finding("decoding", f"append at {largest} / at {smallest} tokens", share, at_most=1.5, goal=6)
    n = min(1024, effort.largest)
    batch = [np.stack([array] * 8) for array in inputs(n, n_heads=8)]
    even, ragged = _filled(batch), _filled(batch)
    ragged.truncate(n - np.arange(8) * n // 16)
    steps: Contenders = {
        name: partial(_append_and_attend, cache, batch[0][..., :1, :], is_causal=True)
        for name, cache in (("even", even), ("ragged", ragged))
    }
    share = effort.ratios(steps, "even")["ragged"]["median"]
    yield Finding("decoding", "8 sequences of unequal lengths / of equal lengths", share, n)


def _filled(arrays: list[NDArray[Any]]) -> KVCache:
    cache = KVCache()
    cache.append(*arrays[1:])
    return cache


def _append(cache: KVCache, new: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Append as in decoding; once in 64 steps forget them, so that the cache stays as long as it was."""
    keys, values = cache.append(new, new)
    if not np.any(cache.n_seen % 64):  # it began with a multiple of 64
        cache.truncate(cache.n_seen - 64)
    return keys, values


def _append_and_attend(cache: KVCache, new: NDArray[Any], *, is_causal: bool = False) -> Any:
    keys, values = _append(cache, new)
    where: AttentionOptions = {"is_causal": True, "offset": cache.offset} if is_causal else {}
    return scaled_dot_product_attention(new, keys, values, **where)


def roofline(effort: Effort) -> Iterator[Finding]:
    """Find what one thread reads and computes in a second, and how long steps and products take it; float32.

    The steps and the readings that predict them take turns, so that a slow moment hits them all. The matrix is far
    larger than a cache, and a product with one vector reads each of its numbers once. The square one has 4096 rows.
    """
    rng = np.random.default_rng(0)
    matrix, vector = rng.random((16 * effort.largest, D), np.float32), rng.random(D, np.float32)
    numbers = matrix.reshape(-1)
    calls: Contenders = {"product": partial(np.matmul, matrix, vector), "dot": partial(np.dot, numbers, numbers)}
    steps: Contenders = {}
    for n in effort.sizes(256, 1024, 4096, 16384, 32768, 65536):
        arrays = inputs(n, n_heads=8)
        steps[str(n)] = partial(_append_and_attend, _filled(arrays), arrays[0][:, :1])
    times = replace(effort, seconds=5 * effort.seconds).times(calls | steps)
    for name, what in (("product", "memory bandwidth"), ("dot", "memory bandwidth, a dot product")):
        yield Finding("roofline", what, round(matrix.nbytes / median(times[name]) / 1e9, 2), unit="GB/s")
    if caches := [path.read_text("utf-8") for path in sorted(CACHES.glob("index*/size"))]:
        yield Finding("roofline", "last-level cache", int(caches[-1].rstrip("K\n")) / 1024, unit="MiB")
    for name in steps:
        yield Finding("roofline", "a step, 8 heads", round(1e3 * median(times[name]), 4), int(name), unit="ms")

    size = min(4096, effort.largest)
    weights = rng.random((size, size), np.float32)
    rows = [rng.random((2**k, size), np.float32) for k in range(11) if 2**k <= size]
    times = effort.times({str(len(some)): partial(np.matmul, some, weights) for some in rows})
    speeds = {name: round(2 * int(name) * size**2 / median(series) / 1e9, 2) for name, series in times.items()}
    yield Finding("roofline", "peak", max(speeds.values()), unit="Gflop/s")
    for name, speed in speeds.items():
        yield Finding("roofline", "rows times a square matrix", speed, int(name), unit="Gflop/s")


def sharing(effort: Effort) -> Iterator[Finding]:
    """Divide the time of 32 query heads on 8 key heads by that of 32 on 32, as in Llama 3: 128 features a head."""
    n, n_prompt, d = min(8192, effort.largest), min(1024, effort.largest), 128
    calls: dict[str, Callable[..., Any]] = {REFERENCE: scaled_dot_product_attention, OURS: tiled_attention}
    for (name, attend), n_queries in product(calls.items(), (1, n_prompt)):
        query = inputs(n_queries, n_heads=32, d=d)[0]
        n_keys = n if n_queries == 1 else n_prompt
        _, key, value = inputs(n_keys, n_heads=32, d=d)
        few = partial(attend, query, key[::4].copy(), value[::4].copy(), enable_gqa=True)
        share = effort.ratios({"few": few, "many": partial(attend, query, key, value)}, "many")["few"]["median"]
        kind, target = ("a step", 0.75) if n_queries == 1 else ("a prompt", 1.05)
        yield Finding("sharing", f"{name}, {kind}, 8 key heads / 32", share, n_keys, at_most=target, goal=10)
        if n_queries == 1:
            room = 32 * (n_keys + d) * query.itemsize
            what = f"peak of {name}, {kind}, in scores and outputs"
            yield Finding(
                "sharing", what, round(peak_bytes(few) / room, 3), n_keys, at_most=3.1, goal=10, unit="scores + output"
            )


def windows(effort: Effort) -> Iterator[Finding]:
    """Divide the time of a causal window of 128 keys by that of full causal attention; count what it holds."""
    n = min(8192, effort.largest)
    arrays = inputs(n)
    full = partial(tiled_attention, *arrays, is_causal=True)
    window = partial(full, window=(127, 0))
    share = effort.ratios({"window": window, "full": full}, "full")["window"]["median"]
    yield Finding("windows", f"{OURS}, window of 128 / causal", share, n, at_most=0.15, goal=10)
    extra = (peak_bytes(window) - arrays[-1].nbytes) / MIB
    yield Finding("windows", f"{OURS}, window of 128", round(extra, 3), n, at_most=2.0, goal=10, unit="MiB")


def positions(effort: Effort) -> Iterator[Finding]:
    """Divide the time of the double loop by that of `sinusoidal_encoding`."""
    n = min(512, effort.largest)
    both: Contenders = {
        "loop": partial(loop_encoding, n, D),
        "ours": partial(sinusoidal_encoding, n, D),
    }
    share = effort.ratios(both, "ours")["loop"]["median"]
    yield Finding("positions", "double loop / sinusoidal_encoding", share, n, at_least=5, goal=7)


def rotary(effort: Effort) -> Iterator[Finding]:
    """Divide the time of the usual rotary code by that of `apply_rotary` for the same layout; 32 heads.

    One peer at a time, so that what it does to the allocator is paid for by the two of them.
    """
    for n in effort.sizes(128, 512, 2048, 8192):
        x = inputs(n, n_heads=32)[0]
        for layout in ("interleaved", "half"):
            ours, usual = rotary_contenders(x, layout)
            name = f"apply_rotary, {layout}"
            for peer, call in usual.items():
                share = effort.ratios({name: ours, peer: call}, name)[peer]["median"]
                target = 4 if layout == "interleaved" and peer != COMPLEX else None  # that peer has the same idea
                yield Finding("rotary", f"{peer} / {name}", share, n, at_least=target, goal=target and 7)


def model(effort: Effort) -> Iterator[Finding]:
    """Divide the time that a trained encoder takes in examples/real_model.py by its time in torch, for one text."""
    for what, (ours, theirs) in model_contenders(n := 128).items():
        share = effort.ratios({"ours": ours, "theirs": theirs}, "theirs")["ours"]["median"]
        yield Finding("model", f"six layers of a trained model, {what} / transformers", share, n, at_most=2)


def imports(effort: Effort) -> Iterator[Finding]:
    """CPU milliseconds that `import attention` adds to `import numpy`."""
    found = import_milliseconds("numpy", "attention", rounds=max(2, effort.rounds))
    extra = round(found["attention"] - found["numpy"], 1)
    yield Finding("imports", "import attention, beyond numpy", extra, at_most=15, goal=8, unit="ms")


def site(effort: Effort) -> Iterator[Finding]:
    """Divide the time of building this site by that of the same pages without anything of ours."""
    ours = f"docs_dir: {ROOT / 'docs'}\n" + (ROOT / "mkdocs.yml").read_text("utf-8")
    ours = ours.replace(": docs_ext/", f": {ROOT}/docs_ext/").replace("[docs_ext/", f"[{ROOT}/docs_ext/")
    plain = "\n".join(line for line in ours.split("\n") if "docs_ext" not in line and "own/" not in line)
    times = build_seconds({"ours": ours, "plain": plain}, rounds=max(1, effort.rounds - 1))
    share = ratios(times, "plain")["ours"]["median"]
    yield Finding("site", "make build / plain Material on the same pages", share, at_most=1.6, goal=9)


SUITES = (
    peers,
    bound,
    tiles,
    reference,
    threads,
    memory,
    gradients,
    accuracy,
    decoding,
    roofline,
    sharing,
    windows,
    positions,
    rotary,
    model,
    imports,
    site,
)
