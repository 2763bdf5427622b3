"""What attention libraries do with the same input: `python examples/record_conventions.py` writes the record.

The folder conventions/ holds a table for each library, and topics.toml what each topic gives them. A call is text: it
is executed here, in the library, and stands on docs/reference/conventions.md as it was executed. Nothing here uses the
package. Libraries that are not installed keep what was recorded of them before.
"""

import ast
import contextlib
import json
import os
import re
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Iterator
from importlib import metadata, util
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
TABLES = Path(__file__).parent / "conventions"
RECORD = ROOT / "docs/assets/records/conventions.json"
LIBRARIES = [
    "hugging_face", "torch_sdpa", "torch_mha", "torch_flex", "jax_nn", "keras", "onnx", "flash_attn", "flash_attn_4",
    "flashinfer",
]  # fmt: skip
WRAPPERS = ("Exception encountered when calling",)  # Keras puts it above the message
COLOURS = re.compile(r"\x1b\[\d*m")
DIGITS = 5  # after the point: single precision, and small numbers


def table(stem: str) -> dict[str, Any]:
    """Read the table of a library, or `topics`."""
    return tomllib.loads((TABLES / f"{stem}.toml").read_text(encoding="utf-8"))


def execute(code: str, names: dict[str, Any]) -> Any:
    """Run code and return the value of its last line, as a console would print it."""
    *before, last = ast.parse(code.strip()).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(before, []), "<call>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<call>", "eval"), names)


def plain(value: Any) -> list[float | str]:
    """Flatten arrays of any library to numbers that JSON can hold, and leave words as they are."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list | tuple):
        return [entry for part in value for entry in plain(part)]
    array = np.asarray(value.detach() if hasattr(value, "detach") else value)
    numbers = [round(float(x), DIGITS) + 0.0 for x in array.ravel()]
    return [x if np.isfinite(x) else str(x) for x in numbers]


def outcome(code: str, names: dict[str, Any]) -> dict[str, Any]:
    """Return what a call gives: its numbers, or the error with the first line that says something."""
    try:
        return {"gives": plain(execute(code, names))}
    except Exception as error:
        lines = [line for line in str(error).splitlines() if line and not line.startswith(WRAPPERS)]
        message = f"{type(error).__name__}: {COLOURS.sub('', lines[0])}"
        return {"raises": message if len(message) < 200 else f"{message[:80]} … {message[-100:]}"}


def runs(stem: str) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Return topic, number and entry of every call of a library."""
    for topic, cell in table(stem).items():
        for number, run in enumerate(cell.get("runs", ()) if isinstance(cell, dict) else ()):
            yield topic, number, run


def perform(stem: str, backend: str) -> dict[str, Any]:
    """Execute the calls of a library that belong to a backend, in this process."""
    topics, begin, results = table("topics"), table(stem).get("begin", ""), {}
    for topic, number, run in runs(stem):
        if run.get("backend", "jax") == backend:
            names: dict[str, Any] = {"np": np}
            exec(topics[topic]["given"] + begin, names)
            results[f"{topic} {number}"] = outcome(run["call"], names)
    return results


def installed(stem: str) -> bool:
    """Tell whether all packages are there that a library's calls need."""
    return all(util.find_spec(package) for package in table(stem)["packages"])


def live(stem: str) -> dict[str, Any]:
    """Execute all calls of a library, in a process of its own for each backend, and return the part of the record."""
    results: dict[str, Any] = {}
    for backend in sorted({run.get("backend", "jax") for _, _, run in runs(stem)}):
        done = subprocess.run(
            [sys.executable, __file__, stem, backend],
            env=os.environ | {"KERAS_BACKEND": backend, "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": ""},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        results |= json.loads(done.stdout)
    return results


def library(stem: str, results: dict[str, Any], versions: dict[str, str]) -> dict[str, Any]:
    """Join a library's table with what came out: the part of the record that the page shows."""
    rows = table(stem)
    about = {key: entry for key, entry in rows.items() if not isinstance(entry, dict)}
    del about["packages"]
    cells = {}
    for topic in table("topics"):
        cell = rows[topic]
        shown = [
            {key: run[key] for key in ("label", "backend", "call", "here", "differs") if key in run}
            | results[f"{topic} {number}"]
            for number, run in enumerate(cell.get("runs", ()))
        ]
        cells[topic] = cell | ({"runs": shown} if shown else {})
    return about | {"versions": versions, "cells": cells}


def record(previous: dict[str, Any]) -> dict[str, Any]:
    """Execute every library that is installed; of the others keep what the previous record holds."""
    libraries = {}
    for stem in LIBRARIES:
        if installed(stem):
            versions = {package: metadata.version(package) for package in table(stem)["packages"]}
            libraries[stem] = library(stem, live(stem), versions)
        else:
            libraries[stem] = previous["libraries"][stem]
    return {"topics": table("topics"), "libraries": libraries}


def main() -> None:
    """Write the record; with a library and a backend, print what its calls give."""
    if len(sys.argv) > 1:
        warnings.simplefilter("ignore")
        with contextlib.redirect_stdout(sys.stderr):
            results = perform(*sys.argv[1:])
        print(json.dumps(results))
        return
    previous = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(record(previous), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
