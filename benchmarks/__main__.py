"""`make bench`: a table on the screen and benchmarks/results.json."""

import json
import os
import platform
from pathlib import Path

import numpy as np

import attention
from benchmarks import rotary
from benchmarks.measure import cpu_times, import_milliseconds, ratios
from benchmarks.peers import einsum_attention

RESULTS = Path(__file__).with_name("results.json")
SIZES = (128, 512, 2048)


def reference_against_tutorial(n: int, d: int = 64) -> dict[str, dict[str, float]]:
    """One head of n queries and keys in float32: the tutorial's NumPy against `scaled_dot_product_attention`."""
    query, key, value = np.random.default_rng(0).standard_normal((3, n, d), dtype=np.float32)
    np.testing.assert_allclose(
        einsum_attention(query, key, value),
        attention.scaled_dot_product_attention(query, key, value),
        rtol=1e-4,
        atol=1e-5,
    )
    contenders = {
        "scaled_dot_product_attention": lambda: attention.scaled_dot_product_attention(query, key, value),
        "einsum, as in tutorials": lambda: einsum_attention(query, key, value),
    }
    return ratios(cpu_times(contenders), base="scaled_dot_product_attention")


def main() -> None:
    print("CPU time divided by that of scaled_dot_product_attention; float32, d = 64, one head")
    print(f"{'n':>6}  {'median':>7}  {'minimum':>7}  {'rounds':>6}")
    tutorial = {}
    for n in SIZES:
        tutorial[n] = row = reference_against_tutorial(n)["einsum, as in tutorials"]
        print(f"{n:>6}  {row['median']:>7.2f}  {row['minimum']:>7.2f}  {row['rounds']:>6}", flush=True)
    turning = rotary.report(SIZES)
    imports = import_milliseconds("numpy", "attention")
    print(f"import attention: {imports['attention'] - imports['numpy']:+.1f} ms on top of import numpy")
    machine = {
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "attention": attention.__version__,
        "threads": os.environ.get("OPENBLAS_NUM_THREADS", "not limited"),
    }
    results = {"machine": machine, "import_ms": imports, "tutorial": tutorial, "rotary": turning}
    RESULTS.write_text(json.dumps(results, indent=2) + "\n")
    print(f"written: {RESULTS.relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
