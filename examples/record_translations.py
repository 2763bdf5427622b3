"""Run every snippet of the translator in its library: `python -m examples.record_translations [library ...]`.

`examples/translations` holds a file for each library with a snippet for each task. A snippet is a whole program, and
runs in an interpreter of its own. What it prints, the array `out` that it leaves, and the versions go into the record,
from which the page is written. So does what comes of some mistakes, each a snippet with one part replaced. With names,
such as `keras jax`, only those libraries run again. flash_attn needs a CUDA device: its snippets are not run.
"""

import hashlib
import json
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "examples/translations"
RECORD = ROOT / "docs/assets/records/translations.json"
LIBRARIES = (
    "attention", "hugging-face", "torch-sdpa", "torch-mha", "flex-attention", "flash-attn", "jax", "keras", "onnx",
    "onnxruntime",
)  # fmt: skip
TASKS = (
    "padding", "causal", "decoding", "ragged", "packed", "window", "gqa", "bias", "cross", "sink", "softcap",
    "functions",
)  # fmt: skip
NOT_RUN = "not run"


class Trap(NamedTuple):
    """A mistake: a snippet with one part replaced, and what this package computes for the same mistake."""

    task: str
    library: str
    right: str
    wrong: str
    same: str = ""  # over the names of this package's snippet; "" where the library raises an error


_SDPA = "out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask"
_MATH = "with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):\n    "
_TOP_LEFT = "scaled_dot_product_attention(q, k, v, is_causal=True, offset=0)"
TRAPS = (
    Trap("padding", "torch-mha", "~token", "token", "scaled_dot_product_attention(q, k, v, mask=~mask)"),
    Trap("decoding", "torch-sdpa", "attn_mask=mask", "is_causal=True", _TOP_LEFT),
    Trap("decoding", "jax", "mask=mask[None, None]", "is_causal=True", _TOP_LEFT),
    Trap("decoding", "keras", "mask=mask[None, None]", "is_causal=True", _TOP_LEFT),
    Trap("decoding", "hugging-face", "v, mask)", "v, None)", _TOP_LEFT),
    Trap(
        "packed", "hugging-face", "0, 1, 2, 0, 1", "0, 1, 2, 3, 4",
        "scaled_dot_product_attention(q, k, v, is_causal=True)",
    ),
    Trap("cross", "hugging-face", "None, is_causal=False", "None", _TOP_LEFT),
    Trap("cross", "onnx", "Attention (q", "Attention <is_causal = 1> (q", _TOP_LEFT),
    Trap("cross", "onnxruntime", "Attention (q", "Attention <is_causal = 1> (q", _TOP_LEFT),
    Trap("window", "jax", "(2, 0)", "2", "scaled_dot_product_attention(q, k, v, window=(2, 2))"),
    Trap(
        "window", "hugging-face", "function(3)", "function(2)",
        "scaled_dot_product_attention(q, k, v, window=(1, 0))",
    ),
    Trap("functions", "onnxruntime", '"mask": mask}', '"mask": mask[:1]}'),
    Trap(
        "gqa", "torch-mha", "x.repeat_interleave(2, 1)", "x.repeat(1, 2, 1, 1)",
        "scaled_dot_product_attention(q, k[:, [0, 1, 0, 1]], v[:, [0, 1, 0, 1]])",
    ),
    Trap(
        "bias", "torch-mha", "mask.repeat(2, 1, 1)", "mask.repeat_interleave(2, 0)",
        "scaled_dot_product_attention(q, k, v, bias=bias.repeat(2, 0).reshape(2, 4, 5, 5), is_causal=True)",
    ),
    Trap("bias", "torch-sdpa", _SDPA, f"{_MATH}{_SDPA}, is_causal=True"),
    Trap(
        "bias", "keras", "bias=bias[None], is_causal=True", "mask=bias[None]",
        "scaled_dot_product_attention(q, k, v, mask=bias != 0)",
    ),
    Trap("causal", "keras", "is_causal=True", "is_causal=True, attn_logits_soft_cap=2.0"),
)  # fmt: skip

_HEAD = re.compile(
    r"# (?P<title>.+)\n\nLayout: (?P<layout>.+)\nVersion: (?P<version>.+)\n(?:Manual: (?P<manual>.+)\n)?"
)
_SECTION = re.compile(
    r"^## (?P<task>\w+)(?: \((?P<kind>[\w ]+)\))?(?:: (?P<call>.+))?\n(?P<body>(?:(?!## ).*\n)*)", re.M
)
_CODE = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_TAIL = """
import json, sys
out = getattr(out, "detach", lambda: out)()
sys.stdout.flush()
print()
print(json.dumps([float(str(x)) for x in __import__("numpy").asarray(out).ravel()]))
print(json.dumps(list(out.shape)))
"""


class Snippet(NamedTuple):
    """How a library does a task: a call, a detour around a call, by hand, or none."""

    task: str
    kind: str
    call: str  # the part that does it, which stands in the code as it is
    code: str
    note: str


class Library(NamedTuple):
    """A library, the order of its axes, the distribution whose version counts, and where its manual is."""

    name: str
    title: str
    layout: str
    version: str
    manual: str
    snippets: tuple[Snippet, ...]


class FailedError(Exception):
    """A snippet that ended with an error; the last words of what it printed."""


def read(name: str) -> Library:
    """Read the file of a library."""
    text = (SOURCES / f"{name}.md").read_text("utf-8")
    head = _HEAD.match(text)
    assert head, name
    snippets = []
    for section in _SECTION.finditer(text):
        code = _CODE.search(section["body"])
        note = " ".join(_CODE.sub("", section["body"]).split())
        snippets.append(
            Snippet(section["task"], section["kind"] or "call", section["call"] or "", code[1] if code else "", note)
        )
    return Library(name, head["title"], head["layout"], head["version"], head["manual"] or "", tuple(snippets))


def run(code: str) -> dict[str, Any]:
    """Run a snippet in a fresh interpreter; return what it prints, and `out` with its shape."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code + _TAIL], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise FailedError(done.stderr)
    *printed, numbers, shape = done.stdout.splitlines()
    return {"prints": "\n".join(printed).strip(), "shape": json.loads(shape), "out": json.loads(numbers)}


def entry_of(library: Library) -> Callable[[Snippet], dict[str, Any]]:
    """Return a function that runs a snippet of the library and returns what the record holds of it."""

    def entry(snippet: Snippet) -> dict[str, Any]:
        ran = run(snippet.code) if snippet.code and library.version != NOT_RUN else {}
        return {"library": library.name, **snippet._asdict(), **ran}

    return entry


def fall(trap: Trap) -> dict[str, Any]:
    """Return what the record holds of a mistake: what came out, or the error."""
    code = next(snippet.code for snippet in read(trap.library).snippets if snippet.task == trap.task)
    assert trap.right in code, trap
    try:
        found = run(code.replace(trap.right, trap.wrong))
    except FailedError as error:
        lines = [line for line in str(error).splitlines() if re.match(r"[\w.]+(Error|Fail|InvalidGraph)\b", line)]
        found = {"raises": lines[-1].partition(":")[0].rpartition(".")[2]}
    found.pop("prints", None)
    return trap._asdict() | found


def facts(library: Library) -> dict[str, str]:
    """Return what the record holds of a library itself; its version is that of what is installed."""
    told = {name: text for name, text in library._asdict().items() if name != "snippets"}
    if library.version != NOT_RUN:
        told["version"] = f"{library.version} {version(library.version)}"
    return told


def digest(record: dict[str, Any]) -> str:
    """Return the fingerprint of all that a record holds beside it."""
    rest = {name: part for name, part in record.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def main(*names: str) -> None:
    """Write the record, or bring those libraries in it up to date."""
    known = json.loads(RECORD.read_text("utf-8")) if names else {"libraries": [], "snippets": [], "traps": []}
    told = {library["name"]: library for library in known["libraries"]}
    kept = {(entry["task"], entry["library"]): entry for entry in known["snippets"]}
    fallen = {(trap["task"], trap["library"]): trap for trap in known["traps"]}
    traps = {(trap.task, trap.library): trap for trap in TRAPS}
    for library in map(read, names or LIBRARIES):
        told[library.name] = facts(library)
        with ThreadPoolExecutor(2) as pool:  # each starts an interpreter
            kept |= {(entry["task"], library.name): entry for entry in pool.map(entry_of(library), library.snippets)}
            fallen |= {
                place: pool.submit(fall, trap).result() for place, trap in traps.items() if place[1] == library.name
            }
        print(library.title, "is recorded", flush=True)
        write(
            {
                "about": "python -m examples.record_translations",
                "python": platform.python_version(),
                "libraries": [told[name] for name in LIBRARIES if name in told],
                "snippets": [kept[task, name] for task in TASKS for name in LIBRARIES if (task, name) in kept],
                "traps": [fallen[place] for place in traps if place in fallen],
            }
        )


def write(record: dict[str, Any]) -> None:
    """Write a record, a line for each library, snippet and mistake, and its fingerprint."""
    parts = [f'"{name}": {json.dumps(part)}' for name, part in record.items() if isinstance(part, str)]
    for name in ("libraries", "snippets", "traps"):
        rows = ",\n".join(json.dumps(row) for row in record[name])
        parts.append(f'"{name}": [\n{rows}\n]')
    parts.append(f'"digest": "{digest(record)}"')
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text("{" + ",\n".join(parts) + "}\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
