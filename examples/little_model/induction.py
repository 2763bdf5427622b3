"""Is there a head that copies what followed last time? The songs ask, with the same songs shuffled as a control.

The second singer has come to a note, and no song of the training had what follows it. A head that copies by content
looks at what followed this note in the first song. In the control the notes of the first song stand in another order:
such a head must move with them, and a head that counts places stays where it was.
"""

from collections.abc import Sequence
from itertools import permutations
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attention import attention_weights
from attention.little_model.language import ID, NOTES, Item, is_held_out, singing
from attention.little_model.model import N_HEADS, N_LAYERS, Switches, Weights, forward
from examples.little_model.measuring import last_scores, one_head_off


def song_before(words: Sequence[str]) -> tuple[int, int]:
    """Find where the song starts and stops that is repeated at the end of a text."""
    start = len(words) - 1 - words[::-1].index("sings")  # of the repetition
    before = start - 1 - words[:start][::-1].index("sings") + 1
    return before, before + [*words[before:], "."].index(".")


def followed_by(words: Sequence[str]) -> int:
    """Find the place of what followed the last word of a text in the song before."""
    start, stop = song_before(words)
    return start + words[start:stop].index(words[-1]) + 1


def shuffled(words: list[str], rng: Random) -> list[str] | None:
    """Put the notes of the first song into another order, so that three rules name three notes, none of them sung yet.

    What follows the last word now, what stands where its follower stood, and what followed it before. A short song, or
    one that is nearly over, has no such order.
    """
    start, stop = song_before(words)
    place, last = followed_by(words), words[-1]
    sung = words[len(words) - words[::-1].index("sings") :]
    orders = []
    for song in permutations(words[start:stop]):
        now, there = (*song, last)[song.index(last) + 1], song[place - start]
        if len({now, there, words[place], *sung}) == 3 + len(sung):
            orders.append(song)
    return [*words[:start], *rng.choice(orders), *words[stop:]] if orders else None


def looks(texts: Sequence[list[str]], places: Sequence[int], w: Weights, switches: Switches | None = None) -> NDArray:
    """Average the weight that the last word of each text gives to a place: (layers, heads)."""
    total = np.zeros((N_LAYERS, N_HEADS))
    for words, place in zip(texts, places, strict=True):
        traces = forward([ID[word] for word in words], w, switches)[2]
        total += [attention_weights(trace.query[:, -1:], trace.key)[:, 0, place] for trace in traces]
    return total / len(texts)


def looks_back(texts: Sequence[list[str]], w: Weights) -> NDArray:
    """Average the weight that every word but the first gives to the word before it: (layers, heads)."""
    total = np.zeros((N_LAYERS, N_HEADS))
    for words in texts:
        traces = forward([ID[word] for word in words], w)[2]
        weights = [attention_weights(trace.query, trace.key, is_causal=True) for trace in traces]
        total += np.diagonal(weights, -1, axis1=-2, axis2=-1).mean(axis=-1)
    return total / len(texts)


def answered(texts: Sequence[list[str]], notes: Sequence[str], w: Weights, switches: Switches | None = None) -> float:
    """Count how often the likeliest note is the given one."""
    scores = last_scores(texts, w, switches)[:, [ID[note] for note in NOTES]]
    return float(np.mean([NOTES[row.argmax()] == note for row, note in zip(scores, notes, strict=True)]))


def heard(n: int, rng: Random) -> tuple[list[list[str]], list[str]]:
    """Write n songs whose pairs the training had, up to a note, and what followed this note before."""
    texts: list[list[str]] = []
    while len(texts) < n:
        scene = singing(rng)
        if not is_held_out(scene):
            texts.append(scene.words[: rng.choice(scene.asked[1:])])
    return texts, [words[followed_by(words)] for words in texts]


def induction(items: Sequence[Item], w: Weights) -> dict[str, Any]:
    """Measure every head on songs and on the same songs shuffled, and with each head of the first layer off."""
    rng = Random(3000)
    both = [(each.text, shuffled(each.text, rng)) for each in items]
    texts, others = zip(*((text, other) for text, other in both if other), strict=True)
    places, moved = [followed_by(words) for words in texts], [followed_by(words) for words in others]
    notes = [words[place] for words, place in zip(texts, places, strict=True)]
    new = [words[place] for words, place in zip(others, moved, strict=True)]
    old = [words[place] for words, place in zip(others, places, strict=True)]
    return {
        "songs": len(texts),
        "looks at the word before": looks_back(texts, w),
        "looks at what followed": looks(texts, places, w),
        "shuffled: looks at what follows now": looks(others, moved, w),
        "shuffled: looks at the old place": looks(others, places, w),
        "without each head of the first layer: looks at what followed": [
            looks(texts, places, w, one_head_off(0, head))[1] for head in range(N_HEADS)
        ],
        "copies": answered(texts, notes, w),
        "copies pairs that the training had": answered(*heard(len(texts), rng), w),
        "shuffled: copies what follows now": answered(others, new, w),
        "shuffled: says what stands at the old place": answered(others, old, w),
        "shuffled: says what followed before the shuffle": answered(others, notes, w),
    }
