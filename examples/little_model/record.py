"""Train the little model and record it: python -m examples.little_model.record, or make little-model.

The model itself and its language are in the package, as attention.little_model, and so is the record, which the site
holds once more for the scripts of its pages.

Three trainings differ in nothing but their seeds, and each takes a process. The losses of all three end close together.
The weights that are kept are those whose last layer divides the work most plainly among its heads, and what is said of
them is measured as they are kept, with eight bits for each number.
"""

import ast
import base64
import json
import platform
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.little_model import KINDS, WORDS, model
from attention.little_model.language import Item
from attention.little_model.recorded import unpacked
from examples.little_model import training
from examples.little_model.induction import induction
from examples.little_model.measuring import N_ITEMS, accuracies, baselines, questions, settings

ROOT = Path(__file__).parents[2]
RECORDS = (ROOT / "attention/little_model/recorded.json", ROOT / "docs/assets/records/little_model.json")
SOURCES = [ROOT / "attention/little_model" / name for name in ("language.py", "model.py")] + [
    ROOT / "examples/little_model" / name for name in ("gradients.py", "training.py")
]  # what decides the weights
SEEDS = (0, 1, 2)
KEPT = 1
EVERY = 250  # steps between two measurements
N_START = 5  # steps whose loss is recorded one by one, for a test to take again


class Code(ast.NodeTransformer):
    """What a module does: its tree without imports and docstrings."""

    def visit(self, node: ast.AST) -> Any:
        """Go on below a node, or leave it out."""
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        return None if is_text or isinstance(node, ast.Import | ast.ImportFrom) else self.generic_visit(node)


def digest() -> str:
    """Sum up the code that decides the weights, however it is laid out: another sum asks for another training."""
    code = (ast.unparse(Code().visit(ast.parse(path.read_text("utf-8")))) for path in SOURCES)
    return sha256("\n".join(code).encode()).hexdigest()


def packed(array: NDArray) -> dict[str, Any]:
    """Write a matrix as whole numbers from -127 to 127 and a scale for each row; a gain is a matrix of one row."""
    matrix = np.atleast_2d(array).astype(float)
    scales = [float(f"{largest / 127:.6g}") or 1.0 for largest in abs(matrix).max(axis=1)]
    whole = np.clip(np.rint(matrix / np.array(scales)[:, None]), -127, 127).astype(np.int8)
    return {"shape": list(array.shape), "int8": base64.b64encode(whole.tobytes()).decode(), "scales": scales}


def rounded(value: Any) -> Any:
    """Round numbers, however deep they stand in lists and dictionaries."""
    if isinstance(value, dict):
        return {name: rounded(inner) for name, inner in value.items()}
    if isinstance(value, list | np.ndarray):
        return [rounded(inner) for inner in value]
    return round(float(value), 4) if isinstance(value, float) else value


def run(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Train once; return how it went and the weights as they are kept."""
    asked = questions()
    begun, losses = time.process_time(), []
    curve: dict[str, list] = {"step": [], "loss": []} | {task: [] for task in asked}
    measuring = 0.0
    for step, loss, w in training.train(seed):
        losses.append(loss)
        if step + 1 in (1, training.N_STEPS) or (step + 1) % EVERY == 0:
            paused = time.process_time()
            few = {task: items[:200] for task, items in asked.items()}
            found = {"step": step + 1, "loss": float(np.mean(losses[-EVERY:]))} | accuracies(few, w)
            for name, value in found.items():
                curve[name].append(value)
            measuring += time.process_time() - paused
            print(seed, rounded(found), flush=True)
    seconds = round(time.process_time() - begun - measuring)
    start = [round(loss, 5) for loss in losses[:N_START]]
    packs = {name: packed(array) for name, array in w.items()}
    run = {"seed": seed, "processor seconds": seconds, "start": start}
    return run | {"accuracy": switched(asked, packs), "curve": curve}, packs


def switched(asked: dict[str, list[Item]], packs: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Measure weights as they are kept, with everything on and with each part off."""
    w = {name: unpacked(pack) for name, pack in packs.items()}
    return {name: accuracies(asked, w, switches) for name, switches in settings().items()}


def described(runs: Sequence[dict[str, Any]], kept: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Describe everything, and measure the weights that are kept."""
    asked = questions()
    best = [run["seed"] for run in runs].index(KEPT)
    w = {name: unpacked(pack) for name, pack in kept[best].items()}
    sizes = {"layers": model.N_LAYERS, "heads": model.N_HEADS, "d_model": model.D_MODEL, "d_hidden": model.D_HIDDEN}
    return {
        "made by": "make little-model",
        "digest": digest(),
        "machine": {"machine": platform.machine(), "python": platform.python_version(), "numpy": np.__version__},
        "model": sizes | {"base": model.BASE, "eps": 1e-5, "numbers": sum(array.size for array in w.values())},
        "training": {"steps": training.N_STEPS, "texts": training.N_TEXTS, "rate": training.RATE,
                     "seed": runs[best]["seed"]},
        "kinds": KINDS,
        "words": WORDS,
        "questions": N_ITEMS,
        "accuracy": rounded(runs[best]["accuracy"]),
        "baselines": rounded(baselines(asked)),
        "induction": rounded(induction(asked["singing"], w)),
        "runs": [rounded(run) | {"start": run["start"]} for run in runs],
        "weights": kept[best],
    }  # fmt: skip


def write(record: dict[str, Any]) -> None:
    """Write the record, one line for each of its parts."""
    lines = [f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}" for name, value in record.items()]
    for path in RECORDS:
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> None:
    """Train, measure and write the record."""
    with ProcessPoolExecutor(max_workers=len(SEEDS)) as processes:
        runs, kept = zip(*processes.map(run, SEEDS), strict=True)
    write(described(runs, kept))


if __name__ == "__main__":
    main()
