"""The program that names a learner's mistake: it refuses no right way, accepts no wrong one, and knows each by name."""

import doctest
import inspect
import json
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from attention.practice import addresses, known, learner, processes, write
from attention.practice.__main__ import main
from attention.practice.learner import judge, outcome
from attention.practice.mistakes import MISTAKES
from attention.practice.mutants import MUTANTS
from attention.practice.notebook import check_step
from attention.practice.sheet import TASKS, calls_of, worked, written
from attention.practice.steps import NAMES, RIGHT, STEPS
from attention.show import links
from tests.package.practice.solutions import BODIES, LOOPS, WAYS, filled
from tests.tables import each_row

CALLS = {seed: {step.name: calls_of(step, seed) for step in STEPS} for seed in (0, 1, 7)}


def states(text, **options):
    Path("mine.py").write_text(text, "utf-8")
    return write.check("mine.py", **options)


RIGHT_FILES = {
    "arrays": filled(BODIES),
    "loops": filled(LOOPS),
    "unusual": filled(WAYS["unusual"]),
    "oddly": filled(BODIES | WAYS["oddly"]) + WAYS["after"]["oddly"],
    "in float32": filled(BODIES) + WAYS["after"]["single"],
}


@pytest.mark.parametrize("text", RIGHT_FILES.values(), ids=RIGHT_FILES)
def test_right_ways_pass(text):
    steps = states(text, seed=3)
    assert [one["state"] for one in steps] == ["right"] * 12, [one for one in steps if one["state"] != "right"]


@each_row("case", "judged.toml")
def test_what_is_said_of_a_body(case):
    bodies = {name: body for name, body in case.items() if name in RIGHT}
    for seed in case.get("seeds", [0]):
        step = states(filled(bodies), seed=seed)[NAMES.index(next(iter(bodies)))]
        assert step["state"] == case["state"]
    assert case.get("mistake", step["mistake"] or "") == (step["mistake"] or "")
    for told in ("says", "hint", "call"):
        assert told not in case or case[told] in step[told], step
    if case["state"] == "right":
        (note,) = step["notes"]
        assert case["notes"] in note


def test_ours_stands_in_for_a_learner_s_and_takes_what_was_accepted():
    given = {"__name__": "mine"}
    exec(compile(written("mine.py"), "mine.py", "exec"), given)
    for name, ours in RIGHT.items():
        assert list(inspect.signature(ours).parameters) == list(inspect.signature(given[name]).parameters), name
    kept = {name: LOOPS[name] for name in ("causal_mask", "generate")}  # a mask of 1 and 0
    told = {one["name"]: one for one in states(filled(kept))}
    assert told["generate"]["state"] == "right", told["generate"]
    assert "True and False" in told["causal_mask"]["notes"][0]


@pytest.mark.parametrize("seed", [0, 1, 7, 1234567])
def test_the_examples_of_the_file_are_true(seed):
    names = {"__name__": "mine"}
    exec(compile(filled(BODIES, seed), "mine.py", "exec"), names)
    tests = [test for name in BODIES for test in doctest.DocTestFinder().find(names[name], name, globs=dict(names))]
    assert [doctest.DocTestRunner(verbose=False).run(test).failed for test in tests] == [0] * len(tests)
    assert len(tests) == len(BODIES) == 13


def test_a_sheet_has_the_numbers_of_its_seed_and_keeps_it(capsys):
    given = {"a.py": (), "b.py": ("--seed", "7"), "c.py": ("--seed", "7")}
    for name, options in given.items():
        assert main(["write", name, "--start", *options]) == write.RIGHT
    sheets = [Path(name).read_text("utf-8").replace(name, "") for name in given]
    assert sheets[1] == sheets[2] != sheets[0]
    assert "\nSEED = 7 " in sheets[1]
    assert "SEED" not in sheets[0]
    for task in TASKS:
        assert textwrap.indent(worked(task.name, 7).typed, "    ") in sheets[1]
        assert len({worked(task.name, seed).typed for seed in (0, 7, 8)}) == 3
    assert max(len(line) for seed in range(40) for line in written("mine.py", seed).splitlines()) < 80
    capsys.readouterr()
    for options, seed in (((), 7), (("--seed", "3"), 3)):
        main(["write", "b.py", "--json", *options])
        assert json.loads(capsys.readouterr().out)["seed"] == seed
    assert write.seed_of("a.py") == write.seed_of("none.py") == 0


def test_a_seed_draws_the_hidden_numbers_too_and_the_worked_ones_are_checked():
    one, other = (calls_of(STEPS[0], seed) for seed in (7, 8))
    assert not any(np.array_equal(a.args[0], b.args[0]) for a, b in zip(one, other, strict=True))
    assert re.findall(r"[\d.]+", str(one[0].args[1].tolist())) == re.findall(r"\d+\.0", str(one[0].args[1].tolist()))
    worked = {call.function for step in STEPS for call in calls_of(step, 7)[: len(step.functions)]}
    assert worked == {task.name for task in TASKS} == set(RIGHT)


@pytest.mark.parametrize("mistake", MISTAKES, ids=[one.wrong.__name__ for one in MISTAKES])
def test_a_known_mistake_is_named(mistake):
    for calls in CALLS.values():
        mine = [call for step in STEPS for call in calls[step.name] if call.function == mistake.function]
        found = [outcome(Path(), mistake.wrong, call.args) for call in mine]
        right = [outcome(Path(), RIGHT[mistake.function], call.args) for call in mine]
        assert judge(mistake.function, mine, found, right)["mistake"] == mistake.name


def test_a_mistake_speaks_plainly():
    assert len({one.name for one in MISTAKES}) >= 60
    for one in MISTAKES:
        assert one.says.endswith(".")
        assert "?" in one.hint
        assert f"{one.says}{one.hint}".isascii()


def test_what_is_a_mutant_too_has_its_name_and_its_sentence():
    mutants = {mutant.name: mutant.wrong for mutant in MUTANTS}
    shared = {one.name for one in MISTAKES} & set(mutants)
    assert shared <= set(known.NAMES) <= set(mutants)  # the others are known to the oracle
    assert {one.says for one in MISTAKES if one.name in shared} == {known.yours(name) for name in shared}
    assert {name: mutants[name] for name in known.NAMES} == {name: known.mutants(name) for name in known.NAMES}


def test_a_file_on_windows_can_be_started_and_checked():
    name = r"C:\Users\new.py"  # here a name like any other
    assert main(["write", name, "--start"]) == write.RIGHT
    assert "write C:/Users/new.py\n" in Path(name).read_text("utf-8")
    assert {one["state"] for one in write.check(name)} == {"empty"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1"])
def test_a_file_of_any_name_in_another_encoding_that_changes_the_folder_is_read(encoding):
    text = f"# coding: {encoding}\nimport os\nos.chdir('/')\nname = 'Zoë'\n" + filled(BODIES)
    Path("notes.txt").write_bytes(text.encode(encoding))
    assert {one["state"] for one in write.check("notes.txt")} == {"right"}


def test_json_says_all_of_a_mixed_file(capsys):
    bodies = BODIES | {
        "softmax": "return np.exp(scores) / np.exp(scores).sum()",
        "causal_mask": "while True: pass",
        "layer_norm": "return x.nothing",
    }
    del bodies["merge_heads"], bodies["weighted_average"]
    Path("mine.py").write_text(filled(bodies), "utf-8")
    processes_before = set(processes._running)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write, "_followed", _impatient(write._followed))
        assert main(["write", "mine.py", "--json", "--seed", "4"]) == write.SOME_WRONG
    told = json.loads(capsys.readouterr().out)
    assert {key: told[key] for key in ("file", "seed", "points", "of")} == {
        "file": "mine.py", "seed": 4, "points": 7, "of": 12,
    }  # fmt: skip
    assert [one["name"] for one in told["steps"]] == NAMES
    assert all(set(one) == {"name", "state", "mistake", "says", "see"} for one in told["steps"])
    found = {one["name"]: (one["state"], one["mistake"]) for one in told["steps"]}
    assert found["weighted_average"] == ("empty", None)
    assert found["softmax"] == ("wrong", "one-budget")
    assert found["attend"] == ("right", None)  # on a softmax that is right
    assert found["causal_mask"] == ("late", None)
    assert found["split_heads"] == ("empty", None)
    assert found["layer_norm"] == ("error", None)
    assert found["generate"] == ("right", None)
    assert processes._running == processes_before


def _impatient(followed):
    """Read every patience as two seconds."""

    def read(report, lines=write._lines):
        return [told | ({"seconds": 2.0} if "began" in told else {}) for told in lines(report)]

    def follow(*args):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(write, "_lines", read)
            return followed(*args)

    return follow


@each_row("command, text, says", "commands.toml", "write")
def test_what_cannot_be_run_is_refused_in_a_line(command, text, says, capsys):
    Path("mine.py").write_text(text, "utf-8")
    assert main(["write", *command.split()]) == write.UNUSABLE
    assert says in capsys.readouterr().err.splitlines()[0]


def test_a_reader_that_closes_early_gets_no_traceback():
    command = [sys.executable, "-m", "attention.practice", "write", "--start"]
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        run = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, check=False)
    assert b"Traceback" not in run.stderr
    assert b"BrokenPipe" not in run.stderr


def test_what_is_wrong_with_no_name_comes_with_the_smallest_input(capsys):
    Path("mine.py").write_text(filled({"causal_mask": "return np.tri(n, dtype=bool) if n < 6 else np.eye(n)"}), "utf-8")
    assert main(["write", "mine.py", "--only", "5"]) == write.SOME_WRONG
    printed = capsys.readouterr().out
    assert "Smallest input: causal_mask(6)" in printed
    assert "It differs first at [1][0]: 0, where 1 is right." in printed
    assert "See learn/masks" in printed


def test_a_step_that_never_ends_leaves_nothing_behind():
    text = filled({"softmax": "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time\\n"
                              "time.sleep(61.3)'])\nwhile True: pass"})  # fmt: skip
    Path("mine.py").write_text(text, "utf-8")
    before = time.monotonic()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write, "_followed", _impatient(write._followed))
        steps = write.check("mine.py")
    assert (steps[1]["state"], steps[2]["state"]) == ("late", "empty")
    assert "does a loop end?" in steps[1]["says"]
    assert time.monotonic() - before < 60
    commands = (path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")) if Path("/proc").is_dir() else ()
    assert not [one for one in commands if b"sleep(61.3)" in one]


def test_watch_waits_while_an_editor_replaces_the_file():
    path, looks, naps = Path("mine.py"), [], []
    path.write_text(filled({}), "utf-8")

    def look(*_):
        looks.append(path.exists())
        return write.RIGHT if len(looks) == 2 else write.SOME_WRONG

    def nap(_):
        naps.append(path.unlink() if not naps else path.write_text("new", "utf-8") if len(naps) == 3 else None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write, "_look", look)
        patch.setattr(time, "sleep", nap)
        assert main(["write", "mine.py", "--watch"]) == write.RIGHT
    assert looks == [True, True]


def test_watch_looks_again_when_the_file_is_saved_and_ends_when_all_is_right(capsys):
    path = Path("mine.py")
    path.write_text(filled({}), "utf-8")
    looks = []

    def look(given, chosen, look=write._look):
        looks.append(look(given, chosen))
        path.write_text(filled(BODIES), "utf-8")
        return looks[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write, "_look", look)
        assert main(["write", "mine.py", "--watch"]) == write.RIGHT
    assert looks == [write.SOME_WRONG, write.RIGHT]


def test_a_call_has_three_seconds_or_many_times_what_ours_takes(monkeypatch):
    began = []
    monkeypatch.setattr(learner, "RIGHT", RIGHT | {"causal_mask": lambda n: time.sleep(0.02 * (n == 6)) or np.tri(n)})
    module = type("Module", (), {"causal_mask": staticmethod(np.tri)})
    learner.checked(Path(), module, STEPS[4], calls_of(STEPS[4], 0), set(), lambda *told: began.append(told))
    assert [call for _, *call in began] == [[0], [1], [2], [3], [4], []]
    assert min(seconds for seconds, *_ in began) == 3.0
    assert began[4][0] >= 10


def test_a_mistake_leads_to_the_site_from_which_pip_has_the_package(monkeypatch):
    told = {"url": "https://site.test/attention/attention_line_by_line-0.1.0-py3-none-any.whl"}
    of_index = ["Source, https://code.test", "Documentation, https://docs.test/"]
    for text, urls, site in (
        (json.dumps(told), None, "https://site.test/attention/"),
        ('{"url": "file:///here"}', None, ""),
        (None, of_index, "https://docs.test/"),
        (None, None, ""),
    ):
        links.site.cache_clear()
        metadata = type("Metadata", (), {"get_all": lambda _self, _name, urls=urls: urls})()
        found = type("Found", (), {"read_text": lambda _self, _name, text=text: text, "metadata": metadata})
        monkeypatch.setattr(links, "distribution", lambda _name, found=found: found())
        assert addresses.link("masks#exercises") == f"{site}learn/masks/#exercises"
    links.site.cache_clear()


# --- in a notebook -----------------------------------------------------------


def run_cells(bodies, seed=0):
    names = {"__name__": "__main__"}
    exec(compile(filled(bodies, seed), "cell.py", "exec"), names)
    return names


def test_a_notebook_s_functions_are_checked_and_left_as_they_are(capsys):
    names = run_cells(BODIES | {"softmax": "return np.exp(scores) / np.exp(scores).sum()"})
    before = dict(names)
    for name in NAMES:
        check_step(name, names)
    printed = capsys.readouterr().out
    assert re.findall(r"^ +\d+  (\w+) +(\S.*)$", printed, re.M) == [
        (name, "wrong, one-budget" if name == "softmax" else "right") for name in NAMES
    ]
    assert names == before


def test_a_notebook_says_what_ran_on_ours_and_keeps_prints_to_itself(capsys):
    names = run_cells(BODIES | {"softmax": "return scores", "attend": "print('printed')\nreturn softmax(query)"})
    check_step("attend", names)
    printed = capsys.readouterr().out
    assert "(It ran on our softmax, until yours is right.)" in printed
    assert "printed" not in printed
    with pytest.raises(ValueError, match="did you mean 'softmax'"):
        check_step("sofmax", names)


def test_a_notebook_can_be_interrupted():
    names = run_cells({"softmax": "raise KeyboardInterrupt"})
    with pytest.raises(KeyboardInterrupt):
        check_step("softmax", names)
