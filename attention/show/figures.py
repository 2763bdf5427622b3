"""Figures of attention weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from attention._inputs import integer, refuse
from attention.show.given import (
    LARGEST,
    Floats,
    Given,
    all_heads,
    one_head,
    one_text,
    row_of,
)
from attention.show.notes import notes_of
from attention.show.page import Figure
from attention.show.still import NO, Codes

TALLEST = 1200  # pixels of a frame; what is higher scrolls in it


def grid(
    weights: Any,
    tokens: Any,
    *,
    query: str | int | None = None,
    mask: Any = None,
    words: Any = None,
    controls: Any = None,
    title: str = "Attention weights",
) -> Figure:
    r"""Show one head as a table: who listens to whom, and how much.

    $$w_{ij} \ge 0, \qquad \sum_j w_{ij} = 1$$

    Rows ask and columns answer. What does not look like this is said below
    the table: rows with another sum, cells that a mask has made zero, what an
    even spread would be, and a token that takes much from all the others.

    Parameters
    ----------
    weights : array_like, shape (n_q, n_k)
        Of NumPy, PyTorch (on any device, with a gradient or without), JAX, or
        nested lists; at most 64 each way. Axes of one before these two are
        left out.
    tokens : sequence of str, or a pair of them
        One per row and column, or (query tokens, key tokens). Pieces of a
        tokenizer (Ġ, ▁, ##, bytes) are shown as people read them.
    query : str or int, optional
        The row chosen at first: a token, or its position; else the last.
    mask : array_like of bool, optional
        True where a row may attend; broadcasts to the weights. Without it,
        zeros count as masked only if they are exactly those of a causal mask,
        of padding at an end, or of both.
    words : sequence, or a pair of them, optional
        One entry per token, such as `encoding.word_ids()`: neighbours with
        one entry are shown as one word, and None stands alone; an entry that
        is a string names its word. Columns are added and rows averaged, so a
        row has the sum that its rows had on average: 1 stays 1.
    controls : tuple (weights, tokens), optional
        A second text, whose weights are shown beside the first.
    title : str, optional
        Stands above the figure.

    Returns
    -------
    figure : Figure
        Shows itself in a notebook; `figure.save("grid.html")` writes a file.

    Raises
    ------
    ValueError
        If weights are no weights (below 0, above 1, nan), are too many or of
        more than one text, or if tokens, mask or words do not fit them.
    TypeError
        If weights are no numbers, or tokens no strings.

    References
    ----------
    A weight is [no measure of importance](../learn/explanation.md).

    Examples
    --------
    >>> from attention.show import grid
    >>> grid([[1, 0], [0.25, 0.75]], ["cats", "ran"])
    <Figure 'Attention weights': .save('figure.html') writes a file>
    >>> grid([[2, -1]], (["ran"], ["cats", "dogs"]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: weights must be from 0 to 1, but go from -1 to 2: they look ...
    """
    array = one_head("weights", weights)
    return _drawn(
        "grid", ["grid"], array, tokens, mask, words, controls, query, title
    )


def arcs(
    weights: Any,
    tokens: Any,
    *,
    query: str | int | None = None,
    mask: Any = None,
    words: Any = None,
    controls: Any = None,
    title: str = "Who listens to whom",
) -> Figure:
    r"""Show one row of one head as arcs, each as thick as its weight.

    A reader may choose other rows, and unfold all weights as a table.

    Parameters
    ----------
    weights : array_like, shape (n, n)
        As of `grid`.
    tokens : sequence of str
        One per row and column.
    query : str or int, optional
        The token whose arcs are shown at first; else the last.
    mask, words, controls, title : optional
        As of `grid`.

    Returns
    -------
    figure : Figure
        Shows itself in a notebook; `figure.save("arcs.html")` writes a file.

    Raises
    ------
    ValueError
        As `grid`, and if queries and keys are not the same tokens, or query
        is none of them.
    TypeError
        If weights are no numbers, or tokens no strings.

    Examples
    --------
    >>> from attention.show import arcs
    >>> arcs([[1, 0], [0.25, 0.75]], "cats ran", query="ran")
    <Figure 'Who listens to whom': .save('figure.html') writes a file>
    >>> arcs([[1]], ["ran"], query="dogs")
    Traceback (most recent call last):
    ...
    ValueError: query must be a token or its position: 'dogs' is none of ran
    """
    array = one_head("weights", weights)
    return _drawn(
        "arcs", ["stage"], array, tokens, mask, words, controls, query, title
    )


def heads(
    attentions: Any,
    tokens: Any,
    *,
    layers: Sequence[int] | None = None,
    layer: int | None = None,
    head: int | None = None,
    query: str | int | None = None,
    mask: Any = None,
    words: Any = None,
    controls: Any = None,
    title: str = "All heads",
) -> Figure:
    r"""Show every head as a small picture, and the chosen one in full.

    The pictures stand in one table, a row for each layer, from the first to
    the last. Opened at first is the head whose rows differ most, since it
    shows most; `layer` and `head` open another.

    Parameters
    ----------
    attentions : array_like, shape (layers, heads, n_q, n_k), or a list
        Or a list or tuple of layers, each (heads, n_q, n_k) or (1, heads,
        n_q, n_k), as Transformers returns them. At most 64 tokens each way,
        and as many weights as 12 layers of 12 heads have of these.
    tokens : sequence of str, or a pair of them
        As of `grid`.
    layers : sequence of int, optional
        Which layers to show; they keep their numbers.
    layer, head : int, optional
        Which head is open at first; layers count as in the model.
    query, mask, words, title : optional
        As of `grid`.
    controls : tuple (attentions, tokens), optional
        A second text, of which the same head is shown beside the first.

    Returns
    -------
    figure : Figure
        Shows itself in a notebook; `figure.save("heads.html")` writes a file.

    Raises
    ------
    ValueError
        As `grid`, and if there are more weights than a file should hold; the
        message says the call that takes some of them.
    TypeError
        If weights are no numbers, or tokens no strings.

    Examples
    --------
    Two layers of three heads, in which every token listens to all alike:

    >>> import numpy as np
    >>> from attention.show import heads
    >>> heads(np.full((2, 3, 4, 4), 1 / 4), "cats who chased dogs")
    <Figure 'All heads': .save('figure.html') writes a file>
    >>> many = np.full((2, 3, 80, 80), 1 / 80)
    >>> heads(many, ["a"] * 80)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: a figure shows at most 64 tokens: heads(attentions[:, ...
    """
    array = all_heads("attentions", attentions, layers)
    numbers = [*range(len(array))] if layers is None else [*map(int, layers)]
    return _drawn(
        "heads", ["map", "stage", "grid"], array, tokens, mask, words,
        controls, query, title, numbers, (layer, head),
    )  # fmt: skip


def _drawn(
    call: str,
    parts: list[str],
    array: Floats,
    tokens: Any,
    mask: Any,
    words: Any,
    controls: Any,
    query: Any,
    title: str,
    numbers: Sequence[int] = (0,),
    place: tuple[int | None, int | None] = (0, 0),
) -> Figure:
    if not isinstance(title, str):
        raise TypeError(f"title must be a string: {title!r}")
    weights = "attentions" if call == "heads" else "weights"
    names = {"call": call, "weights": weights, "tokens": "tokens"}
    texts = [one_text(array, tokens, mask, words, names)]
    if controls is not None:
        texts.append(_control(controls, array.shape, names, numbers))
    if (total := sum(text.weights.size for text in texts)) > LARGEST:
        rule = f"a file holds at most {LARGEST} weights; give fewer layers="
        refuse(rule, weights_of_both_texts=total)
    if not all(text.is_square for text in texts):
        if call == "arcs":
            rule = "arcs needs the same tokens as queries and keys; grid shows"
            refuse(f"{rule} others", weights=texts[0].weights[0, 0])
        parts = [part for part in parts if part != "stage"]
    layer, head = _first(texts[0], numbers, *place)
    rows = [len(text.queries) - 1 for text in texts]
    rows[0] = row_of(texts[0], query, len(texts[0].queries), rows[0])
    data = {
        "id": call,
        "title": title,
        "parts": parts,
        "layers": [*numbers],
        "first": {
            "layer": layer,
            "head": head,
            "row0": rows[0],
            "row1": rows[-1],
        },
        "texts": [_text(text) for text in texts],
    }
    return Figure(
        data, _height(parts, max(texts, key=lambda text: len(text.queries)))
    )


def _control(
    controls: Any, shape: tuple[int, ...], names: Any, numbers: Sequence[int]
) -> Given:
    """Return the second text."""
    if not isinstance(controls, list | tuple) or len(controls) != 2:
        raise TypeError("controls must be a pair (weights, tokens)")
    name, called = "controls[0]", names["weights"]
    if called == "weights":
        array = one_head(name, controls[0])
    else:
        array = all_heads(name, controls[0], None)
        if len(array) > max(numbers):
            array = array[list(numbers)]
    if array.shape[:2] != shape[:2]:
        rule = f"controls must have the layers and heads of {called}"
        refuse(rule, **{called: shape, name: array})
    names = names | {"weights": name, "tokens": "controls[1]"}
    return one_text(array, controls[1], None, None, names)


def _first(
    text: Given, numbers: Sequence[int], layer: int | None, head: int | None
) -> tuple[int, int]:
    """Return the head that is open at first, by its place."""
    mean = text.weights.sum(-2, keepdims=True) / np.maximum(
        text.allowed.sum(-2, keepdims=True), 1
    )
    apart = abs(text.weights - mean) * text.allowed
    score = apart.mean(axis=(-2, -1))
    if layer is not None:
        integer("layer", layer, 0)
        if layer not in numbers:
            shown = ", ".join(map(str, numbers))
            refuse(f"layer must be one of {shown}", layer=layer)
        score[[i for i, n in enumerate(numbers) if n != layer]] = -1
    if head is not None:
        if integer("head", head, 0) >= score.shape[1]:
            refuse(f"head must be below {score.shape[1]}", head=head)
        score[:, [j for j in range(score.shape[1]) if j != head]] = -1
    best = np.unravel_index(score.argmax(), score.shape)
    return int(best[0]), int(best[1])


def _text(text: Given) -> dict[str, Any]:
    codes: Codes = np.rint(1000 * text.weights).astype(np.int64)
    return {
        "queries": [token._asdict() for token in text.queries],
        "keys": [token._asdict() for token in text.keys],
        "notes": notes_of(text),
        "codes": np.where(text.allowed, codes, NO),
    }


def _height(parts: list[str], text: Given) -> int:
    """Return about how high the figure is, so that a frame need not jump."""
    n_layers, n_heads, n_q, _ = text.weights.shape
    high, row = 240, 32 if "stage" in parts else 50  # with buttons
    if "map" in parts:
        high += 60 + n_layers * (2 + min(80, 638 // n_heads))
    if "stage" in parts:
        high += 250
    if "grid" in parts:
        high += 75 + row * n_q
    return min(high + 54, TALLEST)  # with the longest of usual notes
