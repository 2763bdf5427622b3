"""What all recorders share: how inputs are drawn, a table of runs, and the file that holds what they gave.

Inputs are multiples of 1/32, so that they are short and exact in the record. Nothing here uses the package.
"""

import importlib.metadata
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

FOLDER = Path(__file__).parents[2] / "tests/package/parity"
Run = Callable[[], tuple[dict[str, Any], Any]]  # which returns the inputs and the output


class Recorder(NamedTuple):
    """A table of cases, each a name, or a call and a name, with what runs it in one of the libraries."""

    stem: str
    libraries: tuple[str, ...]
    cases: Mapping[Any, Run]

    @property
    def file(self) -> Path:
        """Where the record is kept, beside the tests that read it."""
        return FOLDER / f"{self.stem}.json"

    def record(self) -> str:
        """Run every case; return what the file holds: a line for each, arrays as nested lists."""
        versions = {name: importlib.metadata.version(name) for name in self.libraries}
        lines = []
        for name, run in self.cases.items():
            call, case = name if isinstance(name, tuple) else (None, name)
            inputs, output = run()
            entry = ({"call": call} if call else {}) | {"case": case, "inputs": inputs, "output": output}
            lines.append(json.dumps(entry, default=lambda array: array.tolist(), separators=(",", ":")))
        return f'{{"versions": {json.dumps(versions)},\n"cases": [\n' + ",\n".join(lines) + "\n]}\n"


def draw(rng: np.random.Generator, *shape: int) -> Any:
    """Draw multiples of 1/32."""
    return rng.integers(-48, 49, shape) / 32


def fill(module: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Draw all parameters of a torch module; return them by name."""
    import torch

    for parameter in module.parameters():
        parameter.data = torch.tensor(draw(rng, *parameter.shape))
    return {name: parameter.detach().numpy() for name, parameter in module.named_parameters()}


def causal(n: int) -> Any:
    """Return what torch's layers add to the scores of a causal text, with axes for batch and heads."""
    import torch

    return torch.full((n, n), -torch.inf, dtype=torch.float64).triu(1)[None, None]


@contextmanager
def in_double() -> Iterator[None]:
    """Let torch's float32 mean float64, in which results can be compared to 1e-12.

    Norms, angles, slopes and softmax of Hugging Face's models are float32 inside, whatever the model's dtype.
    """
    import torch

    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with (
            patch.object(torch, "float32", torch.float64),
            patch.object(torch, "float", torch.float64),
            patch.object(torch.Tensor, "float", torch.Tensor.double),
        ):
            yield
    finally:
        torch.set_default_dtype(default)
