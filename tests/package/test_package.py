"""The package as a whole: floors, names, signatures, docstrings, dependencies."""

import ast
import importlib
import importlib.resources
import inspect
import json
import re
import subprocess
import sys
import tomllib
import typing
from pathlib import Path
from typing import Any

import pytest
from numpy.typing import ArrayLike, NDArray

import attention
from attention._scores import AttentionOptions

FOLDER = Path(attention.__file__).parent
REFERENCE = FOLDER.parent / "docs" / "reference"
MODULES = sorted({path.stem for path in [*FOLDER.glob("*.py"), *FOLDER.glob("[!_]*/")]} - {"__init__"})

# The floors of architecture.md, the highest first; the last four lines are floor 0.
FLOORS = """
practice
example
block
multi_head
gradients partials single_head tiling
additive dot_product tiles
cache costs formats head_shapes masks numerics projections relative rotary sinusoidal
_scores
_positions
_checks
_arrays _erf
"""
FLOOR = {module: -height for height, line in enumerate(FLOORS.split("\n")) for module in line.split()}
NOT_PUBLIC = ["_arrays", "_checks", "_erf", "_positions", "_scores", "example", "practice", "tiles"]

API = """
softmax(x, axis=-1)
log_softmax(x, axis=-1)
logsumexp(x, axis=-1, keepdims=False)
entropy(weights, axis=-1)
causal_mask(n_queries, n_keys=None, *, offset=0)
sliding_window_mask(n_queries, n_keys=None, *, left, right=0, offset=0)
padding_mask(lengths, n_keys)
segment_mask(query_segments, key_segments=None)
mask_to_bias(mask, *, dtype=float)
sinusoidal_encoding(n_positions, d_model, *, base=10000.0, dtype=float)
rotary_tables(positions, rotary_dim, *, base=10000.0, inv_freq=None, interpolation=1.0, dtype=float)
apply_rotary(x, cos, sin, *, layout)
rotary_permutation(rotary_dim)
alibi_slopes(n_heads, *, dtype=float)
alibi_bias(n_heads, n_queries, n_keys=None, *, offset=0, dtype=float)
relative_position_bias(table, n_queries, n_keys=None, *, offset=0)
relative_position_bucket(distance, *, bidirectional=True, n_buckets=32, max_distance=128)
project(x, weight, bias=None)
attention_flops(n_queries, n_keys, d_k, d_v, *, n_heads=1, is_causal=False)
attention_weight_bytes(n_queries, n_keys, *, n_heads=1, itemsize=4)
kv_cache_bytes(n_tokens, *, n_layers, n_kv_heads, d_head, itemsize=2)
attention_scores(query, key, *, scale=None, softcap=None, enable_gqa=False)
attention_weights(query, key, *, mask=None, bias=None, is_causal=False, window=None, offset=None, scale=None, softcap=None, sink=None, enable_gqa=False)
scaled_dot_product_attention(query, key, value, *, mask=None, bias=None, is_causal=False, window=None, offset=None, scale=None, softcap=None, sink=None, enable_gqa=False)
additive_attention(query, key, value, w_query, w_key, w_score, *, mask=None)
split_heads(x, n_heads)
merge_heads(x)
repeat_kv(x, n_groups)
self_attention(x, w_q, w_k, w_v, **options)
cross_attention(x, memory, w_q, w_k, w_v, **options)
MultiHeadWeights(w_q, w_k, w_v, w_o, b_q=None, b_k=None, b_v=None, b_o=None, *, n_heads, n_kv_heads=None)
multi_head_attention(x, weights, *, memory=None, rotary=None, cache=None, **options)
Rotary(cos, sin, layout)
PartialAttention(output, logsumexp)
partial_attention(query, key, value, **options)
merge_partials(first, *rest)
tiled_attention(query, key, value, *, mask=None, bias=None, is_causal=False, window=None, offset=None, scale=None, softcap=None, sink=None, enable_gqa=False, query_block=256, key_block=512, n_threads=1)
softmax_vjp(weights, grad_weights)
attention_vjp(query, key, value, grad_output, *, mask=None, bias=None, is_causal=False, window=None, offset=None, scale=None, softcap=None, sink=None, enable_gqa=False, return_bias=False, return_sink=False)
tiled_attention_vjp(query, key, value, grad_output, *, mask=None, bias=None, is_causal=False, window=None, offset=None, scale=None, softcap=None, sink=None, enable_gqa=False, return_bias=False, return_sink=False, query_block=256, key_block=512)
KVCache(max_tokens=None, *, window=None)
layer_norm(x, weight=None, bias=None, *, eps=1e-5)
rms_norm(x, weight=None, *, eps=1e-5)
round_to_format(x, format)
gelu(x, *, approximate=False)
silu(x)
feed_forward(x, w_in, w_out, b_in=None, b_out=None, *, w_gate=None, activation=gelu)
BlockWeights(attention, w_in, w_out, b_in=None, b_out=None, norm1_weight=None, norm1_bias=None, norm2_weight=None, norm2_bias=None, *, w_gate=None, norm="layer", activation=gelu, eps=1e-5)
transformer_block(x, weights, *, norm_first=True, cache=None, **options)
"""  # noqa: E501
SIGNATURES = {line.split("(")[0]: line for line in API.split("\n") if line}

FROM_A_PAPER = {
    "attention_scores": "Vaswani",
    "attention_weights": "Vaswani",
    "scaled_dot_product_attention": "Vaswani",
    "sinusoidal_encoding": "Vaswani",
    "apply_rotary": "Su",
    "rotary_tables": "Su",
    "rotary_permutation": "Su",
    "alibi_slopes": "Press",
    "alibi_bias": "Press",
    "relative_position_bias": "Shaw",
    "relative_position_bucket": "Raffel",
    "additive_attention": "Bahdanau",
    "kv_cache_bytes": "Shazeer",
    "partial_attention": "Milakov",
    "merge_partials": "Milakov",
    "tiled_attention": "Dao",
    "softmax_vjp": "Dao",
    "attention_vjp": "Dao",
    "tiled_attention_vjp": "Dao",
    "split_heads": "Vaswani",
    "repeat_kv": "Ainslie",
    "multi_head_attention": "Vaswani",
    "layer_norm": "Ba",
    "rms_norm": "Zhang",
    "round_to_format": "Micikevicius",
    "gelu": "Hendrycks",
    "silu": "Hendrycks",
    "feed_forward": "Vaswani",
    "transformer_block": "Vaswani",
}


def tree(module):
    """Parse a module, or all of a folder's as if they were one."""
    files = sorted((FOLDER / module).glob("*.py")) or [FOLDER / f"{module}.py"]
    return ast.parse("\n".join(file.read_text(encoding="utf-8") for file in files))


def imported(module):
    """Name every module that this one imports, wherever the statement stands."""
    names = set()
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def siblings(module):
    """Name the modules of the package that this one imports."""
    parts = [name.split(".") for name in imported(module)]
    return {part[1] if len(part) > 1 else "__init__" for part in parts if part[0] == "attention"} - {module}


def node_name(attribute):
    """Name what an attribute is taken from: `_checks` in `_checks.count`; nothing for longer expressions."""
    return attribute.value.id if isinstance(attribute.value, ast.Name) else ""


def definitions(module):
    """Name the public functions and classes that a module defines."""
    nodes = (ast.FunctionDef, ast.ClassDef)
    return {node.name for node in tree(module).body if isinstance(node, nodes) and not node.name.startswith("_")}


PUBLIC_MODULES = [module for module in MODULES if module not in NOT_PUBLIC]
PUBLIC = sorted(attention.__all__)
FUNCTIONS = [name for name in PUBLIC if inspect.isfunction(getattr(attention, name))]


# --- floors ------------------------------------------------------------------------------------------------------


def test_every_module_has_its_floor():
    assert sorted(FLOOR) == MODULES, f"the floors do not match the modules: {sorted(set(FLOOR) ^ set(MODULES))}"


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_from_lower_floors_only(module):
    for sibling in siblings(module):
        assert sibling in FLOOR, f"{module} imports {sibling}, which is not a module"
        assert FLOOR[sibling] < FLOOR[module], f"{module} imports {sibling}, which stands no lower"


@pytest.mark.parametrize("module", MODULES)
def test_a_name_with_an_underscore_stays_in_its_module(module):
    taken = {name.split(".")[-1] for name in imported(module) if name.startswith("attention.")}
    reached = {
        node.attr for node in ast.walk(tree(module)) if isinstance(node, ast.Attribute) and node_name(node) in taken
    }
    private = {name for name in taken | reached if re.match("_(?!_)", name)} - {
        "_arrays",
        "_checks",
        "_positions",
        "_scores",
    }
    assert not private, f"{module} takes {', '.join(private)} from another module; names that are shared have no _"


@pytest.mark.parametrize("module", ["__init__", *MODULES])
def test_nothing_imports_the_example_or_the_exercises(module):
    assert not {"example", "practice"} & siblings(module)


@pytest.mark.parametrize("module", ["__init__", *MODULES])
def test_numpy_and_the_standard_library_are_the_only_dependencies(module):
    roots = {name.split(".")[0] for name in imported(module)}
    assert roots <= {"attention", "numpy", "__future__"} | sys.stdlib_module_names


def test_importing_the_package_loads_nothing_else():
    program = (
        "import sys, json, numpy.random; before = set(sys.modules); import attention; "
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    result = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in json.loads(result.stdout)}
    assert "attention" in loaded
    assert loaded <= {"attention", "numpy"} | sys.stdlib_module_names
    assert "attention.example" not in json.loads(result.stdout)


def test_only_numpy_is_required_at_run_time():
    project = tomllib.loads((FOLDER.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [re.split(r"[^\w-]", requirement)[0] for requirement in project["dependencies"]] == ["numpy"]


@pytest.mark.parametrize("module", MODULES)
def test_no_module_sets_floating_point_state_or_draws_from_the_global_generator(module):
    attributes = {ast.unparse(node) for node in ast.walk(tree(module)) if isinstance(node, ast.Attribute)}
    forbidden = re.compile(r"(np|numpy)\.(seterr\w*|random\.(?!Generator)\w+)|warnings\.\w+")
    assert not [name for name in attributes if forbidden.fullmatch(name)]
    assert not [node for node in ast.walk(tree(module)) if isinstance(node, ast.Global)]


@pytest.mark.parametrize("module", [module for module in MODULES if not module.startswith("_")])
def test_every_module_has_tests_of_its_name(module):
    assert Path(__file__).with_name(f"test_{module}.py").is_file(), f"{module} has no tests/package/test_{module}.py"


# --- names -------------------------------------------------------------------------------------------------------


def test_all_names_exactly_the_public_functions_and_classes_in_order():
    defined = sorted(name for module in PUBLIC_MODULES for name in definitions(module))
    assert list(attention.__all__) == sorted(set(attention.__all__))
    assert list(attention.__all__) == defined
    assert set(NOT_PUBLIC) < set(MODULES)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there_and_comes_from_a_public_module(name):
    module = getattr(attention, name).__module__
    assert module.removeprefix("attention.") in PUBLIC_MODULES
    assert getattr(importlib.import_module(module), name) is getattr(attention, name)


@pytest.mark.parametrize("name", sorted({*PUBLIC, *SIGNATURES}))
def test_the_specification_lists_the_public_names(name):
    assert name in SIGNATURES, f"{name} is public, and the specification in this file does not list it"
    assert name in PUBLIC, f"{name} is specified, and not public"


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_a_row_in_the_reference(name):
    module = getattr(attention, name).__module__.removeprefix("attention.")
    page = REFERENCE / f"{module}.md"
    shown = page.read_text("utf-8").split() if page.is_file() else []
    assert f"attention.{module}" in shown, f"{name} has no page: docs/reference/{module}.md with ::: attention.{module}"
    menu = (FOLDER.parent / "mkdocs.yml").read_text("utf-8").split()
    assert f"reference/{module}.md" in menu, f"{name} is not in the menu: reference/{module}.md in mkdocs.yml"
    table = (REFERENCE / "index.md").read_text("utf-8")
    assert f"| [{module}]({module}.md) |" in table, f"{name} is not in the table of docs/reference/index.md: {module}"


def test_no_function_shares_a_name_with_a_module():
    assert not set(attention.__all__) & set(MODULES)


def test_the_package_offers_no_other_names():
    offered = {name for name in vars(attention) if not name.startswith("_")}
    assert offered <= set(attention.__all__) | set(MODULES)


def test_the_version_is_three_numbers():
    assert re.fullmatch(r"\d+\.\d+\.\d+", attention.__version__)


def test_type_checkers_are_told_that_the_package_is_typed():
    assert importlib.resources.files("attention").joinpath("py.typed").is_file()


@pytest.mark.parametrize("name", list(SIGNATURES))
def test_signatures_are_those_of_the_specification(name):
    space = dict(vars(attention))  # a default may be a function
    exec(f"def {SIGNATURES[name]}: ...", space)
    expected = inspect.signature(space[name]).parameters.values()
    actual = inspect.signature(getattr(attention, name)).parameters.values()
    assert [(p.name, p.kind, p.default) for p in actual] == [(p.name, p.kind, p.default) for p in expected]


@pytest.mark.parametrize("name", ["BlockWeights", "MultiHeadWeights"])
def test_type_checkers_are_shown_the_arguments_of_a_dataclass_and_that_arrays_may_be_lists(name):
    kind = getattr(attention, name)
    nodes = ast.walk(ast.parse(inspect.getsource(kind)))
    shown = next(node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    space = dict(vars(importlib.import_module(kind.__module__)))
    exec(f"def init({ast.unparse(shown.args)}): ...", space)
    _, *given = inspect.signature(space["init"]).parameters.values()
    actual = inspect.signature(kind).parameters.values()
    listed = {NDArray[Any]: ArrayLike, NDArray[Any] | None: ArrayLike | None}
    expected = [p.replace(annotation=listed.get(p.annotation, p.annotation)) for p in actual]
    assert given == expected


@pytest.mark.parametrize(
    "name",
    ["attention_weights", "scaled_dot_product_attention", "tiled_attention", "attention_vjp", "tiled_attention_vjp"],
)
def test_functions_that_name_the_options_agree_with_those_that_pass_them_on(name):
    declared = typing.get_type_hints(AttentionOptions)
    function = getattr(attention, name)
    named = {p.name: p.default for p in inspect.signature(function).parameters.values() if p.kind == p.KEYWORD_ONLY}
    assert list(named)[: len(declared)] == list(declared)
    hints = typing.get_type_hints(function)
    for option, kind in declared.items():
        assert hints[option] == kind, f"{name} takes another type for {option} than AttentionOptions"
        assert named[option] is (False if kind is bool else None)


def test_scores_take_those_options_that_make_scores():
    declared, hints = typing.get_type_hints(AttentionOptions), typing.get_type_hints(attention.attention_scores)
    assert {option: hints[option] for option in ("scale", "softcap", "enable_gqa")}.items() <= declared.items()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_and_result_is_annotated(name):
    signature = inspect.signature(getattr(attention, name))
    assert signature.return_annotation is not signature.empty
    assert not [p.name for p in signature.parameters.values() if p.annotation is p.empty]


# --- docstrings --------------------------------------------------------------------------------------------------


def sections(docstring):
    """Split a numpy-style docstring at its underlined headings."""
    pieces = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", inspect.cleandoc(docstring), flags=re.MULTILINE)
    return {"Summary": pieces[0]} | dict(zip(pieces[1::2], pieces[2::2], strict=True))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_says_what_it_takes_gives_and_raises_with_an_example(name):
    function = getattr(attention, name)
    parts = sections(function.__doc__)
    summary = parts["Summary"].split("\n")
    assert summary[0].endswith(".")
    assert len(summary) == 1 or not summary[1]
    assert ">>> " in parts.get("Examples", ""), f"{name} has no example"
    assert parts["Returns"].strip()
    described = re.findall(r"^([\w*, ]+?)(?: : .*)?$", parts["Parameters"], flags=re.MULTILINE)
    named = [part.strip().lstrip("*") for line in described for part in line.split(",") if not line.startswith(" ")]
    assert named == list(inspect.signature(function).parameters)
    kinds = re.findall(r"^(\w+)$", parts["Raises"], flags=re.MULTILINE)
    assert kinds
    assert set(kinds) <= {"ValueError", "TypeError"}


@pytest.mark.parametrize("name", FROM_A_PAPER)
def test_functions_from_a_paper_cite_it(name):
    references = sections(getattr(attention, name).__doc__)["References"]
    assert re.search(rf"\[{FROM_A_PAPER[name]}\b[^]]*\d{{4}}\]\(\.\./reference/sources\.md#\w+\)", references)


SOURCES = set(re.findall(r"^@\w+\{([\w-]+),$", (REFERENCE / "sources.bib").read_text("utf-8"), flags=re.MULTILINE))


def docstrings():
    """Yield the name and text of every docstring of the package."""
    for module in MODULES:
        for node in ast.walk(tree(module)):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)):
                yield f"{module}.{getattr(node, 'name', '__doc__')}", ast.get_docstring(node) or ""


CITED = [(name, anchor) for name, text in docstrings() for anchor in re.findall(r"sources\.md#([\w-]*)", text)]


@pytest.mark.parametrize(("name", "anchor"), CITED)
def test_every_source_that_a_docstring_cites_is_listed(name, anchor):
    assert anchor in SOURCES, f"{name} cites sources.md#{anchor}, which docs/reference/sources.bib does not have"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_formula_or_a_result_opens_the_docstring_in_one_line(name):
    first = inspect.cleandoc(getattr(attention, name).__doc__).split("\n")[0]
    assert 10 < len(first) <= 110
    assert not first.lower().startswith(("this function", "returns "))
