"""What the little model can do: questions that it never met, with all switches on and with each of them off."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from random import Random

import numpy as np

from attention.little_model.language import ANIMALS, ID, MANY, TASKS, WORDS, Item, item, text
from attention.little_model.model import N_HEADS, N_LAYERS, Switches, Weights, logits

N_ITEMS = 400  # for each task


def questions(n: int = N_ITEMS, seed: int = 1000) -> dict[str, list[Item]]:
    """Write n questions for each task."""
    return {task: [item(task, Random(seed + i)) for i in range(n)] for task in TASKS}


def last_scores(texts: Sequence[Sequence[str]], w: Weights, switches: Switches | None = None) -> np.ndarray:
    """Score the word after each text, all texts of one size at a time."""
    by_size = defaultdict(list)
    for place, words in enumerate(texts):
        by_size[len(words)].append(place)
    scores = np.zeros((len(texts), len(WORDS)))
    for places in by_size.values():
        ids = [[ID[word] for word in texts[place]] for place in places]
        scores[places] = logits(ids, w, switches)[:, -1]
    return scores


def accuracy(items: Sequence[Item], scores: np.ndarray) -> float:
    """Count how often the likeliest of the words that could stand there is right."""
    hits = 0
    for each, row in zip(items, scores, strict=True):
        best = max(each.among, key=lambda word: row[ID[word]])
        hits += best in each.right
    return hits / len(items)


def accuracies(asked: dict[str, list[Item]], w: Weights, switches: Switches | None = None) -> dict[str, float]:
    """Measure every task."""
    return {
        task: accuracy(items, last_scores([each.text for each in items], w, switches)) for task, items in asked.items()
    }


def one_head_off(i: int, head: int) -> Switches:
    """Switch off one head of layer i."""
    heads = np.ones((N_LAYERS, N_HEADS))
    heads[i, head] = 0
    return Switches(heads=heads)


def settings() -> dict[str, Switches]:
    """Name what is switched off."""
    named = {
        "everything on": Switches(),
        "attention off": Switches(heads=np.zeros((N_LAYERS, N_HEADS))),
        "mask off": Switches(mask=False),
        "positions off": Switches(positions=False),
        "MLP off": Switches(mlp=False),
        "norms off": Switches(norms=False),
        "residual off": Switches(residual=False),
    }
    heads = {f"head {i}.{head} off": one_head_off(i, head) for i in range(N_LAYERS) for head in range(N_HEADS)}
    return named | heads


def nearest(each: Item) -> dict[str, float]:
    """Guess what was said last: the last of the possible words, or the verb that fits the last noun."""
    for word in reversed(each.text):
        if word in each.among:
            return {word: 1}
        if "runs" in each.among and word in [*ANIMALS, *MANY]:
            return {"run" if word in MANY else "runs": 1}
    return {}


def baselines(asked: dict[str, list[Item]], n_texts: int = 5000) -> dict[str, dict[str, float]]:
    """Measure what gets along without attention: how often words occur, what follows a word, what stands nearest."""
    rng = Random(2000)
    alone, after = Counter[str](), defaultdict[str, Counter[str]](Counter)
    for _ in range(n_texts):
        words = [WORDS[number] for number in text(rng)]
        alone.update(words)
        for word, following in pairwise(words):
            after[word][following] += 1
    guesses: dict[str, Callable[[Item], Mapping[str, float]]] = {
        "frequencies alone": lambda each: alone,
        "previous word alone": lambda each: after[each.text[-1]],
        "nearest": nearest,
    }
    return {
        name: {
            task: accuracy(items, np.array([[guess(each).get(word, 0) for word in WORDS] for each in items]))
            for task, items in asked.items()
        }
        for name, guess in guesses.items()
    }
