"""What SciPy's softmax, log_softmax and logsumexp give along one axis, several, and all.

`python -m tests.package.parity.record_softmax` writes softmax.json. Inputs are multiples of 1/32. Nothing here uses
the package.
"""

from pathlib import Path

import numpy as np

from tests.package.parity.record import as_json, draw

RECORD = Path(__file__).parent / "softmax.json"
AXES = (-1, 0, (0, 1), (-1, 0), (2, 1), (0, 1, 2))


def record(scipy):
    x = 4 * draw(np.random.default_rng(0), 2, 3, 4)
    functions = {name: getattr(scipy.special, name) for name in ("softmax", "log_softmax", "logsumexp")}
    cases = [
        {"function": name, "axis": axis, "x": x, "output": function(x, axis=axis)}
        for name, function in functions.items()
        for axis in AXES
    ]
    return {"versions": {"scipy": scipy.__version__, "numpy": np.__version__}, "cases": cases}


if __name__ == "__main__":
    import scipy
    import scipy.special

    RECORD.write_text(as_json(record(scipy)), encoding="utf-8")
