"""The program `python -m attention.practice test [FILE]`.

It says which mutants the doctests of a file kill.
"""

import argparse
import doctest
import math
import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import NoReturn

from attention.practice.addresses import link
from attention.practice.doctests import Result, run
from attention.practice.mutants import (
    MUTANTS,
    NAMES,
    Mutant,
    StaleError,
    named,
    sources,
)
from attention.practice.processes import FOLDER, end_all

ALL_KILLED, SURVIVORS, WRONG, STALE, STOPPED = 0, 1, 2, 3, 130
FILE = "mine.py"

START = '''\
"""My tests of attention.

Python runs what follows >>> and compares the result with the line below.

    python -m attention.practice test {file}

tells which mutants these tests kill: wrong versions of the package, each in
one place. A test kills a mutant if it passes on the right function and fails
on the wrong one. --list names them all.

This first test is true, and kills none: every mutant gives the right shape.

>>> import numpy as np
>>> from attention import scaled_dot_product_attention
>>> query, key, value = np.ones((2, 4)), np.ones((3, 4)), np.ones((3, 6))
>>> scaled_dot_product_attention(query, key, value).shape
(2, 6)

Write the next one here. Choose numbers that you can work out on paper, and
sizes that all differ; put the result that you expect, as Python prints it,
below the call.

"""
'''

STATUS = """\
exit status:
  0    every mutant was killed
  1    some survived, or were not decided in time
  2    the command or the file is wrong, or a test fails on the right functions
  3    attention/ was changed, so that a mutant cannot be made of it
  130  stopped with Ctrl-C
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the result is its exit status."""
    given = _parser().parse_args(arguments)
    if given.list:
        print("\n".join(_described("", mutant) for mutant in MUTANTS))
        return ALL_KILLED
    if given.start:
        return start(
            Path(given.file),
            lambda file: START.format(file=file),
            "add a test to it, then run python -m attention.practice test",
        )
    unknown = [name for name in given.only if name not in NAMES]
    if unknown:
        close = get_close_matches(unknown[0], NAMES, 1)
        return refuse(
            f"no mutant is called {unknown[0]!r}; "
            + (f"did you mean {close[0]!r}?" if close else "see --list")
        )
    if not 0 < given.seconds <= 3600:
        return refuse("--seconds must be above 0 and at most 3600")
    try:
        return _check(
            given.file,
            [named(name) for name in given.only or NAMES],
            given.seconds,
        )
    except StaleError as error:
        return refuse(str(error), STALE)
    except KeyboardInterrupt:
        return refuse("stopped", STOPPED)


class Parser(argparse.ArgumentParser):
    """Of either program."""

    def error(self, message: str) -> NoReturn:
        """Answer what is wrong in one line."""
        self.exit(WRONG, f"{self.prog}: {message}; see --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        "python -m attention.practice test",
        description="Which mutants do the doctests of a file kill?",
        epilog=STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file",
        nargs="?",
        default=FILE,
        metavar="FILE",
        help=f"yours: .py, .md or .txt; {FILE}",
    )
    parser.add_argument(
        "--start",
        action="store_true",
        help="write a file to begin with, unless it is there",
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help="name all mutants, with a hint for each",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="this mutant; may be repeated",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=10,
        help="the time that each run may take; 10, or for a mutant ten "
        "times what the right functions take, if that is longer",
    )
    return parser


def start(path: Path, text: Callable[[str], str], then: str) -> int:
    """Write a file to begin with, unless it is there, and say what comes."""
    typed = f'"{path}"' if " " in str(path) else str(path)
    try:
        with path.open("x", encoding="utf-8") as file:
            # in a string, C:\Users begins an escape
            file.write(text(typed.replace("\\", "/")))
    except FileExistsError:
        return refuse(
            f"{path} is there already, and stays as it is; name another file"
        )
    except OSError as error:
        return refuse(f"{path}: {error.strerror}")
    print(f"{path} is written: {then} {typed}")
    return ALL_KILLED


def _check(file: str, chosen: Sequence[Mutant], seconds: float) -> int:
    for mutant in chosen:
        sources(mutant)  # a StaleError comes before any other line
    before = time.monotonic()
    right = run(file, seconds=seconds)
    patience = max(seconds, 10 * (time.monotonic() - before))
    trouble = _trouble(file, right)
    if trouble:
        return refuse(trouble)
    passing = "example passes" if right.ran == 1 else "examples pass"
    print(f"{file}: {right.ran} {passing} on the right functions. ", end="")
    print("On the mutants:\n", flush=True)
    copied, own = _copied(file)
    survivors, undecided = list[str](), list[str]()
    for mutant, result in _results(file, chosen, patience):
        if result.late:
            undecided.append(mutant.name)
            line = f"  not decided {mutant.name:<18} {result.late}"
        elif why := _why_killed(result):
            line = f"  killed    {mutant.name:<20} {why}"
        else:
            survivors.append(mutant.name)
            if len(survivors) > 1:  # one at a time
                continue
            line = _described("survived  ", mutant)
        print(line, flush=True)
    if len(survivors) > 1:
        print(
            f"  and {len(survivors) - 1} more survived; --list names them all"
        )
    n_killed = len(chosen) - len(survivors) - len(undecided)
    print(f"\n{n_killed} of {len(chosen)} killed", end="")
    print(f", {len(undecided)} not decided" if undecided else "")
    if copied > own:
        print(
            f"But {copied} of {copied + own} examples are the package's own, "
            "from its docstrings: they test its authors, not you."
        )
    command = f"python -m attention.practice test {file} --only"
    if survivors:
        print(f"Next: {command} {survivors[0]}")
    elif undecided:
        more = f"{undecided[0]} --seconds {math.ceil(10 * patience)}"
        print(f"Give it more time: {command} {more}")
    return SURVIVORS if survivors or undecided else ALL_KILLED


def _copied(file: str) -> tuple[int, int]:
    """Count the examples that a docstring of the package has, and others."""
    read = doctest.DocTestParser().get_examples
    package = {
        example.source
        for path in FOLDER.glob("*.py")
        for example in read(path.read_text("utf-8"))
    }
    try:
        mine = read(Path(file).read_text("utf-8-sig"))
    except (OSError, ValueError):
        return 0, 0
    calls = [
        example.source
        for example in mine
        if "(" in example.source and "import" not in example.source
    ]
    copied = sum(source in package for source in calls)
    return copied, len(calls) - copied


def _results(
    file: str, chosen: Sequence[Mutant], seconds: float
) -> Iterator[tuple[Mutant, Result]]:
    """Run the file on some mutants at once; the results come in order."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            names = [mutant.name for mutant in chosen]
            yield from zip(
                chosen,
                pool.map(partial(run, file, seconds=seconds), names),
                strict=True,
            )
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_all()
            raise


def _trouble(file: str, result: Result) -> str:
    """Say in one line why a file cannot be used; nothing if it can."""
    if result.trouble:
        return result.trouble
    if result.end:
        return f"{file}: {result.end}"
    if result.late:
        return f"{file}: {result.late}; --seconds gives it more"
    if result.failures:
        line, what = result.failures[0]
        more = (
            f" (and {len(result.failures) - 1} more)"
            if len(result.failures) > 1
            else ""
        )
        return f"{file}:{line}: fails on the right functions{more}: {what}"
    where = " in a docstring" if file.endswith(".py") else ""
    return (
        ""
        if result.ran
        else f"{file}: no test in it: a line that begins with >>>{where}"
    )


def _why_killed(result: Result) -> str:
    """Say what told the mutant from the right function, if anything did."""
    if result.failures:
        return f"by line {result.failures[0][0]}"
    return "while the file was imported" if result.trouble else result.end


def _described(state: str, mutant: Mutant) -> str:
    lines = [f"  {state}{mutant.name}"]
    see = f"See {link(mutant.page)}"
    for text in (mutant.wrong, f"Hint: {mutant.hint}", see):
        lines += textwrap.wrap(
            text,
            79,
            initial_indent=" " * 6,
            subsequent_indent=" " * 6,
            break_on_hyphens=False,
            break_long_words=False,
        )
    return "\n".join(lines)


def refuse(message: str, status: int = WRONG) -> int:
    """Say why there is no result; the result is the exit status."""
    print(message, file=sys.stderr)
    return status
