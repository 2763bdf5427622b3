"""The translator: each library's recorded numbers against this package.

Both compute what the snippets themselves say, so nothing is compared with a number that somebody typed.
"""

import json
import warnings
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest

from attention import scaled_dot_product_attention
from examples import record_translations as recording
from examples.record_translations import LIBRARIES, TASKS, TRAPS

RECORD = json.loads(recording.RECORD.read_text("utf-8"))
SNIPPETS = {(entry["task"], entry["library"]): entry for entry in RECORD["snippets"]}
TOLD = {library["name"]: library for library in RECORD["libraries"]}
READ = {name: recording.read(name) for name in LIBRARIES}
RAN = {place: entry for place, entry in SNIPPETS.items() if "out" in entry}
FLOAT32 = 1e-6  # absolute; the outputs are at most 1.25


def run(code):
    """Run a snippet here; return the names that it defines, and what it prints."""
    names, printed = {}, StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(code, names)
    return names, printed.getvalue().strip()


def in_order(out, library):
    """Bring an output into the layout (batch, heads, n, d)."""
    out = np.asarray(out.detach() if hasattr(out, "detach") else out)
    match TOLD[library]["layout"]:
        case "batch, heads, n, d":
            return out
        case "batch, n, heads, d":
            return np.einsum("bnhd->bhnd", out)
        case "batch, n, heads * d":
            return np.stack(np.split(out, 4, axis=-1), axis=1)
        case layout:
            raise ValueError(layout)


OURS = {task: run(SNIPPETS[task, "attention"]["code"])[0] for task in TASKS}


def ids(places):
    return [f"{task}, {library}" for task, library in places]


def every(places):
    places = sorted(places)
    return pytest.mark.parametrize(("task", "library"), places, ids=ids(places))


@every(RAN)
def test_this_package_gives_what_the_library_gave(task, library):
    entry = RAN[task, library]
    recorded = in_order(np.reshape(entry["out"], entry["shape"]), library)
    ours = OURS[task]["out"]
    assert recorded.shape == ours.shape == (2, 4, ours.shape[2], 4)
    np.testing.assert_allclose(recorded, ours, rtol=0, atol=1e-14 if library == "attention" else FLOAT32)


def test_the_record_holds_the_sources_to_the_letter():
    for name, library in READ.items():
        assert [snippet.task for snippet in library.snippets] == list(TASKS), name
        for snippet in library.snippets:
            entry = SNIPPETS[snippet.task, name]
            assert {key: entry[key] for key in snippet._fields} == snippet._asdict()
        told = {key: text for key, text in library._asdict().items() if key not in ("snippets", "version")}
        assert told == {key: TOLD[name][key] for key in told}
        assert TOLD[name]["version"].split()[0] == library.version.split()[0]
    assert list(SNIPPETS) == [(task, name) for task in TASKS for name in LIBRARIES]
    assert [recording.Trap(*(trap[key] for key in recording.Trap._fields)) for trap in RECORD["traps"]] == list(TRAPS)


@pytest.mark.parametrize("trap", RECORD["traps"], ids=lambda trap: f"{trap['task']}, {trap['library']}")
def test_a_mistake_gave_what_the_page_says(trap):
    assert trap["right"] in SNIPPETS[trap["task"], trap["library"]]["code"]
    if not trap["same"]:
        assert trap["raises"] in ("ValueError", "RuntimeError", "Fail")
        return
    names = OURS[trap["task"]] | {"scaled_dot_product_attention": scaled_dot_product_attention, "np": np}
    wrong = in_order(np.reshape(trap["out"], trap["shape"]), trap["library"])
    np.testing.assert_allclose(wrong, eval(trap["same"], names), rtol=0, atol=FLOAT32)
    assert np.abs(wrong - names["out"]).max() > 0.01
