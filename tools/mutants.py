"""Mutation testing: change one thing in attention/ at random, and see whether the package's own tests notice.

Cosmic Ray knows what can be changed, and how. Here stands what is drawn, which tests run, and what is reported. A place
is drawn first and a change second, so that a sign that can be changed in eleven ways counts no more than a number. Each
mutant meets the tests of its own module first, and those that survive all of the package's tests and the pages.
"""

import argparse
import random
import shutil
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from difflib import unified_diff
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast  # type: ignore[import-not-found]
from cosmic_ray.mutating import mutate_code  # type: ignore[import-not-found]
from cosmic_ray.plugins import get_operator, operator_names  # type: ignore[import-not-found]

ROOT = Path(__file__).parents[1]
PYTEST = (sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=no")
CONFORMANCE = "tests/package/test_conformance.py"
ALL = ("attention", "tests/package", "docs")
SLOW = "not memory"  # they measure
PATIENCE = 600  # seconds: a mutant that runs for ever is noticed as well


class Mutant(NamedTuple):
    """The change that one of Cosmic Ray's operators makes at its n-th place in a module."""

    module: str
    operator: str
    occurrence: int


def places(module: str) -> dict[Any, list[Mutant]]:
    """Map each place in attention/<module>.py to the mutants that differ from it there."""
    found = defaultdict(list)
    nodes = list(ast_nodes(get_ast(_source(module))))
    for name in operator_names():
        operator = get_operator(name)
        if operator.arguments():  # those need to be told what to insert
            continue
        positions = ((node, *where) for node in nodes for where in operator().mutation_positions(node))
        for occurrence, (node, start, end) in enumerate(positions):
            if not _is_annotation(node):
                found[module, start, end].append(Mutant(module, name, occurrence))
    return found


def _is_annotation(node: Any) -> bool:
    """Tell whether a node belongs to a type: no test is about those, and Python refuses most such mutants."""
    while node.parent is not None:
        kind, position = node.parent.type, node.parent.children.index(node)
        if (kind == "tfpdef" and position) or kind == "annassign" or (kind == "funcdef" and 2 < position < 5):
            return True
        node = node.parent
    return False


def _source(module: str) -> str:
    return (ROOT / f"attention/{module}.py").read_text("utf-8")


def changed(mutant: Mutant) -> str:
    """Return the module as the mutant has it."""
    code: str = mutate_code(_source(mutant.module), get_operator(mutant.operator)(), mutant.occurrence)
    return code


def fails(folder: Path, *tests: str) -> bool:
    """Run some tests in a copy of the project."""
    try:
        run = subprocess.run([*PYTEST, "-k", SLOW, *tests], cwd=folder, capture_output=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return True
    return run.returncode != 0


def survives(mutant: Mutant, folder: Path) -> bool:
    """Let the mutant take the place of its module for a while."""
    module = mutant.module
    own = (f"attention/{module}.py", f"tests/package/test_{module.removeprefix('_')}.py", CONFORMANCE)
    path = folder / f"attention/{module}.py"
    path.write_text(changed(mutant), "utf-8")
    alive = not fails(folder, *(test for test in own if (folder / test).exists())) and not fails(folder, *ALL)
    path.write_text(_source(module), "utf-8")
    return alive


def difference(mutant: Mutant) -> str:
    """Show what the mutant changes."""
    name = f"attention/{mutant.module}.py"
    before, after = (text.splitlines() for text in (_source(mutant.module), changed(mutant)))
    return "\n".join(unified_diff(before, after, name, mutant.operator, lineterm="", n=1))


def draw(module: str, number: int, seed: int) -> list[Mutant]:
    """Draw places, and at each of them one mutant."""
    modules = sorted(path.stem for path in (ROOT / "attention").glob(f"{module}.py"))
    everywhere = [mutants for name in modules for mutants in places(name).values()]
    rng = random.Random(seed)
    drawn = [rng.choice(mutants) for mutants in rng.sample(everywhere, min(number, len(everywhere)))]
    print(f"{len(drawn)} mutants, drawn from {len(everywhere)} places with seed {seed}", flush=True)
    return drawn


def copies(folder: Path, number: int) -> SimpleQueue[Path]:
    """Copy the project, so that two mutants can be run at a time and no file of it is ever changed."""
    queue: SimpleQueue[Path] = SimpleQueue()
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for copy in (folder / str(i) for i in range(number)):
        for name in listed.splitlines():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
        queue.put(copy)
    return queue


def main() -> None:
    """Draw, run, and report each survivor as a difference."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--number", type=int, default=200, help="how many mutants to draw")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws others")
    parser.add_argument("--module", default="*", help="one module of attention/, without .py")
    parser.add_argument("--processes", type=int, default=2, help="how many mutants to run at a time")
    asked = parser.parse_args()
    drawn = draw(asked.module, asked.number, asked.seed)
    with TemporaryDirectory() as temporary, ThreadPoolExecutor(asked.processes) as pool:
        folders = copies(Path(temporary), asked.processes)

        def run(mutant: Mutant) -> bool:
            folder = folders.get()
            alive = survives(mutant, folder)
            folders.put(folder)
            return alive

        first = folders.get()
        if fails(first, *ALL):
            sys.exit("the tests fail before anything is changed")
        folders.put(first)
        survivors = 0
        for number, (mutant, alive) in enumerate(zip(drawn, pool.map(run, drawn), strict=True), 1):
            if alive:
                survivors += 1
                print(difference(mutant))
            print(f"{number} of {len(drawn)}, {survivors} alive", end="\r" if sys.stdout.isatty() else "\n", flush=True)
    print(f"{survivors} of {len(drawn)} survive: {survivors / len(drawn):.1%}")


if __name__ == "__main__":
    main()
