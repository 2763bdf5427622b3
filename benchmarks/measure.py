"""Interleaved measurement: A B A B, so that a slow moment of the machine hits every contender."""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from statistics import median


def cpu_times(contenders: Mapping[str, Callable[[], object]], *, seconds: float = 2.0) -> dict[str, list[float]]:
    """CPU seconds of one call each, taken in turns for about `seconds` (at least five rounds)."""
    for call in contenders.values():
        call()  # the first call pays for caches and lazy imports
    times: dict[str, list[float]] = {name: [] for name in contenders}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(next(iter(times.values()))) < 5:
        for name, call in contenders.items():
            start = time.process_time_ns()
            call()
            times[name].append((time.process_time_ns() - start) / 1e9)
    return times


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
    for _ in range(rounds):
        for module in modules:
            run = subprocess.run([sys.executable, "-c", program.format(module)], capture_output=True, check=True)
            series[module].append(float(run.stdout))
    return {module: round(median(times), 1) for module, times in series.items()}
