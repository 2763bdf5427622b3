"""The explorer of sinusoidal encodings: a clock above each word, whose hands turn as the text moves on.

```pe-explorer
caption: A clock above each word
words: SENTENCE
hands: 2            # or 3, each half as fast as the one before
hand: slow          # whose height is read and whose turn is drawn: fast, slow or slowest
```

A hand is a pair of columns: its sine says how far to the right the tip is, its cosine how far up.
"""

from docs_ext.reading.keys import Data, Spec, one_of
from docs_ext.reading.words import row_of, words_of

REQUIRED = ("caption", "words", "hands", "hand")
OPTIONAL = ()
LAST = 20  # position of the first word
SIZES = (2, 3)
HANDS = ("fast", "slow", "slowest")


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    hands = one_of(spec, "hands", SIZES)
    shown = row_of(spec, "hand", HANDS[:hands])
    return {"words": words_of(spec, "words"), "hands": hands, "hand": shown, "sizes": SIZES, "last": LAST}
