"""Words that a fence names: lists of them, one of them, and what to call those that are there twice."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from docs_ext.errors import SpecError
from docs_ext.reading.expressions import value

MAX_WORDS = 16  # the style sheet of attention-grid has one rule a row


def words_of(spec: Mapping[str, Any], key: str) -> Sequence[str]:
    words = value(spec, key) if isinstance(spec[key], str) else spec[key]
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise SpecError(f"{key} must be a list of words; quote yes, no and numbers: {words!r}", key=key)
    if not words or (key == "tokens" and len(words) > MAX_WORDS):
        raise SpecError(f"{key} must hold 1 to {MAX_WORDS} words: {len(words)}", key=key)
    return words


def row_of(spec: Mapping[str, Any], key: str, words: Sequence[str]) -> int:
    """Return the row that `spec[key]` names by its word or index; by default the last."""
    chosen = spec.get(key, len(words) - 1)
    if isinstance(chosen, int) and not isinstance(chosen, bool) and 0 <= chosen < len(words):
        return chosen
    if words.count(chosen) > 1:
        raise SpecError(f"{key}: {chosen!r} is there {words.count(chosen)} times, give its index", key=key)
    if chosen not in words:
        raise SpecError(f"{key} must be a word or an index from 0 to {len(words) - 1}: {chosen!r}", key=key)
    return words.index(chosen)


def sentences_of(spec: Mapping[str, Any]) -> list[Sequence[str]]:
    given = spec["sentences"]
    if not isinstance(given, list) or len(given) != 2:
        raise SpecError("sentences are two: [SENTENCE, SWAPPED]", key="sentences")
    first, second = (words_of({"sentences": sentence}, "sentences") for sentence in given)
    pairs = [(a, b) for a, b in zip(first, second, strict=False) if a != b]
    if len(first) != len(second) or len(pairs) != 2 or pairs[0] != pairs[1][::-1]:
        raise SpecError("the second sentence must be the first with two words swapped", key="sentences")
    return [first, second]


def features_of(spec: Mapping[str, Any], sizes: Mapping[str, int]) -> Mapping[str, Sequence[str]]:
    """Return the names of features, as many of each kind as there are columns."""
    features = spec["features"]
    if not isinstance(features, dict) or features.keys() != sizes.keys():
        raise SpecError(f"features is a mapping: {{{', '.join(f'{name}: [...]' for name in sizes)}}}", key="features")
    for name, size in sizes.items():
        if not isinstance(features[name], list) or len(features[name]) != size:
            raise SpecError(f"features: {name} needs {size} names: {features[name]!r}", key="features")
    return features


def names_of(words: Sequence[str]) -> list[str]:
    """Return the words, those that are there more than once with their rank: 'the (1st)'."""
    return [word + rank_of(words, position) for position, word in enumerate(words)]


def ranked(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return each word with its rank, nothing for a word that is there once."""
    return [(word, rank_of(words, position)) for position, word in enumerate(words)]


def rank_of(words: Sequence[str], position: int) -> str:
    """Say which of several equal words this is; nothing for a word that is there once.

    >>> [rank_of(["the", "the", "cat", "the", "the"], position) for position in range(5)]
    [' (1st)', ' (2nd)', '', ' (3rd)', ' (4th)']
    """
    if words.count(words[position]) == 1:
        return ""
    rank = Counter(words[: position + 1])[words[position]]
    return f" ({rank}{('st', 'nd', 'rd')[rank - 1] if rank < 4 else 'th'})"
