"""`make bench`: a table on the screen and benchmarks/results.json, which the performance page shows.

The file holds one record for each kind of machine. A run replaces the record of its own kind, or adds one; the page
draws the first. `python -m benchmarks --quick` runs everything at small sizes, for errors only: it writes nothing.
"""

import argparse
import ctypes
import json
import os
import platform
import sys
import time
from dataclasses import asdict, replace
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers import OURS, REFERENCE, SCIPY
from benchmarks.suites import SUITES, Effort, Finding

RESULTS = Path(__file__).with_name("results.json")
QUICK = Effort(seconds=0.05, largest=512, rounds=2, turn=0.002)
FULL = Effort(seconds=4.0, largest=65536)
PACKAGES = ("numpy", "scipy", "torch", "onnxruntime", "jax")

_FIXED = (
    "Every call goes through the same calls of Python and NumPy, whatever n is. Where the work itself is short, they "
    "show."
)
_PRODUCTS = (
    "The rows of the bound tell how much of the flash kernel's time OpenBLAS takes on this machine for the two matrix "
    "products alone and NumPy for the exponentials. What is left is all there is for the rest of the work."
)
_PASSES = " And each pass goes over the whole n x n matrix, which the flash kernel never holds."
_BUSY = "Measured while the machine had other work, from which this kind of line suffers."
# Why a goal is missed where results.json was made, by suite and a part of the line. The first that fits counts. Figures
# stand in the findings, where they are measured, and never here.
REASONS: tuple[tuple[str, str, str], ...] = (
    ("peers", f"{REFERENCE} / {SCIPY}", _FIXED),
    ("peers", f"{REFERENCE}, n = 128", _FIXED),
    ("peers", f"{REFERENCE}, n = 512", _FIXED + _PASSES),
    ("peers", f"{REFERENCE}, n = 2048", _PRODUCTS + _PASSES),
    ("peers", f"{OURS}, n = 512", _FIXED),
    ("peers", f"{OURS} (causal), n = 512", _FIXED),
    (
        "peers",
        f"{OURS} (causal)",
        _PRODUCTS + " And a tile on the diagonal is computed whole, though half of it lies in the future.",
    ),
    ("peers", OURS, _PRODUCTS),
    (
        "bound",
        f"{OURS} / bound (causal)",
        "A tile on the diagonal is computed whole, though half of it lies in the future and the bound counts the rest "
        "alone. The shorter the text, the more of its tiles lie there.",
    ),
    (
        "bound",
        f"{OURS} / bound",
        "The bound leaves out what lies between its three pieces: row sums, and the calls of Python for every tile.",
    ),
    (
        "tiles",
        "fastest shape",
        "The shapes lie close together, and the order of those in front changes from run to run.",
    ),
    (
        "memory",
        "exponent",
        "Beside the tile one number is kept for each query, and the smaller the tile, the more these weigh in the fit.",
    ),
    (
        "gradients",
        f"attention_vjp / {REFERENCE}",
        "The backward pass makes the weights again and takes five matrix products where the forward pass takes two. "
        "The rest are passes over whole n x n matrices, and there are more of them too.",
    ),
    (
        "gradients",
        "tiled_attention_vjp",
        "As in the forward pass, the matrix products and exponentials are compiled code, and the passes between them "
        "are calls of NumPy.",
    ),
    ("threads", "one thread", "Measured on the clock. " + _BUSY),
    ("decoding", "n = 1024", _FIXED),
    (
        "decoding",
        "append and attend",
        "One query makes a step a matter of reading keys and values once from memory. The line of the two products "
        "alone shows how little is left to save.",
    ),
    (
        "sharing",
        "a prompt",
        "In a prompt the heads of the queries decide how much is computed, whoever shares keys. So the ratio should be "
        "one, and what is above it comes from how the arrays lie in memory.",
    ),
    (
        "windows",
        "window",
        "A block of queries meets every key that one of them sees, which is more than the window of each. " + _FIXED,
    ),
    (
        "rotary",
        "interleaved",
        "Most of our time goes into NumPy's complex product, and where the arrays are small the passes that the usual "
        "code makes besides cost little.",
    ),
    (
        "site",
        "make build",
        "Beside what Material does, a build computes every figure and table with the package and draws every formula. "
        "It also runs the training of one page. What builds keep spares the drawings, and not that.",
    ),
    ("imports", "import", "Reading the modules takes longer while the machine has other work."),
)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, for errors only; writes nothing")
    parser.add_argument("--only", nargs="*", metavar="SUITE", help="some of the suites; writes nothing")
    parser.add_argument("--record", action="store_true", help="write what --only measured into this machine's record")
    chosen = parser.parse_args(arguments)
    suites = [suite for suite in SUITES if not chosen.only or suite.__name__ in chosen.only]
    findings: list[Finding] = []
    start = time.perf_counter()
    for i, suite in enumerate(suites, 1):
        _progress(f"[{i}/{len(suites)}] {suite.__name__}")
        for finding in suite(QUICK if chosen.quick else FULL):
            findings.append(replace(finding, at_most=None, at_least=None, goal=None) if chosen.quick else finding)
            _progress(f"[{i}/{len(suites)}] {time.perf_counter() - start:4.0f} s  {_line(findings[-1])}")
    _progress("")
    print_table(findings)
    if chosen.quick:
        print("Small sizes and few rounds, for errors only: these numbers say nothing about speed.")
    if not chosen.quick and (chosen.record or not chosen.only):
        earlier = json.loads(RESULTS.read_text("utf-8"))["machines"] if RESULTS.exists() else []
        new = {"machine": machine(), "findings": [as_record(f) for f in findings]}
        if chosen.only:
            new = with_suites(earlier, new)
        RESULTS.write_text(json.dumps({"machines": with_record(earlier, new)}, indent=1) + "\n", "utf-8")
        print(f"written: {RESULTS}")


Record = dict[str, Any]


def with_record(earlier: list[Record], new: Record) -> list[Record]:
    """Put a record in the place of that of the same kind of machine, or at the end."""
    records = [new if _kind(record) == _kind(new) else record for record in earlier]
    return records if new in records else [*records, new]


def with_suites(earlier: list[Record], new: Record) -> Record:
    """Add to the record of some suites what the earlier one of the same kind of machine says of the others."""
    measured = {finding["suite"] for finding in new["findings"]}
    kept = [
        finding
        for record in earlier
        if _kind(record) == _kind(new)
        for finding in record["findings"]
        if finding["suite"] not in measured
    ]
    order = [suite.__name__ for suite in SUITES]
    findings = sorted([*kept, *new["findings"]], key=lambda finding: order.index(finding["suite"]))
    return {"machine": new["machine"], "findings": findings}


def _kind(record: Record) -> tuple[str, str]:
    return record["machine"]["processor"], record["machine"]["kernels"]


def as_record(finding: Finding) -> dict[str, Any]:
    """Write a finding for the JSON: what it is, whether its goal is met, and if not, why."""
    record = {key: value for key, value in asdict(finding).items() if value is not None}
    if finding.met is not None:
        record["met"] = finding.met
    if reason := reason_for(finding):
        record["reason"] = reason
    return record


def reason_for(finding: Finding) -> str | None:
    line = f"{finding.what}, n = {finding.n}"
    if finding.met is not False:
        return None
    return next((reason for suite, part, reason in REASONS if suite == finding.suite and part in line), None)


def machine() -> dict[str, Any]:
    """Tell what the ratios depend on: processor, threads, versions."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": os.environ.get("OPENBLAS_NUM_THREADS", "not limited"),
        "system": platform.system(),
        "python": platform.python_version(),
        "blas": f"{blas['name']} {blas['version']}",
        "kernels": _kernels(),
        **versions,
    }


def _kernels() -> str:
    """Name the instructions for which OpenBLAS, NumPy and torch chose their code here."""
    chosen = {"NumPy": " ".join(np.show_config(mode="dicts")["SIMD Extensions"]["found"][-1:])}
    linked = ctypes.CDLL(import_module("numpy._core._multiarray_umath").__file__)
    if hasattr(linked, "scipy_openblas_get_corename64_"):
        linked.scipy_openblas_get_corename64_.restype = ctypes.c_char_p
        chosen["OpenBLAS"] = linked.scipy_openblas_get_corename64_().decode()
    if find_spec("torch"):
        chosen["torch"] = import_module("torch").backends.cpu.get_cpu_capability()
    return ", ".join(f"{library} {code}" for library, code in chosen.items())


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()} ({platform.machine()})"


def print_table(findings: list[Finding]) -> None:
    print("Ratios are medians of CPU time, taken in turns; float32, d = 64, one thread.")
    print(f"{'goal':>4}  {'n':>6}  {'value':>9}  {'target':>8}  {'':3}  what")
    for finding in findings:
        print(_line(finding))
        if reason := reason_for(finding):
            print(f"{'':>40}{reason}")
    judged = [finding.met for finding in findings if finding.met is not None]
    if judged:
        print(f"{sum(judged)} of {len(judged)} targets met")


def _line(finding: Finding) -> str:
    target = ""
    if finding.at_most is not None:
        target = f"<= {finding.at_most:g}"
    elif finding.at_least is not None:
        target = f">= {finding.at_least:g}"
    mark = {True: "yes", False: "NO", None: ""}[finding.met]
    unit = "" if finding.unit in ("ratio", "exponent") else f" [{finding.unit}]"
    columns = (finding.goal or "", finding.n or "", f"{finding.value:g}", target, mark)
    return "{:>4}  {:>6}  {:>9}  {:>8}  {:3}  ".format(*columns) + f"{finding.suite}: {finding.what}{unit}"


def _progress(text: str) -> None:
    """Show one line that changes; line after line where there is no terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text[:110]}", end="", file=sys.stderr, flush=True)
    elif text:
        print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
