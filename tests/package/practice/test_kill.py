"""The program of the exercises: its mutants are wrong wherever one looks, and no file makes it stumble."""

import ast
import inspect
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import attention
from attention.practice import doctests, mutants
from attention.practice import kill as program
from attention.practice.kill import ALL_KILLED, FILE, STALE, STOPPED, SURVIVORS, WRONG, main
from attention.practice.mutants import MUTANTS, NAMES
from tests.tables import beside, each_row

LEARN = Path(attention.__file__).parents[1] / "docs" / "learn"
IN_TIME = ["--seconds", "120"]  # on a machine with much else to do
SCORE = ">>> attention_scores([[2, 0, 0, 0.0]], [[3, 0, 0, 0.0]])\narray([[3.]])\n"


def wrote(name, content):
    file = Path(name)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def run(name, mutant=""):
    return doctests.run(name, mutant, seconds=120)


# --- the mutants -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mutant", MUTANTS, ids=NAMES)
def test_a_mutant_names_its_page_and_speaks_in_plain_letters(mutant):
    assert (LEARN / f"{mutant.page}.md").is_file()
    assert re.fullmatch("[a-z]+(-[a-z]+)+", mutant.name)
    assert mutant.wrong.endswith(".")
    assert mutant.hint[-1] in ".?"
    assert "".join(mutant[:4]).isascii()  # every console can show it


def test_the_examples_of_the_package_kill_every_mutant_and_notice_the_easiest_most_often(capsys, monkeypatch):
    noticed = {}

    def noted(file, mutant="", *, seconds, run=doctests.run):
        result = run(file, mutant, seconds)
        noticed[mutant] = len(result.failures)
        return result

    monkeypatch.setattr(program, "run", noted)
    lines = "import attention\n__test__ = {name: getattr(attention, name).__doc__ or '' for name in attention.__all__}"
    status = main([wrote("all.py", lines), *IN_TIME])
    printed = capsys.readouterr().out
    assert re.findall(r"^  (killed|survived) +([\w-]+)", printed, re.M) == [("killed", name) for name in NAMES]
    assert f"\n{len(NAMES)} of {len(NAMES)} killed\n" in printed
    assert status == ALL_KILLED
    classes = [sum(noticed[name] < few for few in (10, 3, 2)) for name in NAMES]  # many, some, two, one
    assert classes == sorted(classes), noticed


CLAIMS = beside(__file__, "claims.toml")  # of the right package, and of no mutant
EVERYWHERE = CLAIMS["claims"]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Write a page of claims for each mutant."""
    folder = tmp_path_factory.mktemp("pages")
    for name, claims in EVERYWHERE.items():
        tests = "".join(f">>> bool({claim})\nTrue\n" for claim in claims)
        (folder / f"{name}.md").write_text(CLAIMS["setup"] + tests)
    (folder / "all.md").write_text("".join((folder / f"{name}.md").read_text("utf-8") for name in EVERYWHERE))
    return folder


def test_all_claims_hold_of_the_right_package(pages):
    result = run(str(pages / "all.md"))
    assert (result.failures, result.trouble, result.end) == ([], "", "")
    assert result.ran > 50


@pytest.mark.parametrize("name", EVERYWHERE)
def test_a_mutant_breaks_every_claim_about_it(pages, name):
    result = run(str(pages / f"{name}.md"), name)
    assert [what for _, what in result.failures] == ["expected True, got False"] * len(EVERYWHERE[name])


def test_a_mutant_reaches_every_way_to_import():
    ways = CLAIMS["ways"]
    wrote("a.md", "".join(f">>> {way}\n{SCORE.replace('attention_scores', name)}" for way, name in ways.items()))
    assert run("a.md").failures == []
    assert len(run("a.md", "scale-missing").failures) == len(ways)
    wrote("a.py", f'"""\n{SCORE}\n>>> d.{SCORE[4:]}\n"""\nfrom attention import *\nimport attention.dot_product as d\n')
    assert run("a.py").failures == []
    assert [line for line, _ in run("a.py", "scale-missing").failures] == [2, 5]


def test_a_changed_package_is_named_and_nothing_is_run(capsys, monkeypatch):
    monkeypatch.setattr(mutants, "original", lambda module: "def _weights(given):\n    return given.exp()\n")
    assert main(["missing.py", "--only", "softmax-axis"]) == STALE
    looked_for = mutants.edits(MUTANTS[0])[0].right.strip()
    message = f"attention/dot_product.py has been changed: softmax-axis looks for {looked_for!r} in _weights\n"
    assert capsys.readouterr() == ("", message)


def test_a_mutant_finds_its_place_however_the_package_is_laid_out(monkeypatch):
    found, original = [mutants.sources(mutant) for mutant in MUTANTS], mutants.original
    reformatted = "on lines of any length, without comments, in other quotes"
    monkeypatch.setattr(
        mutants, "original", lambda module: f"# {reformatted}\n{ast.unparse(ast.parse(original(module)))}"
    )
    assert [mutants.sources(mutant) for mutant in MUTANTS] == found


# --- the program -------------------------------------------------------------------------------------------------


def test_a_file_of_all_three_kinds_kills_what_it_should(capsys):
    for name in ("a.md", "a.txt"):
        wrote(name, f"# Mine\n\n```pycon\n>>> from attention import attention_scores\n{SCORE}```\n")
    wrote("a.py", f'"""Mine.\n\n>>> from attention import attention_scores\n{SCORE}"""\n')
    for name, line in (("a.md", 5), ("a.txt", 5), ("a.py", 4)):
        assert main([name, "--only", "scale-missing", "--only", "alibi-sign", *IN_TIME]) == SURVIVORS
        printed = capsys.readouterr().out
        assert printed.startswith(f"{name}: 2 examples pass on the right functions.")
        assert re.search(rf"^  killed    scale-missing +by line {line}$", printed, re.M)
        hint = mutants.named("alibi-sign").hint
        assert "  survived  alibi-sign\n      The ALiBi bias grows" in printed
        assert f"Hint: {hint}" in " ".join(printed.split())
        assert "\n1 of 2 killed\n" in printed
        assert printed.endswith(f"python -m attention.practice test {name} --only alibi-sign\n")
    assert main(["a.md", "--only", "scale-missing", *IN_TIME]) == ALL_KILLED


IF_WRONG = """
import os, subprocess, time
from attention import attention_scores
wrong = attention_scores([[2, 0, 0, 0.0]], [[3, 0, 0, 0.0]])[0, 0] != 3
def start():  # several mutants may run at once, and each adds a line
    sleeper = subprocess.Popen(["sleep", "61.7"])
    with open("started", "a") as file:
        file.write(f"{sleeper.pid}\\n")
"""


def knowing(name, *lines):
    """Write a file whose test is true, and which knows whether the package is wrong."""
    return wrote(name, "\n".join(['"""\n>>> 1\n1\n"""', IF_WRONG, *lines, ""]))


def test_a_mutant_that_breaks_the_import_is_killed(capsys):
    knowing("raises.py", "assert not wrong")
    knowing("ends.py", "if wrong:", "    os._exit(5)")
    for name, why in (("raises.py", "while the file was imported"), ("ends.py", "with status 5")):
        assert main([name, "--only", "scale-missing", *IN_TIME]) == ALL_KILLED
        assert why in capsys.readouterr().out


def test_a_mutant_that_is_not_done_in_time_is_not_decided(capsys, monkeypatch):
    knowing("loops.py", "while wrong:", "    pass")

    def short(file, mutant="", seconds=0):
        return doctests.run(file, mutant, 4 if mutant else 120)

    monkeypatch.setattr(program, "run", short)
    assert main(["loops.py", "--only", "scale-missing"]) == SURVIVORS
    printed = capsys.readouterr().out
    assert re.search(r"^  not decided scale-missing +not done after 4 seconds$", printed, re.M)
    assert "\n0 of 1 killed, 1 not decided\nGive it more time: " in printed


def test_a_mutant_has_ten_times_what_the_right_functions_take(capsys, monkeypatch):
    given = []

    def slow(file, mutant="", seconds=0):
        given.append(seconds)
        time.sleep(0.5)
        return doctests.Result(ran=1, failures=[(1, "")] if mutant else [])

    monkeypatch.setattr(program, "run", slow)
    assert main(["slow.py", "--only", "scale-missing", "--seconds", "1"]) == ALL_KILLED
    assert given[0] == 1
    assert given[1] >= 5


@pytest.fixture
def is_over():
    """Return a function that waits until the processes that a file has started are no more."""

    def started():
        return [int(pid) for pid in Path("started").read_text().split()]

    yield lambda: started() and all(map(gone, started()))
    for pid in started():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def gone(pid):
    for _ in range(100):
        with suppress(FileNotFoundError, ProcessLookupError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                time.sleep(0.1)
                continue
        return True
    return False


@pytest.mark.parametrize("then", ["pass", "os._exit(5)", "raise ValueError", "while True: pass"])
def test_no_process_is_left_however_a_run_ends(then, is_over):
    knowing("a.py", "start()", then)
    doctests.run("a.py", seconds=10 if "while" in then else 120)
    assert is_over()


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_no_process_is_left_by_a_program_that_is_stopped(name, is_over):
    knowing("a.py", "if wrong:", "    start()", "    time.sleep(100)")
    running = subprocess.Popen(
        [sys.executable, "-m", "attention.practice", "test", "a.py"],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background ignores it
    )
    while not Path("started").exists() or not Path("started").read_text():
        time.sleep(0.1)
    running.send_signal(getattr(signal, name))
    assert running.communicate(timeout=30)[1] == "stopped\n"
    assert running.returncode == STOPPED
    assert is_over()


def test_the_starting_file_passes_kills_nobody_and_is_never_overwritten(capsys):
    assert main(["--start"]) == ALL_KILLED
    text = Path(FILE).read_text("utf-8")
    assert f"python -m attention.practice test {FILE}\n" in text
    assert main(["--start"]) == WRONG
    assert "is there already" in capsys.readouterr().err
    assert Path(FILE).read_text("utf-8") == text
    assert main(["--start", "none/mine.py"]) == WRONG
    assert main(["--start", "."]) == WRONG
    assert main(["--start", "page.md"]) == ALL_KILLED
    capsys.readouterr()
    for name in (FILE, "page.md"):
        assert main([name, "--only", NAMES[0], *IN_TIME]) == SURVIVORS
        assert "4 examples pass" in capsys.readouterr().out


def test_the_list_names_every_mutant_with_its_hint(capsys):
    assert main(["--list"]) == ALL_KILLED
    printed = " ".join(capsys.readouterr().out.split())
    for mutant in MUTANTS:
        assert f"{mutant.name} {mutant.wrong} Hint: {mutant.hint} See learn/{mutant.page}/" in printed


@each_row("command, message", "commands.toml", "test")
def test_a_wrong_command_gets_one_clear_line(command, message, capsys):
    try:
        status = main(command.split())
    except SystemExit as stopped:
        status = stopped.code
    assert status == WRONG
    assert capsys.readouterr() == ("", f"{message}\n")


# --- files that are wrong ----------------------------------------------------------------------------------------


@each_row("case", "wrong_files.toml")
def test_a_wrong_file_gets_one_clear_line(case, capsys):
    name = wrote(case["name"], case["content"].encode(case.get("encoding", "utf-8")))
    assert main([name, "--seconds", case.get("seconds", "120")]) == WRONG
    printed = capsys.readouterr()
    assert printed.out == ""
    assert re.fullmatch(f"(?:{case['says']})\n", printed.err)
    assert sorted(os.listdir()) == [name], "nothing is left beside the file"


def test_neighbours_of_the_file_hide_nothing_and_can_be_imported(folder, capsys):
    Path("below").mkdir()
    for name in ("attention.py", "numpy.py", "doctest.py"):
        wrote(f"below/{name}", "raise ImportError('the wrong one')\n")
    wrote("below/helper.py", "three = 3\n")
    lines = [">>> from attention import attention_scores", ">>> import helper", SCORE, ">>> helper.three", "3"]
    for name in ("a", "attention"):  # a reader may call a file so
        wrote(f"below/{name}.py", "\n".join(['"""', *lines, '"""\n']))
        assert main([f"below/{name}.py", "--only", "scale-missing", *IN_TIME]) == ALL_KILLED
        assert "1 of 1 killed" in capsys.readouterr().out
    assert "__pycache__" not in os.listdir("below")


def test_a_suite_copied_from_the_package_is_told_so_and_one_survivor_at_a_time_is_described(capsys):
    own = wrote("own.md", f">>> from attention import attention_scores\n{SCORE}")
    assert main([own, "--only", "softmax-axis", "--only", "alibi-sign", *IN_TIME]) == SURVIVORS
    printed = capsys.readouterr().out
    assert "the package's own" not in printed
    assert printed.count("Hint:") == 1
    assert re.search("^  and 1 more survived; --list names them all$", printed, re.M)
    copied = wrote("copied.md", inspect.cleandoc(attention.causal_mask.__doc__))
    main([copied, "--only", "causal-strict", *IN_TIME])
    assert re.search(r"\nBut (\d+) of \1 examples are the package's own", capsys.readouterr().out)
