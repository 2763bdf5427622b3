"""Kernels of other libraries, held against the package: `python -m examples.recording kernels`.

The kernels stand in examples/held, each behind a few lines that pass its arrays and options on. `attention.testing`
should accept them as they are, and refuse those that are called against their own conventions. What it said of each,
and how much room the accepted ones left, goes into the record; a figure of 1 is the most that is allowed.

It needs torch, jax, keras, onnx, onnxruntime, transformers and flash-linear-attention, on a CPU, and takes about ten
minutes.
"""

import importlib.metadata
import json
import math
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any, NamedTuple

os.environ["TRITON_INTERPRET"] = "1"  # triton reads it when it is imported, and torch may import it
FORMATS = ("float64", "float32", "float16", "bfloat16")
NARROW = ("float32", "float16", "bfloat16")  # all that JAX has without its x64
LIBRARIES = (
    "numpy", "torch", "jax", "keras", "onnx", "onnxruntime", "transformers", "flash-linear-attention", "triton",
)  # fmt: skip

CAUSAL = {"is_causal": True, "enable_gqa": True}
FIRST = {"is_causal": True, "offset": "first"}  # as torch, JAX and ONNX align it
WINDOW = CAUSAL | {"window": True}
ALL = WINDOW | {"mask": True, "scale": True}
OPTIONS: list[dict[str, Any]] = [{}, CAUSAL, {"window": True}, {"mask": True}, {"bias": True}, {"scale": True}, ALL]
CAPPED = CAUSAL | {"softcap": True}
SUNK = CAUSAL | {"sink": True}
NO_EMPTY = {"empty_rows": False}  # the kernel answers such rows by a rule of its own


class Held(NamedTuple):
    """A kernel, the formats that it takes, and the calls for which it is held."""

    title: str
    library: str
    adapter: str  # module and function in examples/held
    formats: tuple[str, ...]
    calls: list[dict[str, Any]]  # options and arguments of check
    given: Mapping[str, Any] = MappingProxyType({})  # to the adapter
    says: Mapping[str, Any] = MappingProxyType({})  # to check, whatever the call
    scores: bool = False  # whether scores are kept in the format
    wrong: str = ""  # why the check should refuse it; "" if it should not
    gradients: bool = False

    def kernel(self, format: str) -> Callable[..., Any]:
        """Make the kernel for a format."""
        module, name = self.adapter.split(".")
        made: Callable[..., Any] = getattr(import_module(f"examples.held.{module}"), name)(format=format, **self.given)
        return made

    def check(self, format: str, call: dict[str, Any], **more: Any) -> Any:
        """Hold the kernel, and return the report."""
        from attention.testing import check, check_gradients

        says = {**self.says} | ({"scores_format": format} if self.scores and format in NARROW[1:] else {})
        return (check_gradients if self.gradients else check)(
            self.kernel(format), format=format, **says, **call, **more
        )


BNHD = {"layout": "bnhd"}
LSE = {"logsumexp": "e"}
OWN = {"own_causal": True}
FLASH, MATH = {"backend": "FLASH_ATTENTION"}, {"backend": "MATH"}
EAGER = "in_transformers.eager"
FLA = "flash-linear-attention"
INTERPRETED = ("float32", "float16")  # Triton's interpreter multiplies the bits of bfloat16
SQUARE = [
    options | {"is_causal": True, "enable_gqa": True, "offset": "last", "sizes": {"n_q": n, "n_k": n}}
    for n in (128, 83)
    for options in ({}, {"window": True, "sink": True, "scale": True})
]
KERNELS = [
    Held("SDPA, flash", "torch", "in_torch.sdpa", FORMATS, OPTIONS, FLASH),
    Held("SDPA, math", "torch", "in_torch.sdpa", FORMATS, OPTIONS, MATH),
    Held("SDPA, flash, its is_causal", "torch", "in_torch.sdpa_causal", FORMATS, [FIRST], FLASH),
    Held("SDPA, math, its is_causal", "torch", "in_torch.sdpa_causal", FORMATS, [FIRST], MATH),
    Held("SDPA, nested tensors", "torch", "in_torch.nested", ("float32", "bfloat16"), [{}], scores=True),
    # its log-sum-exp of a query that may see no key is 0, not minus infinity
    Held(
        "flash operator with log-sum-exp",
        "torch",
        "in_torch.operator",
        FORMATS,
        [{}, {"is_causal": True}],
        says=LSE | NO_EMPTY,
    ),
    Held("flex_attention", "torch", "in_torch.flex", FORMATS, [{}, WINDOW | {"softcap": True, "bias": True}]),
    Held(
        "flex_attention with log-sum-exp",
        "torch",
        "in_torch.flex",
        ("float32", "bfloat16"),
        [CAUSAL],
        {"lse": True},
        LSE,
    ),
    Held("jax.nn", "jax", "in_jax.nn", NARROW, OPTIONS, says=BNHD | NO_EMPTY),
    Held("jax.nn, its is_causal", "jax", "in_jax.nn", NARROW, [FIRST], OWN, BNHD | NO_EMPTY),
    Held("jax.nn with log-sum-exp", "jax", "in_jax.nn", ("float32",), [{}], {"lse": True}, BNHD | LSE),
    Held("Pallas mha, interpreted", "jax", "in_jax.pallas", ("float32", "bfloat16"), [{}], says=BNHD),
    Held("ops.dot_product_attention", "keras", "in_keras.operation", NARROW, [{}, ALL], says=BNHD | NO_EMPTY),
    Held(
        "MultiHeadAttention",
        "keras",
        "in_keras.layer",
        NARROW,
        [{}, {"is_causal": True, "mask": True}],
        says=BNHD,
        scores=True,
    ),
    Held("Attention, opset 23", "onnxruntime", "in_onnx.attention", NARROW[:2], [*OPTIONS, CAPPED], scores=True),
    Held("Attention, opset 25", "onnxruntime", "in_onnx.attention", NARROW[:2], [*OPTIONS, CAPPED], {"opset": 25}),
    Held(
        "Attention, opset 23, its is_causal", "onnxruntime", "in_onnx.attention", NARROW[:2], [FIRST], OWN, scores=True
    ),
    Held("GroupQueryAttention", "onnxruntime", "in_onnx.group_query", NARROW[:2], [CAUSAL, WINDOW, CAPPED, SUNK]),
    Held("sdpa_attention_forward", "transformers", "in_transformers.sdpa", FORMATS, [{}, ALL]),
    Held(
        "Llama, eager",
        "transformers",
        EAGER,
        NARROW,
        [{}, CAUSAL, {"mask": True}, {"bias": True}],
        {"model": "llama"},
        NO_EMPTY,
        True,
    ),
    Held("Mistral, eager", "transformers", EAGER, NARROW, [WINDOW], {"model": "mistral"}, NO_EMPTY, True),
    Held(
        "Gemma 2, eager",
        "transformers",
        EAGER,
        NARROW,
        [CAPPED, CAPPED | {"window": True, "scale": True}],
        {"model": "gemma2"},
        NO_EMPTY,
        True,
    ),
    Held(
        "gpt-oss, eager",
        "transformers",
        EAGER,
        NARROW,
        [SUNK, SUNK | {"window": True}],
        {"model": "gpt_oss"},
        NO_EMPTY,
        True,
    ),
    Held("parallel_attn, interpreted", FLA, "in_triton.parallel", INTERPRETED, SQUARE, says=BNHD),
    # called against their conventions
    Held(
        "SDPA, its is_causal",
        "torch",
        "in_torch.sdpa_causal",
        FORMATS,
        [{"is_causal": True}],
        MATH,
        wrong="It aligns the first query with the first key.",
    ),
    Held(
        "jax.nn, its is_causal",
        "jax",
        "in_jax.nn",
        NARROW,
        [{"is_causal": True}],
        OWN,
        BNHD | NO_EMPTY,
        wrong="It aligns the first query with the first key.",
    ),
    Held(
        "Pallas mha, interpreted",
        "jax",
        "in_jax.pallas",
        ("float32",),
        [FIRST],
        says=BNHD,
        wrong="With more queries than keys it reads blocks beyond the last key.",
    ),
    Held(
        "jax.nn, empty rows",
        "jax",
        "in_jax.nn",
        NARROW,
        [{"mask": True}],
        says=BNHD,
        wrong="A query that may see no key gets the mean of all values.",
    ),
    Held(
        "jax.nn with log-sum-exp",
        "jax",
        "in_jax.nn",
        ("bfloat16",),
        [{}],
        {"lse": True},
        BNHD | LSE,
        wrong="It rounds the log-sum-exp to the format of the inputs.",
    ),
    Held(
        "Llama, eager, no format of scores given",
        "transformers",
        EAGER,
        NARROW[1:],
        [{}],
        {"model": "llama"},
        wrong="It rounds the scores to the format of the inputs.",
    ),
    Held(
        "Llama, eager, boolean mask",
        "transformers",
        EAGER,
        ("float32",),
        [{"mask": True}],
        {"model": "llama", "as_given": True},
        NO_EMPTY,
        wrong="It adds a boolean mask to the scores.",
    ),
    Held(
        "Llama, eager, softcap",
        "transformers",
        EAGER,
        ("float32",),
        [{"softcap": True}],
        {"model": "llama"},
        wrong="It takes softcap and ignores it.",
    ),
    Held(
        "Llama, eager, sink",
        "transformers",
        EAGER,
        ("float32",),
        [{"sink": True}],
        {"model": "llama"},
        wrong="It has no sink, and says nothing.",
    ),
    Held(
        "GroupQueryAttention, local_window_size",
        "onnxruntime",
        "in_onnx.group_query",
        ("float32",),
        [WINDOW],
        {"counted": False},
        wrong="Its window counts the query.",
    ),
    Held(
        "Attention, opset 23, no format of scores given",
        "onnxruntime",
        "in_onnx.attention",
        ("float16",),
        [{}],
        wrong="It rounds the scores to float16.",
    ),
]
ALONE: list[dict[str, Any]] = [{}, {"is_causal": True}, {"window": True}, {"mask": True}, {"scale": True}]
BIASED = {"bias": True, "return_bias": True}
IN_JAX: list[dict[str, Any]] = [{}, {"enable_gqa": True}, {"scale": True}, BIASED]  # no row may be empty there
GRADIENTS = [
    Held("SDPA, flash", "torch", "in_torch.gradients", FORMATS, [*ALONE, CAUSAL], FLASH, gradients=True),
    Held("SDPA, math", "torch", "in_torch.gradients", FORMATS, [*ALONE, CAUSAL, BIASED], MATH, gradients=True),
    Held("jax.nn", "jax", "in_jax.gradients", ("float32", "bfloat16"), IN_JAX, says=BNHD, gradients=True),
    Held(
        "parallel_attn, interpreted",
        FLA,
        "in_triton.gradients",
        INTERPRETED,
        [SQUARE[2], SQUARE[3] | {"return_sink": True}],
        says=BNHD,
        gradients=True,
    ),
]


def held(one: Held, call: dict[str, Any]) -> dict[str, Any]:
    """Hold a kernel in each of its formats; return a row of the record."""
    row: dict[str, Any] = {"kernel": one.title, "library": one.library, "options": call}
    for name in ("says", "wrong"):
        if getattr(one, name):
            row[name] = dict(one.says) if name == "says" else one.wrong
    if one.scores:
        row["scores"] = "in the format"
    row["worst"], refused = {}, {}
    for format in one.formats:
        start = time.perf_counter()
        report = one.check(format, call)
        print(
            f"{time.perf_counter() - start:5.1f} s  {report.worst:8.3g}  {format:8}  {one.title}  {call}",
            file=sys.stderr,
        )
        row["worst"][format] = rounded(report.worst)
        taken = [case for case in report.rows if case.verdict != "refused"]
        row["cases"] = len(taken)
        if len(taken) < len(report.rows):
            row["not taken"] = len(report.rows) - len(taken)
        if not report.passed:
            refused[format] = [finding.name or finding.says for finding in report.findings][:1] or ["every case"]
    if refused:
        row["refused"] = {format: said[0] for format, said in refused.items()}
    return row


def room() -> Iterator[dict[str, Any]]:
    """Say for each format how far from the limit right kernels stay, over seeds and numbers of features."""
    kernels = [KERNELS[0], KERNELS[1], next(one for one in KERNELS if one.title == "Attention, opset 25")]
    for format in FORMATS:
        found = []
        for one in kernels:
            for seed in range(3) if format in one.formats else ():
                for d in (8, 16, 64, 128):
                    found.append(one.check(format, {}, seed=seed, sizes={"d_k": d, "d_v": d}).worst)
        figures = {"least": min(found), "median": median(found), "most": max(found)}
        yield {"format": format, "runs": len(found)} | {name: rounded(figure) for name, figure in figures.items()}


def rounded(figure: float) -> float | str:
    """Keep three digits; "inf" where a result is nan."""
    return float(f"{figure:.3g}") if math.isfinite(figure) else "inf"


class Recorder:
    """The record, and where it stands: a page shows it as a table."""

    file = Path(__file__).parents[2] / "docs/assets/records/kernels.json"

    def record(self) -> str:
        """Hold every kernel; return what the file holds, a line for each kernel and call."""
        versions = {"python": platform.python_version()} | {
            name: importlib.metadata.version(name) for name in LIBRARIES
        }
        tables = {
            "kernels": [held(one, call) for one in KERNELS if not one.wrong for call in one.calls],
            "gradients": [held(one, call) for one in GRADIENTS for call in one.calls],
            "refused": [held(one, call) for one in KERNELS if one.wrong for call in one.calls],
            "room": list(room()),
        }
        write = partial(json.dumps, separators=(",", ":"))
        rows = (f'"{name}": [\n' + ",\n".join(map(write, table)) + "\n]" for name, table in tables.items())
        return f'{{"versions": {json.dumps(versions)},\n' + ",\n".join(rows) + "\n}\n"


RECORDER = Recorder()
