"""What the snippets of the translator gave when they ran, beside what this package gives: for fences and tables."""

import json
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

RECORD = Path(__file__).parents[2] / "docs/assets/records/translations.json"
OURS = "attention"
_CALL = "scaled_dot_product_attention(q, k, v, "
EQUAL = 1e-6  # the libraries compute in float32; no output here is larger than 1.25
TASKS = {
    "padding": "padding",
    "causal": "a causal mask",
    "decoding": "causal, with a cache",
    "ragged": "a ragged batch",
    "packed": "packed sequences (varlen)",
    "window": "a sliding window",
    "gqa": "shared key heads (GQA)",
    "bias": "a bias (ALiBi)",
    "cross": "cross-attention",
    "sink": "a sink",
    "softcap": "a softcap",
    "functions": "a score and a mask function",
}


class Snippet(NamedTuple):
    """A snippet of the record: the part of it that does the task, and what it printed and left in `out`."""

    library: str
    task: str
    kind: str  # call, detour, by hand, none
    call: str
    code: str
    note: str
    prints: str | None
    out: NDArray[np.float64] | None  # (batch, heads, n_q, d); None where it did not run

    @property
    def gap(self) -> float | None:
        """Return the largest difference from what this package computes; None where it did not run."""
        return None if self.out is None else float(np.abs(self.out - ours(self.task)).max())


class Library(NamedTuple):
    """A library, the order of its axes, its version, and where its manual is."""

    name: str
    title: str
    layout: str
    version: str
    manual: str


@cache
def libraries() -> dict[str, Library]:
    """Return the libraries of the record, in its order."""
    return {one["name"]: Library(**one) for one in _record()["libraries"]}


@cache
def snippets() -> dict[tuple[str, str], Snippet]:
    """Return the snippets of the record by task and library."""
    return {(one["task"], one["library"]): _snippet(one) for one in _record()["snippets"]}


@cache
def program(task: str) -> dict[str, Any]:
    """Run this package's own snippet for a task, and return the names that it defines."""
    names: dict[str, Any] = {}
    with redirect_stdout(StringIO()):
        exec(snippets()[task, OURS].code, names)
    return names


def ours(task: str) -> NDArray[np.float64]:
    """Return what this package's own snippet leaves in `out`."""
    return np.asarray(program(task)["out"])


def heads_first(out: NDArray[Any], layout: str) -> NDArray[Any]:
    """Bring an output into the layout (batch, heads, n, d); where heads are merged there are 4."""
    if layout == "batch, n, heads * d":
        out, layout = out.reshape(*out.shape[:2], 4, -1), "batch, n, heads, d"
    return out.swapaxes(1, 2) if layout == "batch, n, heads, d" else out


def translations() -> list[dict[str, Any]]:
    """Return one record a library: its version, how many tasks ran, and how many gave this package's result."""
    rows = []
    for name, library in libraries().items():
        if name == OURS:
            continue
        found = [snippets()[task, name] for task in TASKS]
        gaps = [one.gap for one in found if one.gap is not None]
        rows.append(
            {
                "library": library.title,
                "version": library.version,
                "ran": f"{len(gaps)} of {len(TASKS)}",
                "equal to 1e-6": str(sum(gap <= EQUAL for gap in gaps)) if gaps else "not run here",
                "in one call": str(sum(one.kind == "call" for one in found)),
                "largest gap": f"{max(gaps):.1e}" if gaps else "",
            }
        )
    return rows


def mistakes() -> list[dict[str, Any]]:
    """Return one record a mistake: a part of a snippet replaced, and what this package computes in the same way."""
    return [
        {
            "task": TASKS[trap["task"]],
            "library": libraries()[trap["library"]].title,
            "instead of": trap["right"],
            "you write": trap["wrong"],
            "and get": f"an error, {trap['raises']}"
            if "raises" in trap
            else trap["same"].removeprefix(_CALL).rstrip(")"),
        }
        for trap in _record()["traps"]
        if "\n" not in trap["wrong"]  # one change that takes two lines is told in prose
    ]


@cache
def _record() -> Any:
    return json.loads(RECORD.read_text("utf-8"))


def _snippet(one: dict[str, Any]) -> Snippet:
    out = one.get("out")
    if out is not None:
        out = heads_first(np.reshape(out, one["shape"]), libraries()[one["library"]].layout)
    told: dict[str, Any] = {name: one.get(name) for name in Snippet._fields if name != "out"}
    return Snippet(**told, out=out)


FUNCTIONS = (mistakes, program, translations)
