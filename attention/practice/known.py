"""Mistakes that a mutant has and a learner or a kernel too: one list for all.

Each sentence says what the code does, of a learner's code or of a mutant's.
"""

_SAYS = {
    "softmax-axis": "weights sum to one over the queries, not over the keys.",
    "maximum-kept": "softmax does not subtract the largest score.",
    "mask-inverted": "mask is upside down: True hides a key.",
    "mask-after-softmax": "weights of hidden keys are set to 0 after the "
    "softmax, not before it.",
    "causal-strict": "causal mask hides each word from itself.",
    "scale-missing": "scores are not divided by the root of d_k.",
    "scale-without-root": "scores are divided by d_k, not by its root.",
    "scale-by-d-model": "scores are divided by the root of d_model, whatever "
    "d_k is.",
    "causal-top-left": "offset is ignored: the first query is always at the "
    "first key, even after a cache.",
    "mask-minus-billion": "mask takes a billion off a hidden score, where it "
    "should be minus infinity.",
    "window-off-by-one": "window reaches one key further to the left than it "
    "says.",
    "tile-for-repeat": "query heads take the shared heads of keys and values "
    "in turn: 1, 2, 1, 2 for 1, 1, 2, 2.",
    "split-by-reshape": "heads are cut by a reshape that does not exchange "
    "axes.",
    "merge-by-reshape": "heads are merged by a reshape that does not exchange "
    "axes.",
}
NAMES = [*_SAYS]


def yours(name: str) -> str:
    """Say it to a learner."""
    return f"Your {_SAYS[name]}"


def mutants(name: str) -> str:
    """Say it of a mutant."""
    return f"The {_SAYS[name]}"
