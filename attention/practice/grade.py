"""The program `python -m attention.practice grade FOLDER`.

It checks a class's files as `write` checks one, each on a copy in a folder of
its own, several at once, and prints a table.
"""

import argparse
import csv
import os
import re
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from json import JSONDecodeError
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from attention.practice import processes
from attention.practice.kill import Parser, refuse
from attention.practice.sheet import written
from attention.practice.steps import NAMES
from attention.practice.write import STOPPED, FileError, check, seed_of

ALL_GRADED, SOME_NOT, UNUSABLE = 0, 1, 2
MARKS = {"right": "+", "wrong": "-", "empty": ".", "error": "!", "late": "~"}
LEGEND = "+ right  - wrong  . empty  ! error  ~ took too long"
STATUS = """\
exit status:
  0    every file was graded
  1    some could not be run: their notes say why
  2    the command is wrong, or there is nothing to grade
  130  stopped with Ctrl-C
"""


class Grade(NamedTuple):
    """What a file is worth, or, without steps, why it could not be run."""

    name: str
    seed: int | None  # that the file says
    steps: Sequence[dict[str, Any]]
    notes: Sequence[str]

    @property
    def points(self) -> int:
        """One for each right step."""
        return sum(step["state"] == "right" for step in self.steps)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        "python -m attention.practice grade",
        description="Grade a folder of files that `write` would check.",
        epilog=STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("folder", metavar="FOLDER", help="all files in it, and below")
    add(
        "--seed-from-name",
        action="store_true",
        help="check each file with the seed that is the last number of its "
        "name, anna-1042.py, and note where the file says another",
    )
    add("--csv", action="store_true", help="print it for a spreadsheet")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the result is its exit status."""
    given = _parser().parse_args(arguments)
    folder = Path(given.folder)
    if not folder.is_dir():
        return refuse(f"{folder}: no such folder")
    files = [*submissions(folder)]
    if not files:
        return refuse(f"{folder}: there is no file in it")
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        try:
            grades = [*pool.map(grade, *zip(*[
                (folder, name, given.seed_from_name) for name in files
            ], strict=True))]  # fmt: skip
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            return refuse("stopped", STOPPED)
        finally:
            processes.end_all()
    print_csv(grades) if given.csv else print(as_table(grades))
    return ALL_GRADED if all(one.steps for one in grades) else SOME_NOT


def submissions(folder: Path) -> list[str]:
    """Name the files in a folder, and below; not what systems leave there."""
    names = (path.relative_to(folder) for path in folder.rglob("*"))
    return sorted(
        name.as_posix()
        for name in names
        if (folder / name).is_file()
        and not any(part[0] in "._" for part in name.parts)
    )


def grade(folder: Path, name: str, seed_from_name: bool = False) -> Grade:
    """Check one file on a copy, whatever it is and does."""
    notes, own = list[str](), None
    try:
        if not name.endswith(".py"):
            kind = "a notebook" if name.endswith(".ipynb") else "another file"
            raise FileError(f"{kind}: wants a .py file")
        with TemporaryDirectory(ignore_cleanup_errors=True) as alone:
            copy = Path(
                shutil.copy(folder / name, Path(alone, Path(name).name))
            )
            text = copy.read_text("utf-8", "replace")
            own = seed_of(str(copy))
            seed = seed_in(name) if seed_from_name else own
            if seed is None:
                raise FileError("no seed in its name")
            if seed != own:
                notes.append(f"seed {own}, not {seed}")
            elif not has_examples(text, seed):
                notes.append(f"not the examples of seed {seed}")
            steps = check(str(copy), seed)
    except JSONDecodeError:
        return Grade(name, own, (), ["not graded: it writes its own report"])
    except Exception as error:  # whatever it is, others wait
        return Grade(name, own, (), [*notes, f"not graded: {error}"])
    return Grade(
        name, own, steps, [*notes, *map(_said, filter(_wrong, steps))]
    )


def seed_in(name: str) -> int | None:
    """Return the last number in a name, 1042 for anna-1042/answer.py."""
    numbers = re.findall(r"\d+", name.removesuffix(".py"))
    return int(numbers[-1]) if numbers else None


def has_examples(text: str, seed: int) -> bool:
    """Tell whether most worked examples of a seed are still in a file."""
    lines = written("answer.py", seed).split("\n")
    examples = {line.strip() for line in lines if ">>>" in line}
    return 2 * sum(line in text for line in examples) > len(examples)


def _wrong(step: dict[str, Any]) -> bool:
    return step["state"] not in ("right", "empty")


def _said(step: dict[str, Any]) -> str:
    what = {"late": "took too long"}.get(step["state"], step["state"])
    return f"{step['name']}: {step['mistake'] or what}"


def as_table(grades: Sequence[Grade]) -> str:
    """Write a line for each file, and what the marks mean."""
    width = max(len(one.name) for one in grades)
    lines = [f"{'file':<{width}}  points  {'seed':>5}  {'steps':<12}  notes"]
    for one in grades:
        name, seed, steps, notes = one
        marks = "".join(MARKS[step["state"]] for step in steps)
        shown = f"{one.points:>2}" if steps else "--"
        told = "-" if seed is None else seed
        lines.append(
            f"{name:<{width}}  {shown:>6}  {told:>5}  {marks:<12}  "
            f"{'; '.join(notes)}".rstrip()
        )
    graded = sum(bool(one.steps) for one in grades)
    return "\n".join(
        [*lines, "", f"{graded} of {len(grades)} graded. {LEGEND}"]
    )


def print_csv(grades: Sequence[Grade]) -> None:
    """Write a row for each file, with a column for each step."""
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(["file", "points", "of", "seed", *NAMES, "notes"])
    for one in grades:
        states = [step["mistake"] or step["state"] for step in one.steps]
        rows.writerow([
            one.name, one.points if one.steps else "", len(NAMES), one.seed,
            *(states or [""] * len(NAMES)), "; ".join(one.notes),
        ])  # fmt: skip
