"""Interleaved measurement: A B A B, so that a slow moment of the machine hits every contender."""

import os
import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np


def cpu_times(
    contenders: Mapping[str, Callable[[], object]], *, seconds: float = 2.0, rounds: int = 5, turn: float = 0.05
) -> dict[str, list[float]]:
    """CPU seconds of one call each, taken in turns for about `seconds` and at least so many rounds.

    A short call is repeated until its turn has taken `turn` seconds, and begins with one that does not count: it would
    pay for what the others left in caches and in the allocator.
    """
    calls = {name: _calls_in(turn, call) for name, call in contenders.items()}
    times: dict[str, list[float]] = {name: [] for name in contenders}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(next(iter(times.values()))) < rounds:
        for name, call in contenders.items():
            if calls[name] > 1:
                call()
            start = time.process_time_ns()
            for _ in range(calls[name]):
                call()
            times[name].append((time.process_time_ns() - start) / 1e9 / calls[name])
    return times


def _calls_in(seconds: float, call: Callable[[], object]) -> int:
    call()  # the first call pays for lazy imports
    start = time.process_time_ns()
    call()
    return max(1, round(seconds * 1e9 / max(1, time.process_time_ns() - start)))


def ratios(times: Mapping[str, list[float]], base: str) -> dict[str, dict[str, float]]:
    """Every contender against the base: the median of its times over the base's, and the same of the minima."""
    return {
        name: {
            "median": round(median(series) / median(times[base]), 3),
            "minimum": round(min(series) / min(times[base]), 3),
            "rounds": len(series),
        }
        for name, series in times.items()
    }


def import_milliseconds(*modules: str, rounds: int = 9) -> dict[str, float]:
    """Median CPU milliseconds that a fresh interpreter needs to import each module, taken in turns."""
    program = "import time; t = time.process_time_ns(); import {}; print((time.process_time_ns() - t) / 1e6)"
    series: dict[str, list[float]] = {module: [] for module in modules}
    with TemporaryDirectory() as compiled:  # as after an installation, whatever lies in the folders
        env = {**os.environ, "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
        for i, module in product(range(rounds + 1), modules):
            command = [sys.executable, "-c", program.format(module)]
            run = subprocess.run(command, capture_output=True, check=True, env=env)
            if i:  # the first round compiles
                series[module].append(float(run.stdout))
    return {module: round(median(times), 1) for module, times in series.items()}


def build_seconds(configs: Mapping[str, str], *, rounds: int) -> dict[str, list[float]]:
    """CPU seconds of `mkdocs build` in a process of its own with each configuration, taken in turns."""
    times: dict[str, list[float]] = {name: [] for name in configs}
    with TemporaryDirectory() as folder:
        for name, config in configs.items():
            Path(folder, f"{name}.yml").write_text(config, "utf-8")
        for i, name in product(range(rounds + 1), configs):
            start = _children_seconds()
            command = [
                sys.executable,
                "-m",
                "mkdocs",
                "build",
                "-q",
                "-f",
                f"{folder}/{name}.yml",
                "-d",
                f"{folder}/site",
            ]
            subprocess.run(command, check=True)
            if i:  # the first round draws what builds keep
                times[name].append(_children_seconds() - start)
    return times


def _children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def peak_bytes(call: Callable[[], object]) -> int:
    """Count the bytes that a call holds at its peak, its result included; NumPy reports its arrays to tracemalloc."""
    call()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def fitted_exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Fit value = c * size^p by least squares on the logarithms, and return p."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])
