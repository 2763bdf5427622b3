"""The floors of docs_ext: an arrow points downwards, and no fence knows another.

The map in CONTRIBUTING.md has them from the bottom to the top.
"""

import ast
import re
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs_ext"
MAP = (FOLDER.parent / "CONTRIBUTING.md").read_text("utf-8")
FLOORS = ("errors", "disk_cache", *re.findall(r"^ {4}(?:docs_ext/| {4}[│▼]) +(\w+) ", MAP, re.MULTILINE), "hooks")
MODULES = sorted(path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.rglob("[!_]*.py"))


def imports(module):
    """Yield floor and module of everything in docs_ext that this module imports, wherever the statement stands."""
    tree = ast.parse((FOLDER / f"{module}.py").read_text("utf-8"))
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            root, *rest = name.split(".")
            if root == "docs_ext":
                yield rest[0], "/".join(rest[:2])


def test_every_module_stands_on_a_floor():
    assert len(MODULES) > 30
    assert {module.split("/")[0] for module in MODULES} == set(FLOORS)


def test_a_stem_stands_on_one_floor():
    stems = Counter(module.rpartition("/")[2] for module in MODULES) + Counter(path.name for path in FOLDER.iterdir())
    assert not [module for module in MODULES if stems[module.rpartition("/")[2]] > 1], "name one by its work"


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_nothing_from_the_floors_above(module):
    floor = module.split("/")[0]
    for other, name in imports(module):
        assert FLOORS.index(other) <= FLOORS.index(floor), f"docs_ext/{module}.py imports {name}, a floor above"
        assert floor != "fences" or other != "fences", f"docs_ext/{module}.py imports {name}, another fence"


def test_no_imports_go_round_in_a_circle():
    needs = {module: {name for _, name in imports(module) if name in MODULES} for module in MODULES}
    TopologicalSorter(needs).prepare()  # raises an error that names the circle
