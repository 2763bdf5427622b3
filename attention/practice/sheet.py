"""What a learner is asked to write: twelve steps, each with a worked number.

Without a seed the numbers are those of the lessons. With a seed they are
drawn, so that neighbours have different sheets. What comes out is computed by
the package when a sheet is written.
"""

import io
import re
import textwrap
from collections.abc import Callable
from doctest import DocTestParser
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from attention.little_model.language import MANY, SEEING
from attention.practice.steps import RIGHT, Call, Rng, Step

HEAD = '''\
"""Write attention yourself, in twelve steps.

Fill in one function after the other, and ask what is right so far:

    python -m attention.practice write {file}

Each step may use the steps before it. NumPy is all you need; loops are as good
as products of matrices. An array with the axes (..., n, d) has n rows of d
features; the dots stand for further axes in front, such as the sentences of a
batch, or none.
"""

import numpy as np
'''
_SEED = "\nSEED = {seed}  # the numbers below were drawn with it: leave it\n"


class Task(NamedTuple):
    """A function to write: what it takes, what it should do, an example."""

    name: str
    takes: str
    asks: str
    example: str  # at the prompt; its last line prints
    lesson: dict[str, Any]  # the numbers of the example in its lesson
    draw: Callable[[Rng], dict[str, Any]]  # others of the same kind


class Example(NamedTuple):
    """A worked number: what is typed and printed, and the calls it makes."""

    typed: str
    printed: str
    calls: list[Call]


def written(file: str, seed: int = 0) -> str:
    """Write the file of empty functions."""
    head = HEAD.replace("{file}", file) + seed_line(seed)
    return "\n\n".join([head, *(source(task, seed) for task in TASKS)])


def seed_line(seed: int) -> str:
    """Say in the file which numbers it has; the lessons' need no word."""
    return _SEED.format(seed=seed) if seed else ""


def source(task: Task, seed: int = 0) -> str:
    """Write an empty function, with its example in its docstring."""
    shown = worked(task.name, seed)
    text = f"{task.asks}\n\n{shown.typed}\n{shown.printed}\n"
    inside = textwrap.indent(f'"""{text}"""\n...', "    ")
    return f"def {task.name}({task.takes}):\n{inside}\n"


def calls_of(step: Step, seed: int) -> list[Call]:
    """Return all calls of a step: those of its examples, and random ones."""
    examples = [
        call for name in step.functions for call in worked(name, seed).calls
    ]
    return [*examples, *step.calls(np.random.default_rng(seed))]


@cache
def worked(name: str, seed: int) -> Example:
    """Work the example of a function out, with the package's functions."""
    place = [task.name for task in TASKS].index(name)
    task = TASKS[place]
    rng = np.random.default_rng([seed, place])
    numbers = task.draw(rng) if seed else task.lesson
    typed = re.sub(r"<(\w+)>", lambda m: str(numbers[m[1]]), task.example)
    calls = list[Call]()

    def noted(*args: Any) -> Any:
        calls.append(Call(name, args))
        return RIGHT[name](*args)

    output = io.StringIO()
    names = {"np": np, name: noted, "print": partial(print, file=output)}
    for part in DocTestParser().get_examples(typed):
        exec(part.source, names)
    return Example(typed, output.getvalue().rstrip("\n"), calls)


# --- numbers to draw ---------------------------------------------------------


def _array(numbers: Any) -> str:
    """Write an array of floats, of which one point tells NumPy enough."""
    return re.sub(
        r"\d+", r"\g<0>.0", str(np.asarray(numbers).tolist()), count=1
    )


def _digits(rng: Rng, n: int, most: int = 9) -> list[int]:
    """Draw numbers from 1 on that all differ."""
    found: list[int] = rng.permutation(most)[:n].tolist()
    return [1 + digit for digit in found]


def _average(rng: Rng) -> dict[str, Any]:
    weights = rng.permutation([(1, 2, 5), (1, 3, 4)][rng.integers(2)])
    values = 8 * np.reshape(_digits(rng, 6), (3, 2))
    return {"weights": weights.tolist(), "values": _array(values)}


def _softmax(rng: Rng) -> dict[str, Any]:
    parts = _digits(rng, 3)
    return {"parts": parts, "total": sum(parts)}


def _scores(rng: Rng) -> dict[str, Any]:
    key = rng.permutation(10)[:8].reshape(2, 4) - 3
    return {"query": _array([_digits(rng, 4, 5)]), "key": _array(key)}


def _attend(rng: Rng) -> dict[str, Any]:
    same, hidden = rng.integers(4, size=2), rng.integers(3)
    key = np.where(np.arange(3)[:, None] == hidden, 9, same)
    return {
        "query": _array([_digits(rng, 2, 4)]),
        "key": _array(key),
        "value": _array(2 * np.reshape(_digits(rng, 6), (3, 2))),
        "mask": [(np.arange(3) != hidden).tolist()],
    }


def _mask(rng: Rng) -> dict[str, Any]:
    n = int(rng.integers(4, 9))
    return {"n": n, "row": int(rng.integers(1, n - 1))}


def _diagonal(rng: Rng) -> dict[str, Any]:
    return {"w_v": _array([2 * digit for digit in _digits(rng, 2)])}


def _table(rng: Rng) -> dict[str, Any]:
    row = int(rng.integers(1, 10))
    return {"n": row + 1, "d": int(rng.choice([4, 6])), "row": row}


def _split(rng: Rng) -> dict[str, Any]:
    x = np.reshape(_digits(rng, 8), (2, 4))
    return {"x": x.tolist(), "head": int(rng.integers(2))}


def _merge(rng: Rng) -> dict[str, Any]:
    return {"heads": np.reshape(_digits(rng, 8), (2, 2, 2)).tolist()}


def _heads(rng: Rng) -> dict[str, Any]:
    first, second = _digits(rng, 2, 4)
    w_o = _array([[first, 0], [-second, 0]])
    return _diagonal(rng) | {"w_o": w_o}


def _row(rng: Rng) -> dict[str, Any]:
    mean, distance = int(rng.integers(3, 9)), int(rng.integers(1, 4))
    row = rng.permutation([mean - distance] * 2 + [mean + distance] * 2)
    gain = f"np.array({_array(_digits(rng, 4))})"
    return {"row": _array([row]), "gain": gain}


def _text(rng: Rng) -> dict[str, Any]:
    one, other = rng.choice(MANY, 2, replace=False)
    verb = rng.choice([past for *_, past in SEEING])
    return {"text": f"{one} who {verb} {other}"}


# --- the tasks ---------------------------------------------------------------

TASKS = (
    Task(
        "weighted_average",
        "weights, values",
        "Step 1. Average the rows of values (n, d) by their weights (n,).",
        """\
>>> values = np.array(<values>)
>>> print(weighted_average(np.array(<weights>) / 8, values))""",
        {"weights": [1, 2, 5], "values": "[[8.0, 0], [0, 8], [8, 8]]"},
        _average,
    ),
    Task(
        "softmax",
        "scores",
        """\
Step 2. Turn each row of scores (..., n) into weights that sum to one.

A row is what runs along the last axis. exp(1000) is too large for a
computer, but a score of 1000 is no reason to fail.""",
        ">>> print(softmax(np.log(<parts>)) * <total>)",
        {"parts": [1, 2, 5], "total": 8},
        _softmax,
    ),
    Task(
        "attention_scores",
        "query, key",
        """\
Step 3. Score each query (n_q, d_k) against each key (n_k, d_k).

The scores (n_q, n_k) are scaled dot products.""",
        """\
>>> query = np.array(<query>)
>>> key = np.array(<key>)
>>> print(attention_scores(query, key))""",
        {
            "query": "[[2.0, 0, 0, 0]]",
            "key": "[[3.0, 0, 0, 0], [0, 5, 0, 0]]",
        },
        _scores,
    ),
    Task(
        "attend",
        "query, key, value, mask=None",
        """\
Step 4. Give each query its weighted average of the values (n_k, d_v).

mask (n_q, n_k), if given, says which keys a query may attend to: True
means that it may. Each query may attend to one key at least.""",
        """\
>>> query = np.array(<query>)
>>> key = np.array(<key>)
>>> value = np.array(<value>)
>>> print(attend(query, key, value, np.array(<mask>)))""",
        {
            "query": "[[1.0, 1]]",
            "key": "[[0.0, 0], [0, 0], [9, 9]]",
            "value": "[[2.0, 0], [0, 4], [8, 8]]",
            "mask": [[True, True, False]],
        },
        _attend,
    ),
    Task(
        "causal_mask",
        "n",
        """\
Step 5. Say which of n words each of n words may attend to: (n, n).

True means that it may: each word sees itself and what comes before it.""",
        ">>> print(causal_mask(<n>)[<row>])",
        {"n": 3, "row": 1},
        _mask,
    ),
    Task(
        "self_attention",
        "x, w_q, w_k, w_v, mask=None",
        """\
Step 6. Let the rows of x (n, d) attend to each other.

w_q and w_k (d, d_k) make queries and keys of x, w_v (d, d_v) values.""",
        """\
>>> x, none, w_v = np.eye(2), np.zeros((2, 2)), np.diag(<w_v>)
>>> print(self_attention(x, none, none, w_v))""",
        {"w_v": "[6.0, 2]"},
        _diagonal,
    ),
    Task(
        "positions",
        "n, d, base=10000.0",
        """\
Step 7. Write the position encoding of positions 0 to n - 1: (n, d).

Pair i of columns, 2 i and 2 i + 1, has the sine and the cosine of
position / base^(2 i / d). d is even.""",
        ">>> print(positions(<n>, <d>)[<row>].round(4))",
        {"n": 2, "d": 4, "row": 1},
        _table,
    ),
    Task(
        "split_heads",
        "x, n_heads",
        """\
Step 8. Cut the features of x (n, n_heads d) into heads.

The result has the axes (n_heads, n, d): head 0 has the first d features
of every row.""",
        ">>> print(split_heads(np.array(<x>), 2)[<head>])",
        {"x": [[1, 2, 3, 4], [5, 6, 7, 8]], "head": 0},
        _split,
    ),
    Task(
        "merge_heads",
        "heads",
        """\
Step 8, too. Undo split_heads: (n_heads, n, d) to (n, n_heads d).""",
        ">>> print(merge_heads(np.array(<heads>)))",
        {"heads": [[[1, 2], [5, 6]], [[3, 4], [7, 8]]]},
        _merge,
    ),
    Task(
        "multi_head_attention",
        "x, w_q, w_k, w_v, w_o, n_heads, mask=None",
        """\
Step 9. Run several heads side by side, and make one row of each.

x is (n, d). w_q, w_k and w_v are (d, n_heads d_k): the first d_k columns
belong to head 0. Each head attends by itself. w_o (n_heads d_k, d) takes
their outputs side by side, and makes one row of d features for each word.""",
        """\
>>> x, w_v = np.eye(2), np.diag(<w_v>)
>>> none, w_o = np.zeros((2, 2)), np.array(<w_o>)
>>> print(multi_head_attention(x, none, none, w_v, w_o, 2))""",
        {"w_v": "[6.0, 2]", "w_o": "[[1.0, 0], [-1, 0]]"},
        _heads,
    ),
    Task(
        "layer_norm",
        "x, gain, eps=1e-5",
        """\
Step 10. Give each row of x (..., d) the mean 0 and the variance 1.

Divide by sqrt(variance + eps), which is never 0, then multiply by the
gain (d,).""",
        """\
>>> x, gain = np.array(<row>), <gain>
>>> print(layer_norm(x, gain).round(3))""",
        {"row": "[[3.0, 3, 5, 5]]", "gain": "np.ones(4)"},
        _row,
    ),
    Task(
        "transformer_block",
        "x, weights, n_heads, mask=None",
        """\
Step 11. Run one layer on x (n, d): attention, then the MLP.

Each part gets the rows after a layer norm, and what it makes is added to
the rows as they were. The MLP is two matrices, w_in (d, d_hidden) and
w_out (d_hidden, d), and between them negative numbers become 0.
weights is a dictionary: "norm_1" (a gain), "w_q", "w_k", "w_v", "w_o",
"norm_2", "w_in", "w_out".""",
        """\
>>> names = ("w_q", "w_k", "w_v", "w_o", "w_in", "w_out")
>>> weights = {name: np.eye(4) for name in names}
>>> weights |= {"norm_1": np.zeros(4), "norm_2": <gain>}
>>> x = np.array(<row>)
>>> print(transformer_block(x, weights, 2).round(3))""",
        {"row": "[[3.0, 3, 5, 5]]", "gain": "np.ones(4)"},
        _row,
    ),
    Task(
        "generate",
        "ids, weights, n_new",
        """\
Step 12. Let the little model write n_new words after a text.

ids are the numbers of the words, and so is the result: the text with the
new words at its end, each the one with the highest score. The model:

- row i of weights["embedding"] is that of word i; multiply it by the root
  of its size, and add positions(n, d, base=100.0);
- layers 0 and 1, of 4 heads, under a causal mask: their weights are called
  "0.norm_1", "0.w_q" and so on, "1.norm_1" and so on;
- a last layer norm with the gain weights["norm"];
- the last row is scored against every row of weights["embedding"].""",
        """\
>>> from attention.little_model import ID, WORDS, load
>>> text = [ID[word] for word in "<text>".split()]
>>> print(" ".join(WORDS[i] for i in generate(text, load(), 2)))""",
        {"text": "cats who chased dogs"},
        _text,
    ),
)
