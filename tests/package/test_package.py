"""The package as a whole: floors, sizes, names, options, docstrings, dependencies."""

import ast
import inspect
import json
import re
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

import attention
from attention.arguments import AttentionOptions

FOLDER = Path(attention.__file__).parent
REFERENCE = FOLDER.parent / "docs" / "reference"
FILES = {path.stem: path for path in FOLDER.glob("*.py") if path.stem != "__init__"}
MODULES = sorted([*FILES, "little_model", "practice"])
NOT_PUBLIC = {"_inputs", "example", "little_model", "practice"}
PUBLIC = attention.__all__
FUNCTIONS = [name for name in PUBLIC if inspect.isfunction(getattr(attention, name))]

# A module imports from lower floors only; those that are not named here are the ground floor.
FLOORS = {
    "practice": 4, "example": 4, "little_model": 4,
    "block": 3, "partials": 3, "tiled_gradients": 3,
    "multi_head": 2, "single_head": 2, "tiling": 2, "gradients": 2,
    "dot_product": 1, "additive": 1, "relative": 1, "tiles": 1,
}  # fmt: skip


def tree(module):
    """Parse a module, or all of a folder's as if they were one."""
    files = sorted((FOLDER / module).glob("*.py")) or [FOLDER / f"{module}.py"]
    return ast.parse("\n".join(file.read_text(encoding="utf-8") for file in files))


def imported(module):
    """Name everything that a module imports, wherever the statement stands."""
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def siblings(module):
    """Name the modules of the package that this one imports."""
    return {name.split(".")[1] for name in imported(module) if name.startswith("attention.")} - {module}


# --- floors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_from_lower_floors_only(module):
    below = siblings(module) - {"_inputs"}
    floor = FLOORS.get(module, 0)
    assert not {name for name in below if FLOORS.get(name, 0) >= floor}, f"{module} stands on floor {floor}"
    assert module != "_inputs" or not siblings(module)


def test_one_module_is_private_and_a_name_with_an_underscore_stays_in_its_module():
    assert [module for module in MODULES if module.startswith("_")] == ["_inputs"]
    for module in MODULES:
        taken = {name.split(".")[-1] for name in imported(module) if name.startswith("attention")} | {
            node.attr
            for node in ast.walk(tree(module))
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in MODULES
        }
        private = {name for name in taken if re.match("_(?!_)", name)} - {"_inputs"}
        assert not private, f"{module} takes {', '.join(private)} from another module"


@pytest.mark.parametrize("module", ["__init__", *MODULES])
def test_numpy_and_the_standard_library_are_the_only_dependencies(module):
    roots = {name.split(".")[0] for name in imported(module)}
    assert roots <= {"attention", "numpy"} | sys.stdlib_module_names


def test_importing_the_package_loads_nothing_else():
    program = (
        "import sys, json, numpy.random; before = set(sys.modules); import attention; "
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    result = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    loaded = set(json.loads(result.stdout))
    assert "attention.dot_product" in loaded
    assert {name.split(".")[0] for name in loaded} <= {"attention", "numpy"} | sys.stdlib_module_names
    assert not {"attention.example", "attention.little_model", "attention.practice"} & loaded


@pytest.mark.parametrize("module", MODULES)
def test_no_module_sets_floating_point_state_or_draws_from_the_global_generator(module):
    attributes = {ast.unparse(node) for node in ast.walk(tree(module)) if isinstance(node, ast.Attribute)}
    forbidden = re.compile(r"(np|numpy)\.(seterr\w*|random\.(?!Generator)\w+)|warnings\.\w+")
    assert not [name for name in attributes if forbidden.fullmatch(name)]
    assert not [node for node in ast.walk(tree(module)) if isinstance(node, ast.Global)]


# --- in sight ----------------------------------------------------------------------------------------------------


def test_lines_end_before_column_80_and_modules_before_line_300():
    for path in FOLDER.rglob("*.py"):
        lines = path.read_text("utf-8").splitlines()
        wide = [f"{path.name}:{at}" for at, line in enumerate(lines, 1) if len(line) > 79]
        assert not wide, "the pages show 80 columns"
        long = len(lines) > 300 and path.stem not in ("block", "multi_head") and path.parent.stem != "practice"
        assert not long, f"{path.name} has {len(lines)} lines, more than 300: put what is new into a module of its own"


def test_attention_is_computed_where_it_is_called():
    entered, x = [], np.sin(np.arange(20.0)).reshape(5, 4)

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and Path(code.co_filename).parent == FOLDER and not code.co_name.startswith("<"):
            entered.append(Path(code.co_filename).stem)

    sys.setprofile(note)
    attention.scaled_dot_product_attention(x, x, x)
    sys.setprofile(None)
    assert set(entered) == {"dot_product", "arguments", "_inputs"}
    assert entered.count("dot_product") == 2, "the function, and the softmax of its rows"
    assert len(entered) <= 14


# --- names -------------------------------------------------------------------------------------------------------


def test_the_public_names_are_the_functions_with_examples_and_the_classes():
    found = set()
    for module in set(MODULES) - NOT_PUBLIC - {"arguments"}:
        for name, value in vars(sys.modules[f"attention.{module}"]).items():
            own = getattr(value, "__module__", "") == f"attention.{module}" and not name.startswith("_")
            if own and (inspect.isclass(value) or "Examples\n" in (value.__doc__ or "")):
                found.add(name)
    assert set(PUBLIC) == found
    assert not found & set(MODULES), "a module and a function share a name"


@pytest.mark.parametrize("module", sorted(set(MODULES) - {"_inputs", "practice"}))
def test_every_module_has_its_page_and_its_tests(module):
    page, menu, table = REFERENCE / f"{module}.md", FOLDER.parent / "mkdocs.yml", REFERENCE / "index.md"
    has = {
        f"docs/reference/{module}.md with a line ::: attention.{module}": (
            page.is_file() and f"::: attention.{module}" in page.read_text("utf-8")
        ),
        f"reference/{module}.md in the menu, mkdocs.yml": f"reference/{module}.md" in menu.read_text("utf-8").split(),
        f"a row | [{module}]({module}.md) | in docs/reference/index.md": (
            f"| [{module}]({module}.md) |" in table.read_text("utf-8")
        ),
        f"tests/package/test_{module}.py": Path(__file__).with_name(f"test_{module}.py").is_file(),
    }
    lacks = [what for what, there in has.items() if not there]
    if lacks:
        pytest.fail(f"attention/{module}.py lacks {'; '.join(lacks)}", pytrace=False)


@pytest.mark.parametrize("name", ["BlockWeights", "MultiHeadWeights"])
def test_type_checkers_are_shown_the_arguments_of_a_dataclass_and_that_arrays_may_be_lists(name):
    kind = getattr(attention, name)
    nodes = ast.walk(ast.parse(inspect.getsource(kind)))
    shown = next(node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    space = dict(vars(sys.modules[kind.__module__]))
    exec(f"def init({ast.unparse(shown.args)}): ...", space)
    _, *given = inspect.signature(space["init"]).parameters.values()
    actual = inspect.signature(kind).parameters.values()
    listed = {NDArray[Any]: ArrayLike, NDArray[Any] | None: ArrayLike | None}
    expected = [p.replace(annotation=listed.get(p.annotation, p.annotation)) for p in actual]
    assert given == expected


WITH_OPTIONS = [name for name in FUNCTIONS if "window" in inspect.signature(getattr(attention, name)).parameters]


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_functions_that_name_the_options_agree_with_those_that_pass_them_on(name):
    declared = typing.get_type_hints(AttentionOptions)
    function = getattr(attention, name)
    named = {p.name: p.default for p in inspect.signature(function).parameters.values() if p.kind == p.KEYWORD_ONLY}
    assert list(named)[: len(declared)] == list(declared)
    hints = typing.get_type_hints(function)
    for option, kind in declared.items():
        assert hints[option] == kind, f"{name} takes another type for {option} than AttentionOptions"
        assert named[option] is (False if kind is bool else None)


# --- docstrings --------------------------------------------------------------------------------------------------


def sections(docstring):
    """Split a numpy-style docstring at its underlined headings."""
    pieces = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", inspect.cleandoc(docstring), flags=re.MULTILINE)
    return {"Summary": pieces[0]} | dict(zip(pieces[1::2], pieces[2::2], strict=True))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_says_what_it_takes_gives_and_raises_with_an_example(name):
    function = getattr(attention, name)
    parts = sections(function.__doc__)
    missing = [part for part in ("Parameters", "Returns", "Raises", "Examples") if part not in parts]
    assert not missing, f"{function.__module__}.{name}: the docstring lacks {', '.join(missing)}; see causal_mask"
    first, *more = parts["Summary"].split("\n")
    assert 10 < len(first) <= 110
    assert first.endswith(".")
    assert not first.lower().startswith(("this function", "returns "))
    assert not more or not more[0]
    assert ">>> " in parts.get("Examples", ""), f"{name} has no example"
    assert parts["Returns"].strip()
    described = re.findall(r"^([\w*, ]+?)(?: : .*)?$", parts["Parameters"], flags=re.MULTILINE)
    named = [part.strip().lstrip("*") for line in described for part in line.split(",") if not line.startswith(" ")]
    assert named == list(inspect.signature(function).parameters)
    kinds = re.findall(r"^(\w+)$", parts["Raises"], flags=re.MULTILINE)
    assert kinds
    assert set(kinds) <= {"ValueError", "TypeError"}
