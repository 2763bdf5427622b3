"""The mutants: a name, what is wrong, where to learn it, a hint, the change.

A change is written as a reader of the page sees it: a module and functions,
the lines that go (-) and those that come (+). What goes is found by what
Python reads, whatever the spaces, line breaks and comments.
"""

import ast
import re
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from attention.practice import known

FOLDER = Path(__file__).parents[1]
_EDIT = re.compile(
    r"^(?P<module>\w+): (?P<functions>.+(?:\n    .+)*)\n"
    r"(?P<right>(?:- .*\n)+)(?P<wrong>(?:\+ .*\n)*)",
    re.MULTILINE,
)


class Mutant(NamedTuple):
    """A package that is wrong in one place."""

    name: str
    wrong: str  # what it does, in a sentence
    page: str  # the page under docs/learn that explains what is right
    hint: str  # how a test can see it
    change: (
        str  # of an expression, or a statement, that each function has once
    )


# The easiest first: the more examples in the package's docstrings notice a
# mutant, the easier it is; only one notices each of the last. The results have
# the right shape or fit where it fits, so that only a number can tell.
MUTANTS = (
    Mutant(
        "softmax-axis",
        known.mutants("softmax-axis"),
        "scores-and-softmax",
        "Which sums must be one? Take more keys than queries.",
        """
dot_product: _weights
- softmax(scores)
+ softmax(scores, axis=-2)
""",
    ),
    Mutant(
        "scale-missing",
        known.mutants("scale-missing"),
        "scaling",
        "Compare one score, or the ratio of two weights, with what you work "
        "out by hand.",
        """
dot_product: _scores
- scores = scores * given.scale
""",
    ),
    Mutant(
        "scale-without-root",
        known.mutants("scale-without-root"),
        "scaling",
        "For d_k = 1 there is no difference. Choose a d_k with a whole square "
        "root, such as 4.",
        """
dot_product: _scores
- scores * given.scale
+ scores * given.scale**2
""",
    ),
    Mutant(
        "causal-strict",
        known.mutants("causal-strict"),
        "masks",
        "What does the first query see, which has nothing before it?",
        """
masks: causal_mask
- _distances(n_queries, n_keys, offset) <= 0
+ _distances(n_queries, n_keys, offset) < 0
arguments: _prepared
- keys <= positions + right
+ keys < positions + right
""",
    ),
    Mutant(
        "causal-top-left",
        known.mutants("causal-top-left"),
        "decoding",
        "One new query after three cached keys: how many keys may it see?",
        """
masks: _distances
- first + np.arange(n_q)
+ 0 * first + np.arange(n_q)
arguments: _prepared
- np.arange(given.query.shape[-2])[:, None] + offset
+ np.arange(given.query.shape[-2])[:, None] + 0 * offset
""",
    ),
    Mutant(
        "mask-inverted",
        known.mutants("mask-inverted"),
        "masks",
        "Give a mask that is not the same upside down, and look at which "
        "weights are zero.",
        """
dot_product: _weights
- np.where(given.mask, scores, -np.inf)
+ np.where(given.mask, -np.inf, scores)
""",
    ),
    Mutant(
        "split-by-reshape",
        known.mutants("split-by-reshape"),
        "heads",
        "Split two tokens. Whose features are in the first head?",
        """
head_shapes: split_heads
- array.reshape(*array.shape[:-1], n_heads, width).swapaxes(-2, -3)
+ array.reshape(*array.shape[:-2], n_heads, -1, width)
""",
    ),
    Mutant(
        "merge-by-reshape",
        known.mutants("merge-by-reshape"),
        "heads",
        "What must come out if you merge what you have split?",
        """
head_shapes: merge_heads
- array.swapaxes(-2, -3).reshape(*array.shape[:-3], n, heads * width)
+ array.reshape(*array.shape[:-3], n, heads * width)
""",
    ),
    Mutant(
        "mask-after-softmax",
        known.mutants("mask-after-softmax"),
        "masks",
        "The zeros are in the right places. What else must hold in each row?",
        """
dot_product: _weights
- if given.mask is not None:
-     scores = np.where(given.mask, scores, -np.inf)
dot_product: attention_weights, scaled_dot_product_attention
- _weights(given)
+ np.where(True if given.mask is None else given.mask, _weights(given), 0)
""",
    ),
    Mutant(
        "window-off-by-one",
        known.mutants("window-off-by-one"),
        "windows-and-sinks",
        "Count the keys that the last query sees under window=(1, 0).",
        """
masks: sliding_window_mask
- distance >= -_inputs.integer("left", left, 0)
+ distance >= -_inputs.integer("left", left, 0) - 1
arguments: _prepared
- keys >= positions - left
+ keys >= positions - left - 1
""",
    ),
    Mutant(
        "rotary-pairs",
        "apply_rotary pairs features r/2 apart when told interleaved, and "
        "neighbours when told half.",
        "relative-positions",
        "Products of two turned vectors still depend on distance alone. Turn "
        "one vector, and say which features move.",
        """
rotary: apply_rotary
- layout == "interleaved"
+ layout == "half"
""",
    ),
    Mutant(
        "padding-on-queries",
        "padding_mask hides the rows of the padding, not its columns.",
        "masks",
        "Who must not be seen: the padding that asks, or the padding that "
        "answers?",
        """
masks: padding_mask
- return mask[:, None] if sizes.ndim else mask
+ mask = mask.swapaxes(-1, -2)
+ return mask[:, None] if sizes.ndim else mask
""",
    ),
    Mutant(
        "scale-by-d-model",
        known.mutants("scale-by-d-model"),
        "heads",
        "With one head there is no difference. Compare two heads with what "
        "each gives alone.",
        """
multi_head: multi_head_attention
- query = split_heads(x @ w_q + b_q, w.n_heads)
+ query = split_heads(x @ w_q + b_q, w.n_heads)
+ options.setdefault("scale", w_q.shape[1] ** -0.5)
""",
    ),
    Mutant(
        "alibi-sign",
        "The ALiBi bias grows with the distance.",
        "relative-positions",
        "Which key should gain from the bias: a near one, or a far one?",
        """
relative: alibi_bias
- slopes * -np.abs(distance)
+ slopes * np.abs(distance)
""",
    ),
    Mutant(
        "maximum-kept",
        known.mutants("maximum-kept"),
        "scores-and-softmax",
        "For small scores the result is the same. From which score on does "
        "exp overflow?",
        """
numerics: softmax
- np.exp(scores - _maximum(scores, axis))
+ np.exp(scores)
""",
    ),
    Mutant(
        "mask-minus-billion",
        known.mutants("mask-minus-billion"),
        "masks",
        "What should a query receive that may attend to nobody?",
        """
dot_product: _weights
- np.where(given.mask, scores, -np.inf)
+ np.where(given.mask, scores, scores - 1e9)
""",
    ),
    Mutant(
        "rotary-restarts",
        "With a cache, multi_head_attention turns the new tokens as if the "
        "text began with them.",
        "decoding",
        "A text at once, and the same text token by token: what must be "
        "equal? Use rotary and a cache.",
        """
multi_head: _rows
- first + np.arange(n_new)[:, None]
+ 0 * first + np.arange(n_new)[:, None]
""",
    ),
    Mutant(
        "tile-for-repeat",
        known.mutants("tile-for-repeat"),
        "sharing-heads",
        "Two heads are too few to tell. Let four query heads share two heads "
        "whose values differ.",
        """
head_shapes: repeat_kv
- np.repeat(array, n_groups, axis=-3)
+ np.concatenate([array] * n_groups, axis=-3)
arguments: _prepared
- k, v, allowed, bias = given.key, given.value, given.mask, given.bias
+ k, v, allowed, bias = given.key, given.value, given.mask, given.bias
+ if given.n_groups > 1:
+     n_heads = k.shape[-4]
+     turns = np.arange(n_heads * given.n_groups) % n_heads
+     turns = turns.reshape(n_heads, given.n_groups)
+     k, v = k[..., turns, 0, :, :], v[..., turns, 0, :, :]
""",
    ),
)
NAMES = [mutant.name for mutant in MUTANTS]


class Edit(NamedTuple):
    """One part of a change."""

    module: str
    functions: list[str]
    right: str
    wrong: str


class StaleError(Exception):
    """The package is not the one that the mutants were made for."""


def named(name: str) -> Mutant:
    """Return the mutant of a name."""
    return MUTANTS[NAMES.index(name)]


def edits(mutant: Mutant) -> list[Edit]:
    """Read the change of a mutant."""
    return [
        Edit(
            part["module"],
            re.findall(r"\w+", part["functions"]),
            re.sub("^- ", "", part["right"], flags=re.MULTILINE),
            re.sub(r"^\+ ", "", part["wrong"], flags=re.MULTILINE),
        )
        for part in _EDIT.finditer(mutant.change)
    ]


def sources(mutant: Mutant) -> dict[str, str]:
    """Return the changed text of every module that the mutant changes."""
    trees: dict[str, ast.Module] = {}
    for edit in edits(mutant):
        tree = trees.get(edit.module) or ast.parse(original(edit.module))
        trees[edit.module] = tree
        for name in edit.functions:
            change = _Change(edit)
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef) and node.name == name:
                    change.visit(node)
            if change.times != 1:
                raise StaleError(
                    f"attention/{edit.module}.py has been changed: "
                    f"{mutant.name} looks for {edit.right.strip()!r} in {name}"
                )
    return {module: ast.unparse(tree) for module, tree in trees.items()}


def original(module: str) -> str:
    """Read a module of the package."""
    return (FOLDER / f"{module}.py").read_text("utf-8")


class _Change(ast.NodeTransformer):
    """Put the wrong code in the place of the right one, and count."""

    def __init__(self, edit: Edit) -> None:
        (right,) = ast.parse(edit.right).body
        self.wrong = ast.parse(edit.wrong).body
        self.is_expression = isinstance(right, ast.Expr)
        self.right = ast.dump(_value(right))
        self.times = 0

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        if ast.dump(node) != self.right:
            return self.generic_visit(node)
        self.times += 1
        return _value(self.wrong[0]) if self.is_expression else self.wrong


def _value(node: ast.stmt) -> ast.AST:
    """Take an expression out of the statement that it is alone."""
    return node.value if isinstance(node, ast.Expr) else node


def install(texts: dict[str, str]) -> None:
    """Forget the package; a new import receives these modules instead."""
    for name in [
        name for name in sys.modules if name.split(".")[0] == "attention"
    ]:
        del sys.modules[name]
    sys.meta_path.insert(0, _Finder(texts))


class _Finder(MetaPathFinder):
    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        package, _, module = fullname.rpartition(".")
        if package != "attention" or module not in self.texts:
            return None
        return spec_from_loader(
            fullname, _Text(FOLDER / f"{module}.py", self.texts[module])
        )


class _Text(SourceLoader):
    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text

    def get_filename(self, fullname: str) -> str:
        return str(self.path)

    def get_data(self, path: str | bytes) -> bytes:
        return self.text.encode()
