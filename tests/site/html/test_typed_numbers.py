"""Numbers that a reader types: read as fractions.Fraction reads them, or refused in words."""

import re
from fractions import Fraction

import numpy as np

from docs_ext.html import renderer
from tests.tables import beside

TYPED = beside(__file__, "typed_numbers.toml")
READ = {(typed, size): means for size, of in ((1, "numbers"), (2, "vectors")) for typed, means in TYPED[of].items()}
REFUSED = {(typed, int(size)): says for size, table in TYPED["refused"].items() for typed, says in table.items()}


def read(cases):
    """Let the site's script read texts, each with how many numbers are asked for."""
    return [renderer.call("lib/numbers.js", "readNumbers", *case) for case in cases]


def test_what_is_typed_means_what_python_reads():
    for (typed, size), numbers in zip(READ, read(READ), strict=True):
        assert isinstance(numbers, list), f"{typed!r}: {numbers}"
        assert len(numbers) == size
        expected = [float(Fraction(part)) for part in READ[typed, size].split()]
        np.testing.assert_allclose(numbers, expected, rtol=1e-15, err_msg=typed)


def test_what_cannot_be_read_is_refused_in_words():
    for (typed, size), said in zip(REFUSED, read(REFUSED), strict=True):
        assert isinstance(said, str), f"{typed!r} was read as {said}"
        assert re.match(f".*{REFUSED[typed, size]}", said), f"{typed!r}: {said}"
        assert said.endswith(".")
