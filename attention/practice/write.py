"""The program `python -m attention.practice write [FILE]`.

It says which of a learner's twelve functions are right, and of those that are
not, which mistake it is.
"""

import argparse
import json
import re
import textwrap
import time
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attention.practice import processes
from attention.practice.addresses import address, link
from attention.practice.kill import Parser, refuse, start
from attention.practice.learner import described, unknown
from attention.practice.sheet import calls_of, written
from attention.practice.steps import NAMES, STEPS

RIGHT, SOME_WRONG, UNUSABLE, STOPPED = 0, 1, 2, 130
FILE = "my_attention.py"
LOOKS_IN_VAIN = 10  # while an editor puts a new file in the old one's place
START_SECONDS = 60.0  # to import NumPy, on a slow disk
_SEED = re.compile(rb"^SEED *= *(\d{1,4000})\b", re.MULTILINE)

STATUS = """\
exit status:
  0    every step is right
  1    some are wrong, or still empty
  2    the command is wrong, or the file cannot be run
  130  stopped with Ctrl-C
"""


class FileError(Exception):
    """A file that cannot be run; the message says why."""


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        "python -m attention.practice write",
        description="Write attention in twelve functions: which are right?",
        epilog=STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "file",
        nargs="?",
        default=FILE,
        metavar="FILE",
        help=f"your functions; {FILE}",
    )
    add(
        "--start",
        action="store_true",
        help="write a file of empty functions, unless it is there",
    )
    add(
        "--only",
        action="append",
        default=[],
        metavar="STEP",
        help="this step, by its name or number; may be repeated",
    )
    add(
        "--watch",
        action="store_true",
        help="look again whenever the file is saved",
    )
    add("--json", action="store_true", help="print the result as JSON")
    add(
        "--seed",
        type=int,
        metavar="N",
        help="draw other numbers; with --start, put others into the file, "
        "which keeps its seed; without, the file's own seed counts, or 0",
    )
    return parser  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the result is its exit status."""
    given = _parser().parse_args(arguments)
    if given.seed is not None and given.seed < 0:
        return refuse("--seed must not be negative")
    if given.start:
        return start(
            Path(given.file),
            lambda file: written(file, given.seed or 0),
            "fill in the first function, then run "
            "python -m attention.practice write",
        )
    chosen = [_name(text) for text in given.only] or NAMES
    unknown = [name for name in chosen if name not in NAMES]
    if unknown:
        close = get_close_matches(unknown[0], NAMES, 1)
        also = f"did you mean {close[0]!r}?" if close else "see --help"
        return refuse(f"no step is called {unknown[0]!r}; {also}")
    try:
        if given.watch:
            return _watch(given, chosen)
        return _look(given, chosen)
    except KeyboardInterrupt:
        return refuse("stopped", STOPPED)
    finally:
        processes.end_all()


def _name(text: str) -> str:
    """Return the name of a step that is given by its number."""
    is_number = text.isdecimal() and 1 <= int(text) <= len(NAMES)
    return NAMES[int(text) - 1] if is_number else text


def _look(given: argparse.Namespace, chosen: Sequence[str]) -> int:
    seed = seed_of(given.file) if given.seed is None else given.seed
    try:
        steps = check(given.file, seed)
    except FileError as error:
        return refuse(f"{given.file}: {error}")
    shown = [step for step in steps if step["name"] in chosen]
    if given.json:
        print(as_json(given.file, seed, shown))
    else:
        print(_as_text(given.file, shown))
    return RIGHT if all(map(_is_right, shown)) else SOME_WRONG


def _watch(given: argparse.Namespace, chosen: Sequence[str]) -> int:
    """Look whenever the file changes, until Ctrl-C or all is right."""
    path, seen, status, missing = Path(given.file), 0, SOME_WRONG, 0
    while status != RIGHT:
        now = _saved(path)
        missing = 0 if now else missing + 1
        if (now and now != seen) or missing > (LOOKS_IN_VAIN if seen else 0):
            seen = now
            status = _look(given, chosen)
            if not now:
                return status
            print(flush=True)
        time.sleep(0.2)
    return status


def _saved(path: Path) -> int:
    """Return when a file was saved; 0 if it is not there."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def seed_of(file: str) -> int:
    """Read the seed that --start has written into a file; 0 if it has none."""
    try:
        found = _SEED.search(Path(file).read_bytes())
    except OSError:
        return 0
    return int(found[1]) if found else 0


def check(file: str, seed: int = 0) -> list[dict[str, Any]]:
    """Check all steps of a file; a FileError says why it cannot be run."""
    path = Path(file)
    if path.is_dir():
        raise FileError("this is a folder; name a file")
    if not path.is_file():
        raise FileError("there is no such file; --start writes one")
    steps = list[dict[str, Any]]()
    while len(steps) < len(STEPS):  # once more, past a step that never ends
        steps += _checked_from(file, steps, seed)
    return steps


def _checked_from(
    file: str, before: Sequence[dict[str, Any]], seed: int
) -> list[dict[str, Any]]:
    """Check the steps that are left, as far as they come."""
    replaced = ",".join(one["name"] for one in before if not _is_right(one))
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        report = Path(folder, "report.jsonl")
        process = processes.start(
            "learner",
            file,
            str(report),
            str(len(before)),
            replaced,
            str(seed),
            whole=True,
        )
        try:
            return _followed(process, report, len(before), seed)
        finally:
            processes.end(process)


def _followed(
    process: Any, report: Path, first: int, seed: int
) -> list[dict[str, Any]]:
    """Read what a process tells until it ends, or is late."""
    steps, n_read = list[dict[str, Any]](), 0
    step, call, deadline = "start", -1, time.monotonic() + START_SECONDS
    while True:
        ended = process.poll() is not None
        lines = _lines(report)
        for told in lines[n_read:]:
            if "trouble" in told:
                raise FileError(told["trouble"])
            if "began" in told:
                step = told["began"]
                seconds, call = told["seconds"], told.get("call", -1)
                deadline = time.monotonic() + seconds
            else:
                steps.append(told["step"])
        n_read = len(lines)
        if first + len(steps) == len(STEPS):
            return steps
        if ended or time.monotonic() > deadline:
            break
        time.sleep(0.01)
    if step not in NAMES:
        how = "it ends Python" if ended else "it is not done with its import"
        raise FileError(how)
    broken = STEPS[NAMES.index(step)]
    says = (
        "It ends Python."
        if ended
        else f"It is not done after {seconds:.3g} seconds: does a loop end?"
    )
    told = unknown(broken) | {
        "state": "error" if ended else "late",
        "says": says,
    }
    if call >= 0:
        told["call"] = described(calls_of(broken, seed)[call])
    return [*steps, told]


def _lines(report: Path) -> list[dict[str, Any]]:
    if not report.exists():
        return []
    *whole, _ = report.read_text("utf-8").split("\n")
    return [json.loads(line) for line in whole]


def _is_right(step: dict[str, Any]) -> bool:
    return bool(step["state"] == "right")


# --- what is printed ---------------------------------------------------------


def as_json(file: str, seed: int, steps: Sequence[dict[str, Any]]) -> str:
    """Write the result for a program that reads it."""
    keys = ("name", "state", "mistake", "says", "see")
    return json.dumps(
        {
            "file": file,
            "seed": seed,
            "points": sum(map(_is_right, steps)),
            "of": len(steps),
            "steps": [
                {key: step[key] for key in keys}
                | {"see": address(step["see"])}
                for step in steps
            ],
        }
    )


def _as_text(file: str, steps: Sequence[dict[str, Any]]) -> str:
    lines = [file]
    next_one = next((one for one in steps if not _is_right(one)), None)
    for step in steps:
        if step is next_one or _is_right(step):
            lines += as_lines(step)
        else:
            lines += _head(step)
    points = sum(map(_is_right, steps))
    lines.append(f"\n{points} of {len(steps)} right")
    if next_one:
        lines[-1] += f". Next: {next_one['name']}"
    elif len(steps) == len(STEPS):
        lines[-1] += ". You have written attention, and what is around it."
    return "\n".join(lines)


def _head(step: dict[str, Any]) -> list[str]:
    number = NAMES.index(step["name"]) + 1
    mark = f", {step['mistake']}" if step["mistake"] else ""
    return [f"  {number:>2}  {step['name']:<21}{step['state']}{mark}"]


def as_lines(step: dict[str, Any]) -> list[str]:
    """Say all that is known of a step."""
    if _is_right(step):
        return _head(step) + _wrapped(step["notes"])
    said = [step["says"]]
    if step["ours"]:
        names = " and ".join(step["ours"])
        said.append(f"(It ran on our {names}, until yours is right.)")
    if "call" in step:
        said.append(f"Smallest input: {step['call']}")
    if "yours" in step:
        said += [f"Yours: {step['yours']}", f"Right: {step['right']}"]
    if step["hint"]:
        said.append(f"Hint: {step['hint']}")
    said += [*step["notes"], f"See {link(step['see'])}"]
    return _head(step) + _wrapped(text for text in said if text)


def _wrapped(texts: Any) -> list[str]:
    return [
        line
        for text in texts
        for line in textwrap.wrap(
            text,
            79,
            initial_indent=" " * 6,
            subsequent_indent=" " * 8,
            break_on_hyphens=False,
            break_long_words=False,  # an address stays whole
        )
    ]
