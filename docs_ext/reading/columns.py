"""Data in a fence: an expression that the package computes."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from docs_ext.errors import SpecError
from docs_ext.reading.expressions import value


def to_records(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Evaluate `data` to records, each a mapping of the same names to plain values."""
    if not isinstance(spec["data"], str):
        raise SpecError("data is an expression, so that the package computes it", key="data")
    data = value(spec, "data")
    if isinstance(data, Mapping):
        columns = {str(name): list(column) for name, column in data.items()}
        if len({len(column) for column in columns.values()}) > 1:
            lengths = ", ".join(f"{name} {len(column)}" for name, column in columns.items())
            raise SpecError(f"the columns of data must be equally long: {lengths}", key="data")
        data = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if not isinstance(data, list | tuple) or not data or not all(isinstance(record, Mapping) for record in data):
        raise SpecError("data must be a list of records, or a mapping of columns, and not empty", key="data")
    if any(record.keys() != data[0].keys() for record in data):
        raise SpecError("all records of data must have the same names", key="data")
    return [{str(name): _plain(name, item) for name, item in record.items()} for record in data]


def _plain(name: str, item: Any) -> str | bool | int | float | None:
    plain = item.item() if isinstance(item, np.generic | np.ndarray) and np.ndim(item) == 0 else item
    if not isinstance(plain, str | bool | int | float | None):
        raise SpecError(f"data: {name!r} must hold numbers or words: {plain!r}", key="data")
    if isinstance(plain, float) and not math.isfinite(plain):
        raise SpecError(f"data: {name!r} holds {plain}; None leaves a gap", key="data")
    return plain
