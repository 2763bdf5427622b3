"""Tokens as people read them.

A vocabulary of pieces marks where words begin (Ġ, ▁) or go on (##), and some
spell bytes with letters that stand for them.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

from attention._inputs import refuse

LONGEST = 18  # characters of a token that are shown
JOINER, MARKED = "\u200d", "\u2010"  # of emoji; before a piece that goes on
_SPECIAL = re.compile(r"<[^<>]*>|\[[A-Z]+\d*\]")
_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_SEEN = {"\n": "↵", "\t": "⇥", "\r": "␍"}

# A byte as GPT-2's vocabulary spells it: itself if it can be seen, else the
# next letter from U+0100 on.
_PLAIN = [*range(33, 127), *range(161, 173), *range(174, 256)]
_OTHER = [byte for byte in range(256) if byte not in _PLAIN]
_BYTES = {chr(byte): byte for byte in _PLAIN}
_BYTES |= {chr(256 + i): byte for i, byte in enumerate(_OTHER)}


class Token(NamedTuple):
    """What is shown of a token, its own name, and the whole of a cut one."""

    label: str
    name: str
    whole: str


def read(tokens: Sequence[str]) -> list[str]:
    r"""Return the text of each token; one that begins a word has a space.

    Examples
    --------
    >>> read(["<s>", "▁Un", "believ", "able", "▁."])
    ['<s>', ' Un', 'believ', 'able', ' .']
    >>> read(["Ġcaf", "Ã©", "ĠðŁĺ", "Ģ", "Ċ"])
    [' caf', 'é', ' 😀 1/2', '😀 2/2', '\n']
    """
    pieces = any(t.startswith("##") or "▁" in t for t in tokens)
    given = [_bytes(token, not pieces) for token in tokens]
    whole = [_decoded(piece) if piece else None for piece in given]
    spelt = any("Ġ" in token or "Ċ" in token for token in tokens) or any(
        text and len(text) != len(token)
        for text, token in zip(whole, tokens, strict=True)
    )
    if not spelt or pieces:  # but for single bytes that a vocabulary lacks
        given = [_bytes(token, False) for token in tokens]
    texts, at = list[str](), 0
    while at < len(tokens):
        found = _joined(given, at)
        texts += found or [tokens[at].replace("▁", " ")]
        at += len(found) or 1
    if any(token.startswith("##") for token in tokens):
        return [
            text[2:] if text.startswith("##") and text != "##"
            else text if _SPECIAL.fullmatch(text) else f" {text}"
            for text in texts
        ]  # fmt: skip
    return [text.removesuffix("</w>") for text in texts]


def _bytes(token: str, spelt: bool) -> bytes | None:
    """Return the bytes that a token spells, if it spells any."""
    if byte := _BYTE.fullmatch(token):
        return bytes.fromhex(byte[1])
    if not token or not spelt or any(c not in _BYTES for c in token):
        return None
    return bytes(_BYTES[character] for character in token)


def _decoded(piece: bytes) -> str | None:
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return None


def _joined(given: Sequence[bytes | None], at: int) -> list[str]:
    """Return the texts of the tokens from `at` on that share a character."""
    piece = b""
    for end in range(at, min(at + 8, len(given))):
        if (more := given[end]) is None:
            break
        piece += more
        text = _decoded(piece)
        if text is not None:
            size = end + 1 - at
            parts = [f"{text} 1/{size}"]
            parts += [f"{text.strip()} {i}/{size}" for i in range(2, size + 1)]
            return [text] if size == 1 else parts
    first = given[at]
    return [] if first is None else [" ".join(f"0x{b:02X}" for b in first)]


def labels(tokens: Sequence[str]) -> list[str]:
    r"""Return what is shown of each token, a piece that goes on with a hyphen.

    Examples
    --------
    >>> [ascii(label) for label in labels(["[CLS]", "un", "##able", "[SEP]"])]
    ["'[CLS]'", "'un'", "'\\u2010able'", "'[SEP]'"]
    """
    texts = read(tokens)
    marks = any(text.startswith(" ") and text.strip() for text in texts)
    shown, before = list[str](), ""
    for text in texts:
        goes_on = before[-1:].isalnum() and text[:1].isalnum()
        text_alone = text.strip(" ") or text
        shown.append(f"{MARKED}{text}" if marks and goes_on else text_alone)
        before = "" if _SPECIAL.fullmatch(text) else text
    return shown


def named(labels: Sequence[str]) -> list[Token]:
    """Make labels legible: what is unseen gets a sign, what is long is cut.

    Equal ones get their rank in their names, punctuation stands in quotes
    there, and what is written from the right is isolated.
    """
    whole = [_legible(label) for label in labels]
    shown = [
        text if len(text) <= LONGEST
        else f"{text[: LONGEST - 1].rstrip(JOINER)}…"
        for text in whole
    ]  # fmt: skip
    counts, seen, result = Counter(shown), Counter[str](), list[Token]()
    for text, label in zip(whole, shown, strict=True):
        seen[label] += 1
        name = label
        if not any(c.isalnum() for c in label):
            name = f"“{label}”"  # a full stop would end the sentence
        if any(unicodedata.bidirectional(c) in ("R", "AL") for c in label):
            name = f"\u2068{label}\u2069"
        if counts[label] > 1:
            name += f" ({_rank(seen[label])})"
        result.append(Token(label, name, text if text != label else ""))
    return result


def _rank(n: int) -> str:
    teen = n // 10 % 10 == 1
    return (
        f"{n}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"
    )


def _legible(label: str) -> str:
    text = label.strip(" ") or "␣" * len(label) or "(empty)"
    return "".join(
        _SEEN.get(c) or f"U+{ord(c):04X}"
        if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")
        or (unicodedata.category(c) == "Cf" and c not in "\u200c\u200d")
        else c
        for c in text
    )


def groups(words: Sequence[Hashable], n: int) -> list[list[int]]:
    """Return the tokens of each word; neighbours with one entry are a word.

    Examples
    --------
    >>> groups([None, 0, 1, 1, None], 5)
    [[0], [1], [2, 3], [4]]
    """
    if isinstance(words, str) or len(words) != n:
        rule = "words must have one entry per token, equal for those of a word"
        given = words if isinstance(words, str) else f"{len(words)} entries"
        refuse(rule, given=given, tokens=n)
    found = list[list[int]]()
    for i, word in enumerate(words):
        if i and word is not None and word == words[i - 1]:
            found[-1].append(i)
        else:
            found.append([i])
    return found


def grouped(
    tokens: Sequence[str], words: Sequence[Hashable]
) -> tuple[list[list[int]], list[str]]:
    """Return the tokens of each word, and what is shown of it."""
    found, texts = groups(words, len(tokens)), read(tokens)

    def label(group: list[int]) -> Any:
        entry = words[group[0]]
        spelt = "".join(texts[i] for i in group)
        return entry if isinstance(entry, str) else spelt

    return found, [label(group) for group in found]
