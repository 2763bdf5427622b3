"""Run the blocks of docs/how-to/see-the-heads.md with small random models, and compare the figures with the arrays.

    python -m examples.see_heads        # says how far the numbers of each saved figure are from its array

It needs torch, transformers, jax and flax, on a CPU. A figure carries weights in thousandths, so each may be
off by half of one, 0.0005.
"""

import json
import re
import zlib
from base64 import b64decode
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import flax.linen
import jax
import jax.numpy as jnp
import numpy as np
import torch
import transformers
from flax import nnx

from attention import show

PAGE = Path(__file__).parents[1] / "docs/how-to/see-the-heads.md"
TOKENS = ["[CLS]", "the", "cat", "sat", "down", "[SEP]"]


class Tokenizer:
    """A stand-in for the tokenizer of a model, which a hub would hold."""

    def __call__(self, _text: str, **_options: Any) -> Any:
        """Cut any text into the same tokens."""
        return Inputs(input_ids=torch.arange(len(TOKENS))[None])

    def convert_ids_to_tokens(self, ids: Any) -> list[str]:
        """Return tokens."""
        return [TOKENS[i] for i in ids]


class Inputs(dict[str, Any]):
    """What it returns."""

    def __getattr__(self, name: str) -> Any:
        return self[name]

    def word_ids(self) -> list[int | None]:
        """Return the word of each token."""
        return [None, 0, 1, 2, 2, None]


def model(_name: str, attn_implementation: str) -> Any:
    """Return a random encoder in place of a trained one."""
    sizes = {"hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 64}
    config = transformers.BertConfig(vocab_size=50, **sizes)
    return transformers.BertModel._from_config(config, attn_implementation=attn_implementation).eval()


def numbers(figure: show.Figure) -> np.ndarray:
    """Read the weights of a figure's first text from its page, as its script does."""
    data = json.loads(unescape(re.search(r'data-given="([^"]*)"', figure.html)[1]))  # type: ignore[index]
    low, high = np.frombuffer(zlib.decompress(b64decode(data["codes"])), np.uint8).reshape(2, -1).astype(int)
    codes, text = low + 256 * high, data["texts"][0]
    shape = len(data["layers"]), -1, len(text["queries"]), len(text["keys"])
    return np.where(codes > 1000, 0, codes).reshape(shape) / 1000


def blocks() -> dict[str, str]:
    """Return the page's blocks of Python that no doctest runs, by the word in bold above each."""
    found, name = dict[str, str](), ""
    for bold, code in re.findall(r"^\*\*([^*]+)\.\*\*|^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.S | re.M):
        name = bold or name
        if code:
            found[f"{name} {sum(key.startswith(name) for key in found) + 1}"] = code
    return found


def main() -> None:
    """Run all, and say how far each is off."""
    from_hub = SimpleNamespace(from_pretrained=model), SimpleNamespace(from_pretrained=lambda _name: Tokenizer())
    transformers.AutoModel, transformers.AutoTokenizer = from_hub
    drawn: list[tuple[show.Figure, Any]] = []

    def heads(weights: Any, tokens: Any, **options: Any) -> show.Figure:
        drawn.append((show.heads(weights, tokens, **options), weights))
        return drawn[-1][0]

    linen = flax.linen.MultiHeadDotProductAttention(num_heads=3, deterministic=True)
    x = jax.random.normal(jax.random.key(0), (1, len(TOKENS), 12))
    torch.manual_seed(0)
    of_torch = {"layer": torch.nn.MultiheadAttention(12, 3, batch_first=True), "x": torch.tensor(np.array(x))}
    of_flax = {"layer": linen, "variables": linen.init(jax.random.key(1), x), "x": x, "jax": jax, "jnp": jnp}
    of_flax |= dict(zip("qk", jax.random.normal(jax.random.key(2), (2, 1, len(TOKENS), 3, 4)), strict=True))
    space: dict[str, Any] = {"name": "", "tokens": TOKENS}
    for name, code in blocks().items():
        space |= {"PyTorch": of_torch, "Flax": of_flax}.get(name.split()[0], {})
        exec(code.replace("from attention.show import heads\n", ""), space | {"heads": heads}, space)
        figure, weights = drawn[-1]
        layers = weights if isinstance(weights, tuple | list) else [weights]
        arrays = [np.asarray(a.detach() if hasattr(a, "detach") else a)[0] for a in layers]
        found, given = numbers(figure), np.stack(arrays)
        if found.shape != given.shape:  # words
            print(f"{name}: {given.shape} as {found.shape}, rows sum to {found.sum(-1).min():.3f} or more")
        else:
            print(f"{name}: {found.shape}, off by {abs(found - given).max():.6f} at most")
    layer = nnx.MultiHeadAttention(num_heads=3, in_features=12, decode=False, rngs=nnx.Rngs(0))
    layer(x, sow_weights=True)
    found, given = numbers(show.heads(layer.attention_weights[-1], TOKENS)), np.asarray(layer.attention_weights[-1])
    print(f"NNX: {found.shape}, off by {abs(found - given).max():.6f} at most")


if __name__ == "__main__":
    main()
