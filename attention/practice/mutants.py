"""The mutants: what is wrong with each, where to learn it, a hint, and the characters of the package it changes."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

FOLDER = Path(__file__).parents[1]


class Edit(NamedTuple):
    """One change: a module, what stands there once, and what the mutant has instead."""

    module: str
    right: str
    wrong: str


class Mutant(NamedTuple):
    """A package that is wrong in one place."""

    name: str
    wrong: str  # what it does, in a sentence
    page: str  # the page under docs/learn that explains what is right
    hint: str  # how a test can see it
    edits: tuple[Edit, ...]


# In the order of the pages. The results have the right shape or fit where it fits, so that only a number can tell.
MUTANTS = (
    Mutant(
        "softmax-axis",
        "Weights sum to one over the queries, not over the keys.",
        "scores-and-softmax",
        "Which sums must be one? Take more keys than queries.",
        (Edit("_scores", "exponentials(scores[..., rows, :], sink", "exponentials(scores[..., rows, :], -2, sink"),),
    ),
    Mutant(
        "maximum-kept",
        "The softmax does not subtract the largest score.",
        "scores-and-softmax",
        "For small scores the result is the same. From which score on does exp overflow?",
        (
            Edit("_scores", "scores -= top", "top = np.zeros_like(top)"),
            Edit("_scores", "np.maximum(total, 1, out=total)", "total[total == 0] = 1"),
        ),
    ),
    Mutant(
        "mask-inverted",
        "True in a mask hides a key, where it should show it.",
        "masks",
        "Give a mask that is not the same upside down, and look at which weights are zero.",
        (Edit("_scores", "where=~allowed", "where=allowed"),),
    ),
    Mutant(
        "mask-after-softmax",
        "Weights of hidden keys are set to zero after the softmax, not before.",
        "masks",
        "The zeros are in the right places. What else must hold in each row?",
        (
            Edit("dot_product", "_scores.masked(scores, bias, mask, reach), sink)",
                 "_scores.masked(scores, bias, None), sink)\n"
                 "        weights[_scores.masked(np.zeros(weights.shape), None, mask, reach) < 0] = 0"),
            Edit("dot_product", "scores = _scores.masked(scores, bias, mask, reach)",
                 "scores = _scores.masked(scores, bias, None)"),
            Edit("dot_product", "weights = _scores.softmax_rows(scores, sink)",
                 "weights = _scores.softmax_rows(scores, sink)\n"
                 "        weights[_scores.masked(np.zeros(weights.shape), None, mask, reach) < 0] = 0"),
        ),
    ),
    Mutant(
        "mask-minus-billion",
        "A mask takes a billion off a hidden score, where it should be minus infinity.",
        "masks",
        "What should a query receive that may attend to nobody?",
        (Edit("_scores", "np.copyto(scores, -np.inf, where=~allowed)", "scores -= 1e9 * ~allowed"),),
    ),
    Mutant(
        "padding-on-queries",
        "padding_mask hides the rows of the padding, not its columns.",
        "masks",
        "Who must not be seen: the padding that asks, or the padding that answers?",
        (
            Edit("masks", "return mask[:, None] if sizes.ndim else mask",
                 "return (mask[:, None] if sizes.ndim else mask).swapaxes(-1, -2)"),
        ),
    ),
    Mutant(
        "causal-strict",
        "Under is_causal, and in causal_mask, a query does not see its own position.",
        "masks",
        "What does the first query see, which has nothing before it?",
        (Edit("_positions", "right = 0", "right = -1"), Edit("masks", "n_keys, offset) <= 0", "n_keys, offset) < 0")),
    ),
    Mutant(
        "scale-missing",
        "Scores are not divided by the square root of d_k.",
        "scaling",
        "Compare one score, or the ratio of two weights, with what you work out by hand.",
        (Edit("_scores", "float(d_k**-0.5)", "1.0"),),
    ),
    Mutant(
        "scale-without-root",
        "Scores are divided by d_k, not by its square root.",
        "scaling",
        "For d_k = 1 there is no difference. Choose a d_k with a whole square root, such as 4.",
        (Edit("_scores", "float(d_k**-0.5)", "float(d_k**-1.0)"),),
    ),
    Mutant(
        "scale-by-d-model",
        "multi_head_attention divides by the square root of d_model, whatever the heads have.",
        "heads",
        "With one head there is no difference. Compare two heads with what each gives alone.",
        (
            Edit("multi_head", "        heads = scaled_dot",
                 '        options.setdefault("scale", wq.shape[1] ** -0.5)\n        heads = scaled_dot'),
        ),
    ),
    Mutant(
        "split-by-reshape",
        "split_heads reshapes to (heads, n, d) without an exchange of axes.",
        "heads",
        "Split two tokens. Whose features are in the first head?",
        (
            Edit("head_shapes", "array.reshape(*array.shape[:-1], n_heads, width).swapaxes(-2, -3)",
                 "array.reshape(*array.shape[:-2], n_heads, -1, width)"),
        ),
    ),
    Mutant(
        "merge-by-reshape",
        "merge_heads reshapes to (n, heads * d) without an exchange of axes.",
        "heads",
        "What must come out if you merge what you have split?",
        (Edit("head_shapes", "array.swapaxes(-2, -3).reshape(", "array.reshape("),),
    ),
    Mutant(
        "rotary-pairs",
        "apply_rotary pairs features r/2 apart when told interleaved, and neighbours when told half.",
        "relative-positions",
        "Products of two turned vectors still depend on distance alone. Turn one vector, and say which features move.",
        (Edit("rotary", 'if layout == "interleaved"', 'if layout == "half"'),),
    ),
    Mutant(
        "alibi-sign",
        "The ALiBi bias grows with the distance.",
        "relative-positions",
        "Which key should gain from the bias: a near one, or a far one?",
        (Edit("relative", "steps = -np.abs(", "steps = np.abs("),),
    ),
    Mutant(
        "causal-top-left",
        "The offset is ignored: the first query always stands at the first key, also behind a cache.",
        "decoding",
        "One new query behind three cached keys: how many keys may it see?",
        (
            Edit("_positions", 'else offsets("offset", offset)', 'else 0 * offsets("offset", offset)'),
            Edit("_positions", 'first = offsets("offset", offset)', 'first = 0 * offsets("offset", offset)'),
        ),
    ),
    Mutant(
        "rotary-restarts",
        "With a cache, multi_head_attention turns the new tokens as if the text began with them.",
        "decoding",
        "A text at once, and the same text token by token: what must be equal? Use rotary and a cache.",
        (Edit("multi_head", "rows[..., n_seen : n_seen + n_new, :]", "rows[..., :n_new, :]"),),
    ),
    Mutant(
        "tile-for-repeat",
        "Query heads take the shared heads of keys and values in turn: 1, 2, 1, 2 for 1, 1, 2, 2.",
        "sharing-heads",
        "Two heads are too few to tell. Let four query heads share two heads whose values differ.",
        (
            Edit("head_shapes", "np.repeat(array, _checks.size(\"n_groups\", n_groups, minimum=1), axis=-3)",
                 "np.concatenate([array] * n_groups, axis=-3)"),
            Edit("_scores", "shared.shape[-3], n_heads // shared.shape[-3], n, d)",
                 "n_heads // shared.shape[-3], shared.shape[-3], n, d)"),
            Edit("_scores", "shared = shared[..., None, :, :]", "shared = shared[..., None, :, :, :]"),
        ),
    ),
    Mutant(
        "window-off-by-one",
        "A window reaches one key further to the left than it says.",
        "windows-and-sinks",
        "Count the keys that the last query sees under window=(1, 0).",
        (
            Edit("_positions", "return left, right", "return left if left is None else left + 1, right"),
            Edit("masks", "distance >= -_checks", "distance >= -1 - _checks"),
        ),
    ),
)  # fmt: skip
NAMES = [mutant.name for mutant in MUTANTS]


class StaleError(Exception):
    """The package is not the one that the mutants were made for."""


def named(name: str) -> Mutant:
    """Return the mutant of a name."""
    return MUTANTS[NAMES.index(name)]


def sources(mutant: Mutant) -> dict[str, str]:
    """Return the text of every module that the mutant changes, with its changes."""
    texts: dict[str, str] = {}
    for module, right, wrong in mutant.edits:
        text = texts.get(module) or (FOLDER / f"{module}.py").read_text(
            "utf-8"
        )
        if text.count(right) != 1:
            raise StaleError(
                f"attention/{module}.py has been changed: {mutant.name} looks for {right!r} in it"
            )
        texts[module] = text.replace(right, wrong)
    return texts


def install(texts: dict[str, str]) -> None:
    """Forget the package; whoever imports it from now on receives these modules, under every name."""
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
