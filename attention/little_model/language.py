"""A small language: 56 words, five kinds of scenes, and four tasks.

A text is a row of scenes, drawn at random. A reader can tell what comes next
in each, for a reason:

    cats who chase a dog run .
        the verb follows cats, not the nearer dog
    Ann has tea . Bob has milk . Ann drinks tea .
        what Ann drinks is what she has
    Bob sings la do mi . a cat runs . Ann sings la do mi .
        the second singer repeats the song
    Ann chased dogs . who fled ? dogs . who chased ? Ann .
        the order of the words decides
    cats who chased dogs ran .
        and plain sentences
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random
from typing import NamedTuple
from zlib import crc32

ANIMALS = ["cat", "dog", "bird", "horse", "hen"]
NAMES = ["Ann", "Bob", "Cleo", "Dan"]
DRINKS = ["tea", "milk", "juice", "water", "cocoa", "soup"]
NOTES = ["do", "di", "re", "ri", "mi", "fa",
         "fi", "so", "si", "la", "li", "ti"]  # fmt: skip
SEEING = [  # one, many, past
    ("chases", "chase", "chased"),
    ("sees", "see", "saw"),
    ("likes", "like", "liked"),
]
RUNNING = [("runs", "run", "ran"), ("sleeps", "sleep", "slept")]
MANY = [f"{animal}s" for animal in ANIMALS]

KINDS = {
    "animals": [
        word for pair in zip(ANIMALS, MANY, strict=True) for word in pair
    ],
    "names": NAMES,
    "drinks": DRINKS,
    "notes": NOTES,
    "verbs": [
        *(form for verb in [*RUNNING, *SEEING] for form in verb),
        "fled",
        "has",
        "drinks",
        "sings",
    ],
    "other words": ["a", "two", "who", ".", "?"],
}
WORDS = [word for kind in KINDS.values() for word in kind]
ID = {word: number for number, word in enumerate(WORDS)}
N_WORDS = 40  # of a text that the model learns from

# No song of the training has one of these notes straight before the other:
# they are kept for the test of copying.
UNHEARD = {(note, NOTES[(place + 5) % 12]) for place, note in enumerate(NOTES)}


class Scene(NamedTuple):
    """A few sentences, with the places where a reader knows the word."""

    words: list[str]
    told: int  # how many words tell the story; a question follows
    asked: list[int]  # places of the words that can be known
    right: list[str]  # for each of them, the words that are right there
    among: list[str]  # the words that could stand there


def animals(rng: Random) -> tuple[list[str], int]:
    """Choose animals: their words, and 0 for one of them or 1 for many."""
    which = rng.randrange(len(ANIMALS))
    article = rng.choice(["a", "", "two"])
    many = article != "a"
    noun = MANY[which] if many else ANIMALS[which]
    return [article, noun] if article else [noun], int(many)


def agreement(rng: Random) -> Scene:
    """Write a sentence whose verb depends on its subject, beyond a clause."""
    (subject, many), (other, _) = animals(rng), animals(rng)
    tense = 2 if rng.random() < 0.5 else many  # of the clause
    story = [*subject, "who", rng.choice(SEEING)[tense], *other]
    # the tense of the verb that is asked for
    late = 2 if tense == 2 and rng.random() < 0.8 else many
    verb = RUNNING[rng.random() < 0.3]
    forms = [forms[number] for number in (0, 1) for forms in RUNNING]
    right = [forms[many] for forms in RUNNING]
    return Scene(
        [*story, verb[late], "."],
        len(story),
        [len(story)],
        [" ".join(right)],
        forms,
    )


def having(rng: Random) -> Scene:
    """Say who has what, then who drinks it."""
    people = rng.sample(NAMES, rng.randint(2, 4))
    drinks = rng.sample(DRINKS, len(people))
    pairs = list(zip(people, drinks, strict=True))
    words = [
        word for name, drink in pairs for word in (name, "has", drink, ".")
    ]
    told, asked, right = len(words), [], []
    for name, drink in rng.sample(pairs, 2):
        words += [name, "drinks", drink, "."]
        asked.append(len(words) - 2)
        right.append(drink)
    return Scene(words, told, asked, right, DRINKS)


def singing(rng: Random) -> Scene:
    """Let one sing three to five notes, and another repeat them later."""
    first, second = rng.sample(NAMES, 2)
    song = rng.sample(NOTES, rng.randint(3, 5))
    between = plain(rng).words if rng.random() < 0.5 else []
    words = [first, "sings", *song, ".", *between, second, "sings"]
    asked = list(range(len(words), len(words) + len(song)))
    return Scene([*words, *song, "."], len(song) + 2, asked, song, NOTES)


def order(rng: Random) -> Scene:
    """Say who chased whom, then ask who fled and who chased."""
    crowd = [*NAMES, *MANY]
    hunter, hunted = rng.sample(crowd, 2)
    words, asked, right = [hunter, "chased", hunted, "."], [], []
    questions = [("chased", hunter), ("fled", hunted)]
    for verb, answer in rng.sample(questions, rng.randint(1, 2)):
        words += ["who", verb, "?", answer, "."]
        asked.append(len(words) - 2)
        right.append(answer)
    return Scene(words, 4, asked, right, crowd)


def plain(rng: Random) -> Scene:
    """Write a sentence in which nothing is asked."""
    subject, many = (
        ([rng.choice(NAMES)], 0) if rng.random() < 0.3 else animals(rng)
    )
    tense = 2 if rng.random() < 0.5 else many
    action = [RUNNING[rng.random() < 0.3][tense]]
    if rng.random() < 0.4:
        action = [rng.choice(SEEING)[tense], *animals(rng)[0]]
    words = [*subject, *action, "."]
    return Scene(words, len(words), [], [], [])


Maker = Callable[[Random], Scene]
TASKS: dict[str, Maker] = {
    "agreement": agreement,
    "having": having,
    "singing": singing,
    "order": order,
}
# Of a hundred scenes.
SHARES = {agreement: 25, having: 40, singing: 15, order: 12, plain: 8}


def is_held_out(scene: Scene) -> bool:
    """Tell whether a scene is kept from the training.

    One story in five is, and every song with an unheard pair.
    """
    story = scene.words[: scene.told]
    if not scene.asked:
        return False
    if scene.among == NOTES:
        return any(pair in UNHEARD for pair in pairwise(story))
    return crc32(" ".join(story).encode()) % 5 == 0


def scenes(rng: Random) -> Iterator[Scene]:
    """Go on writing scenes for the training."""
    makers, shares = list(SHARES), list(SHARES.values())
    while True:
        scene = rng.choices(makers, shares)[0](rng)
        if not is_held_out(scene):
            yield scene


def text(rng: Random) -> list[int]:
    """Write a text for the training, as the numbers of its words."""
    words: list[str] = []
    for scene in scenes(rng):
        words += scene.words
        if len(words) >= N_WORDS:
            break
    return [ID[word] for word in words[:N_WORDS]]


class Item(NamedTuple):
    """A text, and which of the words that could follow are right."""

    text: list[str]
    right: list[str]
    among: list[str]


def item(task: str, rng: Random) -> Item:
    """Write a question about a scene that the training never had.

    Up to two scenes that it may have had come before.
    """
    while True:
        scene = TASKS[task](rng)
        # a second question about one story could be answered by what is left
        place = rng.randrange(len(scene.asked)) if task == "singing" else 0
        words = scene.words[: scene.asked[place]]
        right = scene.right[place].split()
        if not is_held_out(scene) or not fair(task, words, right):
            continue
        before = scenes(rng)
        story = [
            word
            for _ in range(rng.randrange(3))
            for word in next(before).words
        ]
        if len(story) + len(words) < N_WORDS:
            return Item([*story, *words], right, scene.among)


def fair(task: str, words: list[str], right: list[str]) -> bool:
    """Refuse a question that could be answered for the wrong reason."""
    if task == "agreement":
        # the nouns must differ in number, or the nearer one would do
        one, many = (
            sum(word in nouns for word in words) for nouns in (ANIMALS, MANY)
        )
        return one == many
    if task == "singing":
        # the note asked for must follow a note that it never followed
        return (words[-1], right[0]) in UNHEARD
    return True
