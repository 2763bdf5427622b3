"""A trained model of 56 words, to look into: an example, not part of the API.

It shows what attention does inside a model that writes. It has sinusoidal
positions and two pre-LN blocks of four heads and an MLP with a ReLU, without
biases, all from the package; its weights come along in a file. `import
attention` does not load it.
"""

from attention.little_model.language import ID, KINDS, WORDS
from attention.little_model.model import LayerTrace, Switches, forward
from attention.little_model.recorded import load, next_words, read, record

__all__ = [
    "ID",
    "KINDS",
    "WORDS",
    "LayerTrace",
    "Switches",
    "forward",
    "load",
    "next_words",
    "read",
    "record",
]
