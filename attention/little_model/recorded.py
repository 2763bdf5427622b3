"""The trained little model, as a file holds it: eight bits for each number, and a scale for each row.

The file is JSON. `words` lists the vocabulary in the order of its numbers, `kinds` groups it, `model` holds the sizes,
and `weights` has for each matrix its `shape`, its entries row by row as signed bytes in base64 (`int8`), and one factor
for each row (`scales`). An entry of a row is its byte times the factor. A gain of a norm is a matrix of one row.
`accuracy` has what the model can do with everything on and with something off, `runs` how three trainings went.
"""

import base64
import json
from difflib import get_close_matches
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention import attention_weights, softmax
from examples.little_model.language import ID, N_WORDS, WORDS
from examples.little_model.model import Switches, Weights, forward

RECORD = Path(__file__).parents[2] / "docs/assets/records/little_model.json"
SOURCES = ("language.py", "model.py", "gradients.py", "training.py")  # what decides the weights


def digest() -> str:
    """Sum up the files that decide the weights: another sum asks for another training."""
    folder = Path(__file__).parent
    return sha256(b"".join((folder / name).read_bytes() for name in SOURCES)).hexdigest()


def packed(array: NDArray) -> dict[str, Any]:
    """Write a matrix as whole numbers from -127 to 127 and a scale for each row; a gain is a matrix of one row."""
    matrix = np.atleast_2d(array).astype(float)
    scales = [float(f"{largest / 127:.6g}") or 1.0 for largest in abs(matrix).max(axis=1)]
    whole = np.clip(np.rint(matrix / np.array(scales)[:, None]), -127, 127).astype(np.int8)
    return {"shape": list(array.shape), "int8": base64.b64encode(whole.tobytes()).decode(), "scales": scales}


def unpacked(kept: dict[str, Any], dtype: type = np.float32) -> NDArray:
    """Read a matrix again: each whole number times the scale of its row."""
    whole = np.frombuffer(base64.b64decode(kept["int8"]), np.int8)
    scales: NDArray = np.array(kept["scales"], dtype)[:, None]
    matrix: NDArray = whole.reshape(len(scales), -1) * scales
    return matrix.reshape(kept["shape"])


@cache
def record() -> dict[str, Any]:
    """Read the file."""
    kept: dict[str, Any] = json.loads(RECORD.read_text("utf-8"))
    return kept


def load(dtype: type = np.float32) -> Weights:
    """Read the weights of the trained model."""
    return {name: unpacked(kept, dtype) for name, kept in record()["weights"].items()}


def read(typed: str) -> list[str]:
    """Split what somebody typed into words of the language, or refuse a word by naming the nearest.

    >>> read("Cats who chased dogs")
    ['cats', 'who', 'chased', 'dogs']
    >>> read("Ann has teas.")
    Traceback (most recent call last):
    ValueError: teas is not one of the 56 words; the nearest: tea
    """
    by_lower = {word.lower(): word for word in WORDS}
    words = []
    for given in typed.replace(".", " . ").replace("?", " ? ").split():
        if given.lower() not in by_lower:
            near = get_close_matches(given.lower(), by_lower, n=3, cutoff=0.5)
            names = ", ".join(by_lower[word] for word in near) or "none is like it"
            raise ValueError(f"{given} is not one of the {len(WORDS)} words; the nearest: {names}")
        words.append(by_lower[given.lower()])
    return words


def next_words(
    typed: str, switches: Switches | None = None, temperature: float = 1.0
) -> tuple[dict[str, float], list[NDArray]]:
    """Share out what could come next, the likeliest word first, and return the weights of the heads of each layer.

    >>> shares, weights = next_words("cats who chased dogs")
    >>> next(iter(shares)), [each.shape for each in weights]
    ('ran', [(4, 4, 4), (4, 4, 4)])
    """
    words = read(typed)
    if not 1 <= len(words) <= N_WORDS:
        raise ValueError(f"{len(words)} words: type at least one, and {N_WORDS} at most")
    scores, _, traces = forward([ID[word] for word in words], load(np.float64), switches)
    shares = softmax(scores[-1] / temperature)
    order = np.argsort(-shares, kind="stable")
    causal = switches is None or switches.mask
    weights = [attention_weights(trace.query, trace.key, is_causal=causal) for trace in traces]
    return {WORDS[i]: float(shares[i]) for i in order}, weights
