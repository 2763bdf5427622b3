"""X W = Q, K and V as coloured strips: one sequence, three matrices, and the products behind each number.

```matrix-strips
caption: One sequence, three matrices
tokens: SENTENCE                         # words, at most 8
x: embed(SENTENCE, EARLY)
features: [cats, dogs, asks, early]  # columns of x, rows of all three
w_q: W_Q1 / np.log(2)              # in doublings
w_k: W_K
w_v: W_V
meet: [noun, early, asks, which]   # columns of w_q and w_k
give: [cats, dogs]                   # columns of w_v
selected: cats                       # word or index; else the last
column: key early                    # role and column chosen at first
```

A query meets a key in the columns that `meet` names. A number of a result stands in its word's row, below the column
of the matrix that made it. Where the page is narrow it shows one matrix at a time.
"""

from attention import project
from docs_ext.errors import SpecError
from docs_ext.reading.expressions import array
from docs_ext.reading.keys import Data, Spec
from docs_ext.reading.words import names_of, row_of, words_of

REQUIRED = ("caption", "tokens", "x", "features", "w_q", "w_k", "w_v", "meet", "give", "column")
OPTIONAL = ("selected",)
ROLES = {"query": ("w_q", "meet"), "key": ("w_k", "meet"), "value": ("w_v", "give")}
MAX_WORDS, MAX_COLUMNS = 8, 6  # the style sheet has one rule a row and one a column


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    words, features, x = words_of(spec, "tokens"), words_of(spec, "features"), array(spec, "x")
    if len(words) > MAX_WORDS:
        raise SpecError(f"tokens must be at most {MAX_WORDS}: {len(words)}", key="tokens")
    if x.shape != (len(words), len(features)):
        raise SpecError(f"{len(words)} words with {len(features)} features but x has shape {x.shape}", key="x")
    products, places = [], []
    for role, (key, names) in ROLES.items():
        columns, matrix = words_of(spec, names), array(spec, key)
        if matrix.shape != (len(features), len(columns)) or len(columns) > MAX_COLUMNS:
            raise SpecError(
                f"{key} must have {len(features)} rows and the {len(columns)} columns of {names!r}, at most "
                f"{MAX_COLUMNS}: shape {matrix.shape}",
                key=key,
            )
        products.append({"role": role, "columns": columns, "matrix": matrix, "made": project(x, matrix)})
        places += [f"{role} {column}" for column in columns]
    if spec["column"] not in places:
        raise SpecError(f"column must be one of {', '.join(places)}: {spec['column']!r}", key="column")
    return {
        "words": names_of(words),
        "features": features,
        "x": x,
        "products": products,
        "row": row_of(spec, "selected", words),
        "column": places.index(spec["column"]),
    }
