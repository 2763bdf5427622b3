"""Mutation testing: change one thing in attention/, docs_ext/ or tools/ at random, and see whether the tests notice.

Cosmic Ray knows what can be changed, and how. Here stands what is drawn, which tests run, and what is reported. A place
is drawn first and a change second, so that a sign that can be changed in eleven ways counts no more than a number. Each
mutant of attention/ meets the tests of its own module first, and those that survive all of the package's tests and the
pages. Another one meets its doctests and the tests that import its module; none of them builds the whole site.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from difflib import unified_diff
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast  # type: ignore[import-not-found]
from cosmic_ray.mutating import mutate_code  # type: ignore[import-not-found]
from cosmic_ray.plugins import get_operator, operator_names  # type: ignore[import-not-found]

ROOT = Path(__file__).parents[1]
PYTEST = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=no")
CONFORMANCE = "tests/package/test_conformance.py"
ALL = ("attention", "tests/package", "docs")
OTHERS = "not memory and not column_80 and not test_practice"  # they measure, or look at the text of the source
SITE = ROOT / ".venv/bin/python"  # has what the site's tests need, which Cosmic Ray's own environment does not
NO_TESTS = 5  # what pytest returns if it finds none
PATIENCE = 600  # seconds: a mutant that runs for ever is noticed as well


class Mutant(NamedTuple):
    """The change that one of Cosmic Ray's operators makes at its n-th place in a file."""

    file: str
    operator: str
    occurrence: int


def places(file: str) -> dict[Any, list[Mutant]]:
    """Map each place in a file to the mutants that differ from it there."""
    found = defaultdict(list)
    nodes = list(ast_nodes(get_ast(_source(file))))
    for name in operator_names():
        operator = get_operator(name)
        if operator.arguments():  # those need to be told what to insert
            continue
        positions = ((node, *where) for node in nodes for where in operator().mutation_positions(node))
        for occurrence, (node, start, end) in enumerate(positions):
            if not _is_annotation(node):
                found[file, start, end].append(Mutant(file, name, occurrence))
    return found


def _is_annotation(node: Any) -> bool:
    """Tell whether a node belongs to a type: no test is about those, and Python refuses most such mutants."""
    while node.parent is not None:
        kind, position = node.parent.type, node.parent.children.index(node)
        if (kind == "tfpdef" and position) or kind == "annassign" or (kind == "funcdef" and 2 < position < 5):
            return True
        node = node.parent
    return False


def _source(file: str) -> str:
    return (ROOT / file).read_text("utf-8")


def changed(mutant: Mutant) -> str:
    """Return the file as the mutant has it."""
    code: str = mutate_code(_source(mutant.file), get_operator(mutant.operator)(), mutant.occurrence)
    return code


def fails(folder: Path, python: str | Path, *tests: str | Path) -> bool:
    """Run some tests in a copy of the project."""
    command = [python, *PYTEST, "-m", "not nightly and not built", "-k", OTHERS, *tests]
    env = os.environ | {"PYTHONPATH": str(folder)}  # what a test starts imports the copy too
    try:
        run = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return True
    return run.returncode not in (0, NO_TESTS)


def nearest(file: str) -> list[str]:
    """Name the tests of a module outside attention/: its doctests, those called like it, and those that import it.

    If none is called like it, the tests that import what imports it are near, too.
    """
    name = f"test_{Path(file).name}"
    tests = sorted((ROOT / "tests/site").rglob("test_*.py"), key=lambda path: path.name != name)
    meant = [file] if tests[0].name == name else [file, *_importing([file], (ROOT / "docs_ext").rglob("*.py"))]
    shared = "test_refusals.py" if Path(file).parent.name == "fences" else name
    near = [path for path in tests if path.name in (name, shared)]
    return list(dict.fromkeys((file, *(path.relative_to(ROOT).as_posix() for path in near), *_importing(meant, tests))))


def _importing(files: list[str], others: Iterable[Path]) -> Iterator[str]:
    """Yield those of the others that import one of these files."""
    modules = [file.removesuffix(".py").replace("/", ".").rpartition(".") for file in files]
    imports = re.compile("|".join(rf"{floor}\.{stem}\b|from {floor} import .*\b{stem}\b" for floor, _, stem in modules))
    for path in others:
        if imports.search(path.read_text("utf-8")):
            yield path.relative_to(ROOT).as_posix()


def runs(file: str) -> list[tuple[str | Path, ...]]:
    """Return what a mutant of a file meets in turn: a Python, and its tests."""
    if not file.startswith("attention"):
        return [(SITE, *nearest(file))]
    own = (file, f"tests/package/test_{Path(file).name}", CONFORMANCE)
    return [(sys.executable, *(test for test in own if (ROOT / test).exists())), (sys.executable, *ALL)]


def survives(mutant: Mutant, folder: Path) -> bool:
    """Let the mutant take the place of its file for a while."""
    path = folder / mutant.file
    path.write_text(changed(mutant), "utf-8")
    alive = not any(fails(folder, *run) for run in runs(mutant.file))
    path.write_text(_source(mutant.file), "utf-8")
    return alive


def difference(mutant: Mutant) -> str:
    """Show what the mutant changes."""
    before, after = (text.splitlines() for text in (_source(mutant.file), changed(mutant)))
    return "\n".join(unified_diff(before, after, mutant.file, mutant.operator, lineterm="", n=1))


def draw(files: list[str], number: int, seed: int) -> list[Mutant]:
    """Draw places, and at each of them one mutant."""
    everywhere = [mutants for file in files for mutants in places(file).values()]
    rng = random.Random(seed)
    drawn = [rng.choice(mutants) for mutants in rng.sample(everywhere, min(number, len(everywhere)))]
    print(f"{len(drawn)} mutants, drawn from {len(everywhere)} places with seed {seed}", flush=True)
    return drawn


def table(files: list[str], drawn: list[Mutant], survivors: list[Mutant]) -> str:
    """Count lines, mutants and those that were noticed, folder by folder."""
    lines, all_, alive = Counter[str](), Counter[str](), Counter[str]()
    for file in files:
        lines[str(Path(file).parent)] += _source(file).count("\n")
    for mutant in drawn:
        all_[str(Path(mutant.file).parent)] += 1
    for mutant in survivors:
        alive[str(Path(mutant.file).parent)] += 1
    rows = [(folder, lines[folder], all_[folder], all_[folder] - alive[folder]) for folder in sorted(lines)]
    rows.append(("all", lines.total(), all_.total(), all_.total() - alive.total()))
    return "\n".join(f"{a:<24}{b!s:>8}{c!s:>8}{d!s:>8}" for a, b, c, d in [("", "lines", "mutants", "noticed"), *rows])


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
    parser.add_argument("--files", nargs="+", default=["attention/*.py"], help="which to change: 'docs_ext/**/*.py'")
    parser.add_argument("--processes", type=int, default=2, help="how many mutants to run at a time")
    asked = parser.parse_args()
    files = [
        path.relative_to(ROOT).as_posix()
        for path in sorted({*chain(*map(ROOT.glob, asked.files))})
        if path.name != "__init__.py"
    ]
    drawn = draw(files, asked.number, asked.seed)
    with TemporaryDirectory() as temporary, ThreadPoolExecutor(asked.processes) as pool:
        folders = copies(Path(temporary), asked.processes)

        def run(mutant: Mutant) -> bool:
            folder = folders.get()
            alive = survives(mutant, folder)
            folders.put(folder)
            return alive

        first = folders.get()
        last = [runs(mutant.file)[-1] for mutant in drawn]
        if fails(first, last[0][0], *sorted({str(test) for run in last for test in run[1:]})):
            sys.exit("the tests fail before anything is changed")
        folders.put(first)
        survivors = list[Mutant]()
        for number, (mutant, alive) in enumerate(zip(drawn, pool.map(run, drawn), strict=True), 1):
            if alive:
                survivors.append(mutant)
                print(difference(mutant))
            end = "\r" if sys.stdout.isatty() else "\n"
            print(f"{number} of {len(drawn)}, {len(survivors)} alive", end=end, flush=True)
    print(table(files, drawn, survivors))


if __name__ == "__main__":
    main()
