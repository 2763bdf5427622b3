"""What examples/record_heads.py has recorded of a trained model, for the expressions of fences and for pages.

The site is built from the file, without the model. Its integers, each so many of a unit, become numbers here.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from docs_ext.errors import SpecError, did_you_mean

RECORD = Path(__file__).parents[2] / "docs/assets/records/heads.json"
Floats = NDArray[np.float64]


class Sentence(NamedTuple):
    """A sentence, and what every head does with it."""

    text: str
    tokens: list[str]
    weights: Floats  # (layers, heads, n, n)
    values: Floats  # (layers, heads, n): how long each value is when the head's block of W_O has written it
    written: Floats  # (layers, heads, n): how long that is which the head writes into each token
    masked: Floats  # (n,): 1 - cosine of the text's vectors when a token is masked in layers 1 to 4
    deleted: Floats  # (n,): likewise, if the weight stays and only what the token hands over is taken away


class Twins(NamedTuple):
    """Two sentences with the same words but one; *it* means the first noun in one of them, in the other the second."""

    texts: list[str]
    nouns: list[str]
    weights: Floats  # (layers, heads, sentence, who asks, noun): because, it, was


class Recorded(NamedTuple):
    """Everything in the file that a page asks for."""

    model: dict[str, Any]
    sentences: list[Sentence]
    example: list[Sentence]  # the running example, which no average counts
    search: list[Twins]
    test: list[Twins]
    animals: list[Twins]
    things: list[Twins]
    removed: Floats  # (layers, heads, sentence): 1 - cosine of the sentence's vectors with and without the head
    cut: Floats  # (layers - 1,): what a head's removal changes on average in a model without the last layer

    def sentence(self, text: str) -> Sentence:
        """Return a sentence by its first words."""
        held = self.sentences + self.example
        for one in held:
            if one.text.startswith(text):
                return one
        raise SpecError(f"{RECORD.name} has no sentence {text!r}{did_you_mean(text, [s.text for s in held])}")

    def shifts(self, which: str, ask: int = 1) -> Floats:
        """Return how far the weights move with the antecedent: (pair, layers, heads).

        It is what the first noun gains over the second when *it* (or whoever asks) comes to mean the first.
        """
        weights = np.stack([pair.weights[..., ask, :] for pair in getattr(self, which)])  # (..., sentence, noun)
        shifts: Floats = weights @ [1, -1] @ [1, -1]
        return shifts

    def leads(self, which: str) -> Floats:
        """Return by how much *it* prefers the noun that it means: (pair, layers, heads, sentence)."""
        weights = np.stack([pair.weights[..., 1, :] for pair in getattr(self, which)])
        leads: Floats = (weights[..., 0] - weights[..., 1]) * [1, -1]
        return leads


@cache
def recorded(path: Path = RECORD) -> Recorded:
    """Return what has been recorded of the model."""
    if not path.is_file():
        raise ValueError(f"{path.name} is not there: run examples/record_heads.py")
    found = json.loads(path.read_text("utf-8"))

    def numbers(name: str, item: Any) -> Floats:
        unit: int = found["units"][name]
        return np.array(item, float) / unit

    def twins(pairs: list[dict[str, Any]]) -> list[Twins]:
        return [Twins(pair["texts"], pair["nouns"], numbers("twins", pair["weights"])) for pair in pairs]

    def sentences(name: str) -> list[Sentence]:
        read = Sentence._fields[2:]
        return [Sentence(one["text"], one["tokens"], *(numbers(key, one[key]) for key in read)) for one in found[name]]

    return Recorded(
        model=found["model"],
        sentences=sentences("sentences"),
        example=sentences("example"),
        search=twins(found["search"]),
        test=twins(found["test"]),
        animals=twins(found["animals"]),
        things=twins(found["things"]),
        removed=numbers("removed", found["removed"]),
        cut=numbers("cut", found["cut"]),
    )
