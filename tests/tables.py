"""Files beside a test: what it reads from them, and the rows that it is run with."""

import inspect
import json
import tomllib
from pathlib import Path

import pytest

READ = {".toml": tomllib.loads, ".json": json.loads}


def beside(test, name):
    """Return what stands in the file of this name beside a test: the data of TOML and JSON, or else the text."""
    file = Path(test).with_name(name)
    return READ.get(file.suffix, str)(file.read_text("utf-8"))


def each_row(names, file, table=None):
    """Run a test with every row of a TOML file beside it, or of one table in it, each under its label if it has one.

    The names are those of what stands in a row; where that is one text, the label may be the argument before it.
    """

    def with_rows(test):
        found = beside(inspect.getfile(test), file)
        rows = found if table is None else found[table]
        if not isinstance(rows, dict):
            return pytest.mark.parametrize(names, rows)(test)
        is_said = "," in names and all(isinstance(row, str) for row in rows.values())
        return pytest.mark.parametrize(names, rows.items() if is_said else rows.values(), ids=rows)(test)

    return with_rows
