"""Turning pairs of features: `apply_rotary` against the usual code, in NumPy and in PyTorch."""

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

import attention
from benchmarks.measure import cpu_times, ratios

OURS = "apply_rotary, interleaved"


def rotate_half(x: Any, cos: Any, sin: Any, join: Callable[..., Any]) -> Any:
    """Turn features half the width apart as most model code does: arrays or tensors, tables as wide as x."""
    half = x.shape[-1] // 2
    return x * cos + join((-x[..., half:], x[..., :half]), -1) * sin


def rotate_every_two(x: Any, cos: Any, sin: Any, join: Callable[..., Any]) -> Any:
    """Turn neighbours in the same manner: the layout of `apply_rotary(..., layout="interleaved")`."""
    return x * cos + join((-x[..., 1::2], x[..., ::2]), -1).reshape(x.shape) * sin


def rotary_against_usual_code(n: int, n_heads: int = 32, d: int = 64) -> dict[str, dict[str, float]]:
    """Turn the queries of all heads in float32 by one thread; the peers get tables as wide as x, made beforehand.

    One peer at a time: what it does to the heap is then paid for by the two of them alone.
    """
    x = np.random.default_rng(0).standard_normal((n_heads, n, d), dtype=np.float32)
    cos, sin = attention.rotary_tables(np.arange(n), d, dtype=np.float32)
    wide_cos, wide_sin = (np.concatenate([table, table], axis=-1) for table in (cos, sin))
    twice_cos, twice_sin = (np.repeat(table, 2, axis=-1) for table in (cos, sin))
    half, interleaved = (attention.apply_rotary(x, cos, sin, layout=layout) for layout in ("half", "interleaved"))

    def ours() -> Any:
        return attention.apply_rotary(x, cos, sin, layout="interleaved")

    peers: dict[str, Callable[[], Any]] = {
        "apply_rotary, half": lambda: attention.apply_rotary(x, cos, sin, layout="half"),
        "rotate-half, NumPy": lambda: rotate_half(x, wide_cos, wide_sin, np.concatenate),
        "rotate-every-two, NumPy": lambda: rotate_every_two(x, twice_cos, twice_sin, np.stack),
    }
    if importlib.util.find_spec("torch"):
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
        t, c, s = (torch.from_numpy(array) for array in (x, wide_cos, wide_sin))
        peers["rotate-half, PyTorch"] = lambda: rotate_half(t, c, s, torch.cat)
    results = {}
    for name, peer in peers.items():
        np.testing.assert_allclose(peer(), half if "half" in name else interleaved, rtol=0, atol=1e-5, err_msg=name)
        results[name] = ratios(cpu_times({OURS: ours, name: peer}, seconds=1.0), base=OURS)[name]
    return results


def report(sizes: tuple[int, ...]) -> dict[int, dict[str, dict[str, float]]]:
    """Print a row for every size and peer; return the ratios."""
    print(f"CPU time divided by that of {OURS}; float32, d = 64, 32 heads")
    results = {}
    for n in sizes:
        results[n] = rotary_against_usual_code(n)
        for name, row in results[n].items():
            print(f"{n:>6}  {row['median']:>7.2f}  {row['minimum']:>7.2f}  {row['rounds']:>6}  {name}", flush=True)
    return results
