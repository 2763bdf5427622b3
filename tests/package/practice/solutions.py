"""The twelve steps as learners write them: the bodies of their functions, by name."""

import re
import textwrap

from attention.practice.sheet import written
from tests.tables import beside

WAYS = beside(__file__, "solutions.toml")
BODIES, LOOPS = WAYS["arrays"], WAYS["loops"]


def filled(bodies, seed=0):
    """Write the file of empty functions with these bodies in it."""
    text = written("mine.py", seed)
    for name, body in bodies.items():
        body = textwrap.indent(textwrap.dedent(body).strip(), "    ")
        text, n = re.subn(
            rf'(def {name}\(.*?\n    """.*?"""\n)    \.\.\.', lambda found, b=body: found[1] + b, text, count=1,
            flags=re.DOTALL,
        )  # fmt: skip
        assert n == 1, name
    return text
