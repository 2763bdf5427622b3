"""The package as a whole: floors, sizes, names, options, docstrings, dependencies."""

import ast
import inspect
import re
import sys
import typing
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import attention
from attention import AttentionOptions

FOLDER = Path(attention.__file__).parent
REFERENCE = FOLDER.parent / "docs" / "reference"
FILES = {path.stem: path for path in FOLDER.glob("*.py") if path.stem != "__init__"}
MODULES = sorted([*FILES, "little_model", "practice", "show", "testing"])
NOT_PUBLIC = {"_inputs", "example", "little_model", "practice", "show", "testing"}
PUBLIC = attention.__all__
FUNCTIONS = [name for name in PUBLIC if inspect.isfunction(getattr(attention, name))]


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


def test_modules_stand_on_floors():
    below = {module: siblings(module) for module in MODULES}
    list(TopologicalSorter(below).static_order())  # names the modules of a circle
    assert below["_inputs"] == set()
    # but for the exercises and the oracle, the highest
    for top in ("example", "little_model", "practice", "show", "testing"):
        users = [module for module in MODULES if top in below[module] and module not in ("practice", "testing")]
        assert not users, f"{', '.join(users)} must not need {top}"


@pytest.mark.parametrize("module", ["__init__", *MODULES])
def test_numpy_and_the_standard_library_are_the_only_dependencies(module):
    roots = {name.split(".")[0] for name in imported(module)}
    assert roots <= {"attention", "numpy"} | sys.stdlib_module_names


@pytest.mark.parametrize("module", MODULES)
def test_no_module_sets_floating_point_state_or_draws_from_the_global_generator(module):
    attributes = {ast.unparse(node) for node in ast.walk(tree(module)) if isinstance(node, ast.Attribute)}
    forbidden = re.compile(r"(np|numpy)\.(seterr\w*|random\.(?!Generator|default_rng)\w+)|warnings\.\w+")
    assert not [name for name in attributes if forbidden.fullmatch(name)]
    assert not [node for node in ast.walk(tree(module)) if isinstance(node, ast.Global)]


# --- names -------------------------------------------------------------------------------------------------------


def test_what_has_no_underscore_is_public_and_listed():
    found = {
        name
        for module in set(MODULES) - NOT_PUBLIC
        for name, value in vars(sys.modules[f"attention.{module}"]).items()
        if getattr(value, "__module__", "") == f"attention.{module}" and name[0] != "_" and callable(value)
    }
    assert set(PUBLIC) == found
    assert sorted(PUBLIC) == PUBLIC
    assert not found & set(MODULES), "a module and a function share a name"


@pytest.mark.parametrize("module", sorted(set(MODULES) - {"_inputs", "practice"}))
def test_every_module_has_its_page_and_its_tests(module):
    page, menu = REFERENCE / f"{module}.md", FOLDER.parent / "mkdocs.yml"
    has = {
        f"docs/reference/{module}.md with a line ::: attention.{module}": (
            page.is_file() and f"::: attention.{module}" in page.read_text("utf-8")
        ),
        f"reference/{module}.md in the menu, mkdocs.yml": f"reference/{module}.md" in menu.read_text("utf-8").split(),
        f"tests/package/test_{module}.py, or a folder {module}": (
            Path(__file__).with_name(f"test_{module}.py").is_file() or Path(__file__).with_name(module).is_dir()
        ),
    }
    lacks = [what for what, there in has.items() if not there]
    if lacks:
        pytest.fail(f"attention/{module}.py lacks {'; '.join(lacks)}", pytrace=False)


def test_the_function_that_names_the_options_agrees_with_those_that_pass_them_on():
    declared = typing.get_type_hints(AttentionOptions)
    function = attention.scaled_dot_product_attention
    assert list(function.__kwdefaults__) == [*declared, "return_weights"]
    hints = typing.get_type_hints(function)
    for option, kind in declared.items():
        assert hints[option] == kind
        assert function.__kwdefaults__[option] is (False if kind is bool else None)


# --- docstrings --------------------------------------------------------------------------------------------------


def sections(docstring):
    """Split a numpy-style docstring at its underlined headings."""
    pieces = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", inspect.cleandoc(docstring), flags=re.MULTILINE)
    return {"Summary": pieces[0]} | dict(zip(pieces[1::2], pieces[2::2], strict=True))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_says_what_it_takes_gives_and_raises_with_an_example(name):
    function = getattr(attention, name)
    parts = sections(function.__doc__)
    missing = [part for part in ("Parameters", "Returns", "Examples") if part not in parts]
    assert not missing, f"{function.__module__}.{name}: the docstring lacks {', '.join(missing)}; see causal_mask"
    first = parts["Summary"].split("\n")[0]
    assert 10 < len(first) <= 110
    assert not first.lower().startswith(("this function", "returns "))
    assert ">>> " in parts.get("Examples", ""), f"{name} has no example"
    described = re.findall(r"^([\w*, ]+?)(?: : .*)?$", parts["Parameters"], flags=re.MULTILINE)
    named = [part.strip().lstrip("*") for line in described for part in line.split(",") if not line.startswith(" ")]
    assert named == list(inspect.signature(function).parameters)
    summary = " ".join(parts["Summary"].split())  # the reference says what an error is, this what is special
    assert re.search(r"Raises \[an error\]\(index\.md#errors\) (if|as|unless) \S", summary), f"{name}: no errors"
