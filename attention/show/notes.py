"""What a reader must know before the colours mean anything."""

from collections.abc import Iterator

import numpy as np

from attention.show.given import Bools, Floats, Given

SAID = 8  # rows whose sums are named one by one
KINDS = {
    "given": "Hatched cells are masked, as mask= says.",
    "causal": "Hatched cells are exactly 0, as a causal mask leaves them. No "
    "mask was given: this is read from the zeros.",
    "padding": "Hatched columns are exactly 0, as a mask for padding leaves "
    "them. No mask was given: this is read from the zeros.",
    "causal and padding": "Hatched cells are exactly 0, as a causal mask and "
    "one for padding leave them. No mask was given: this is read from the "
    "zeros.",
}


def notes_of(text: Given) -> list[list[list[str]]]:
    """Return the notes of each head."""
    return [
        [
            [*_notes(text, one, allowed)]
            for one, allowed in zip(heads, masks, strict=True)
        ]
        for heads, masks in zip(text.weights, text.allowed, strict=True)
    ]


def _notes(text: Given, weights: Floats, allowed: Bools) -> Iterator[str]:
    sums, open_ = weights.sum(axis=-1), allowed.sum(axis=-1)
    empty = (open_ == 0) & (sums == 0)
    exact = np.array_equal(weights, weights.astype(np.float16)) or (
        not (weights.astype(np.float32).view(np.uint32) & 0xFFFF).any()
    )  # float16 or bfloat16, in which a sum is rounded more
    wrong = np.flatnonzero(
        (abs(sums - 1) > (0.02 if exact else 5e-4)) & ~empty
    )
    if len(wrong):
        names = [f"{text.queries[i].name} {sums[i]:.3f}" for i in wrong[:SAID]]
        if len(wrong) > SAID:
            names.append(f"and {len(wrong) - SAID} more")
        low = bool((sums[wrong] < 1).all())
        why = "a sink or columns that are not shown take the rest, " * low
        if (sums[wrong] == 0).any():
            why = f"a row of zeros may read nothing, {why}"
        if text.is_square and (abs(weights.sum(axis=0) - 1) < 5e-4).all():
            why = "rows and columns were swapped (columns do sum to 1), "
        yield (
            f"{_rows(len(wrong), len(sums))} not sum to 1: "
            f"{', '.join(names)}. It may be that {why}dropout was on "
            "(model.eval() ends it), or no softmax was applied."
        )
    if empty.any():
        names = [text.queries[i].name for i in np.flatnonzero(empty)]
        yield f"May read nothing: {', '.join(names)}."
    if not allowed.all():
        yield KINDS[text.kind]
    if zeros := int((allowed & (weights == 0)).sum()):
        many = "One cell is" if zeros == 1 else f"{zeros} cells are"
        yield (
            f"{many} exactly 0, which no mask that is known explains. It may "
            "be another mask (give it as mask=), dropout, or rounding."
        )
    yield _even(open_[open_ > 0])
    if sink := _sink(text, weights, allowed):
        yield sink


def _rows(wrong: int, n: int) -> str:
    if wrong == 1:
        return "One row does"
    return "All rows do" if wrong == n else f"{wrong} of {n} rows do"


def _even(counts: np.ndarray) -> str:
    said = [
        f"1/{n} = {1 / n:.3f}" if n > 1 else "1" for n in np.unique(counts)
    ]
    if len(said) == 1:
        return f"An even spread would give each token {said[0]}."
    return (
        "An even spread over what a row may read would give each token from "
        f"{said[0]} to {said[-1]}."
    )


def _sink(text: Given, weights: Floats, allowed: Bools) -> str:
    """Name the token that takes much from everybody else, if there is one."""
    others = allowed & (allowed.sum(axis=-1, keepdims=True) > 1)
    if text.is_square:
        others = others & ~np.eye(len(weights), dtype=bool)
    n = others.sum(axis=0)
    spread = 1 / np.maximum(allowed.sum(axis=-1, keepdims=True), 1)
    mean = np.where(others, weights, 0).sum(axis=0) / np.maximum(n, 1)
    even = np.where(others, spread, 0).sum(axis=0) / np.maximum(n, 1)
    above = (others & (weights > spread)).sum(axis=0) / np.maximum(n, 1)
    much = (
        (n > 1) & (mean >= even + np.clip(even, 0.15, 0.25)) & (above >= 0.75)
    )
    if not much.any():
        return ""
    key = int(np.where(much, mean, 0).argmax())
    return (
        f"{text.keys[key].name} takes much from every token: {mean[key]:.3f} "
        f"on average over the {n[key]} other rows that may read it, where an "
        f"even spread gives {even[key]:.3f}. Such a token is called an "
        "attention sink."
    ).replace("other rows", "other rows" if text.is_square else "rows")
