"""The trained little model, as a file holds it: eight bits for each number.

The file is JSON. `words` lists the vocabulary in the order of its numbers,
`kinds` groups it, `model` holds the sizes, and `weights` has for each matrix
its `shape`, its entries row by row as signed bytes in base64 (`int8`), and one
factor for each row (`scales`). An entry of a row is its byte times the factor.
A gain of a norm is a matrix of one row. `accuracy` has what the model can do
with everything on and with something off, `runs` the same of three trainings.
"""

import base64
import json
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention.dot_product import attention_weights
from attention.little_model.language import ID, N_WORDS, WORDS
from attention.little_model.model import Switches, Weights, forward
from attention.numerics import softmax


def unpacked(kept: dict[str, Any], dtype: type = np.float32) -> NDArray[Any]:
    """Read a matrix: each whole number times the scale of its row."""
    whole = np.frombuffer(base64.b64decode(kept["int8"]), np.int8)
    scales: NDArray[Any] = np.array(kept["scales"], dtype)[:, None]
    matrix: NDArray[Any] = whole.reshape(len(scales), -1) * scales
    return matrix.reshape(kept["shape"])


@cache
def record() -> dict[str, Any]:
    """Read all that was recorded of the model.

    Returns
    -------
    record : dict
        Among others `weights` and `words`; `accuracy`, the share of right
        answers to each task, with everything on and with something off;
        `runs`, the same of three trainings, of which one was kept, and
        how they went; `without`, short trainings that lacked a part from
        the start.

    Examples
    --------
    >>> from attention.little_model import record
    >>> record()["model"]["numbers"], len(record()["words"])
    (69440, 56)
    """
    kept: dict[str, Any] = _read("recorded")
    return kept | {"without": _read("without")}


def _read(name: str) -> Any:
    file = files("attention.little_model") / f"{name}.json"
    return json.loads(file.read_text("utf-8"))


def load(dtype: type = np.float32) -> Weights:
    """Read the weights of the trained model.

    Returns
    -------
    weights : dict
        `embedding` of shape (56, 64), also the unembedding; of each layer i =
        0, 1 the matrices `i.w_q`, `i.w_k`, `i.w_v`, `i.w_o` of shape (64, 64)
        for four heads, `i.w_in` (64, 128), `i.w_out` (128, 64), and the gains
        of its norms, `i.norm_1` before attention and `i.norm_2` before the
        MLP; `norm`, the gain of the last one. There are no biases.

    Examples
    --------
    >>> from attention.little_model import load
    >>> weights = load()
    >>> weights["embedding"].shape, weights["1.w_q"].shape
    ((56, 64), (64, 64))
    """
    kept = record()["weights"]
    return {name: unpacked(each, dtype) for name, each in kept.items()}


def read(typed: str) -> list[str]:
    """Split a text into words of the language.

    Raises
    ------
    ValueError
        If a word is not one of the 56; the message names the nearest.

    Examples
    --------
    >>> from attention.little_model import read
    >>> read("Cats who chased dogs")
    ['cats', 'who', 'chased', 'dogs']
    >>> read("Ann has teas.")
    Traceback (most recent call last):
    ValueError: teas is not one of the 56 words; the nearest: tea, has, hens
    """
    by_lower = {word.lower(): word for word in WORDS}
    words = []
    for given in typed.replace(".", " . ").replace("?", " ? ").split():
        if given.lower() not in by_lower:
            near = get_close_matches(given.lower(), by_lower, n=3, cutoff=0.5)
            names = ", ".join(by_lower[word] for word in near)
            raise ValueError(
                f"{given} is not one of the {len(WORDS)} words; "
                f"the nearest: {names or 'none is like it'}"
            )
        words.append(by_lower[given.lower()])
    return words


def next_words(
    typed: str, switches: Switches | None = None, temperature: float = 1.0
) -> tuple[dict[str, float], list[NDArray[Any]]]:
    """Give every word a probability to come next.

    Parameters
    ----------
    typed : str
        A text of 1 to 40 words of the language.
    switches : Switches, optional
        What is switched off; nothing if omitted.
    temperature : float, optional
        Divides the scores before the softmax.

    Returns
    -------
    shares : dict
        The probability of each word, the likeliest first.
    weights : list of ndarray of shape (4, n, n)
        The attention weights of the heads of each layer.

    Raises
    ------
    ValueError
        If there are too few or too many words, or one is not of the language.

    Examples
    --------
    >>> from attention.little_model import next_words
    >>> shares, weights = next_words("cats who chased dogs")
    >>> next(iter(shares)), [each.shape for each in weights]
    ('ran', [(4, 4, 4), (4, 4, 4)])

    Look at what its heads do, in a notebook or in a file:

    >>> from attention.show import heads
    >>> heads(weights, "cats who chased dogs", layer=1, head=3)
    <Figure 'All heads': .save('figure.html') writes a file>
    """
    words = read(typed)
    if not 1 <= len(words) <= N_WORDS:
        raise ValueError(
            f"{len(words)} words: type at least one, and {N_WORDS} at most"
        )
    ids = [ID[word] for word in words]
    scores, _, traces = forward(ids, load(np.float64), switches)
    shares = softmax(scores[-1] / temperature)
    order = np.argsort(-shares, kind="stable")
    causal = switches is None or switches.mask
    weights = [
        attention_weights(trace.query, trace.key, is_causal=causal)
        for trace in traces
    ]
    return {WORDS[i]: float(shares[i]) for i in order}, weights
