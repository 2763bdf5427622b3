"""The little model written once more, in torch, to check the other: python -m examples.little_model.in_torch.

It needs torch, and it uses nothing of the package or of the example but the file of the weights. What torch computes
is kept beside the tests, which compare.
"""

import base64
import json
import math
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "attention/little_model/recorded.json"
RECORD = ROOT / "tests/package/parity/little_model.json"
TEXTS = (
    "cats who chased dogs",
    "a cat who saw two dogs",
    "Ann",
    "Ann has tea . Bob has milk . Ann drinks",
    "Bob sings la do mi . a cat runs . Ann sings la do",
    "dogs chased Cleo . who fled ? Cleo . who chased ?",
    "ti ti ti two fled ? ? who Dan soup",
    "Dan has soup . Cleo has water . Ann has juice . Bob has tea . Cleo drinks water . Dan drinks soup . birds like",
)


def torch_model() -> tuple[list[str], dict[str, Any], Callable[..., Any]]:
    """Return the words, the weights as tensors that ask for gradients, and the forward pass."""
    torch = import_module("torch")  # nothing else here needs it

    kept = json.loads(MODEL.read_text("utf-8"))
    w = {}
    for name, pack in kept["weights"].items():
        whole = np.frombuffer(base64.b64decode(pack["int8"]), np.int8).reshape(len(pack["scales"]), -1)
        array = whole * np.array(pack["scales"])[:, None]
        w[name] = torch.tensor(array.reshape(pack["shape"]), requires_grad=True)
    heads, eps = kept["model"]["heads"], kept["model"]["eps"]

    def norm(x: Any, gain: Any, on: bool) -> Any:
        return torch.nn.functional.layer_norm(x, gain.shape, gain, eps=eps) if on else x

    def places(n: int, width: int) -> Any:
        turns = kept["model"]["base"] ** (-torch.arange(0, width, 2).double() / width)
        angles = torch.outer(torch.arange(n).double(), turns)
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)

    def scores(ids: Any, off: str = "") -> Any:
        """Score the words after each row, with one part of the model off."""
        norms, stays = off != "norms off", off != "residual off"
        x = w["embedding"][ids] * math.sqrt(w["embedding"].shape[1])
        x = x + places(*x.shape[-2:]) * (off != "positions off")
        for i in range(kept["model"]["layers"]):
            y = norm(x, w[f"{i}.norm_1"], norms)
            q, k, v = ((y @ w[f"{i}.w_{one}"]).unflatten(-1, (heads, -1)).transpose(-3, -2) for one in "qkv")
            z = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=off != "mask off")
            on = torch.tensor([off not in ("attention off", f"head {i}.{head} off") for head in range(heads)])
            z = (z * on[:, None, None]).transpose(-3, -2).flatten(-2) @ w[f"{i}.w_o"]
            x = x * stays + z
            y = torch.relu(norm(x, w[f"{i}.norm_2"], norms) @ w[f"{i}.w_in"]) @ w[f"{i}.w_out"]
            x = x * stays + y * (off != "MLP off")
        return norm(x, w["norm"], norms) @ w["embedding"].T

    return kept["words"], w, scores


def record() -> dict[str, Any]:
    """Run every text; run the longest with each part off too, and go back to the weights from it."""
    torch = import_module("torch")

    words, w, scores = torch_model()
    settings = [(text, "everything on") for text in TEXTS]
    settings += [(TEXTS[-1], off) for off in json.loads(MODEL.read_text("utf-8"))["accuracy"] if off != "everything on"]
    cases = []
    for text, off in settings:
        ids = torch.tensor([words.index(word) for word in text.split()])
        cases.append({"text": text, "off": off, "logits": scores(ids, off)[-1].tolist()})
    loss = torch.nn.functional.cross_entropy(scores(ids[:-1]), ids[1:])
    loss.backward()
    # a few weighted sums of each slope, where an error of any entry shows
    sums = {name: (one.grad.flatten() @ torch.cos(1.0 + torch.arange(one.numel()).double())).item()
            for name, one in w.items()}  # fmt: skip
    return {"torch": torch.__version__, "cases": cases, "loss": loss.item(), "slopes": sums}


if __name__ == "__main__":
    RECORD.write_text(json.dumps(record(), indent=1) + "\n", encoding="utf-8")
