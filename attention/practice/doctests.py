"""Run the doctests of a reader's file, on the package or on a mutant.

`run` starts a Python that calls `main`, which writes what happened into a
file, since its standard output belongs to the reader. A reader's code may do
anything: it may never end, print without end, or end Python.
"""

import doctest
import json
import re
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, NamedTuple

from attention.practice import mutants, processes

MOST_OUTPUT = 100_000  # characters that the examples may print in all
_FENCE = re.compile(r"^[ \t]*(```|~~~).*$", re.MULTILINE)
_Error = (
    tuple[type[BaseException], BaseException, TracebackType]
    | tuple[None, None, None]
)


class Result(NamedTuple):
    """What the examples of a file said."""

    ran: int = 0
    failures: Sequence[tuple[int, str]] = ()  # on which line, and what
    trouble: str = ""  # why they could not be run
    end: str = ""  # how their process ended, if not by itself
    late: str = ""  # they were not done in time, so that nothing is known


class FileError(Exception):
    """A file whose examples cannot be run; the message says why, and where."""


# --- the program's side ------------------------------------------------------


def run(file: str, mutant: str = "", seconds: float = 10) -> Result:
    """Run the examples of a file in a new process, for so many seconds."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        report = Path(folder, "report.json")
        process = processes.start("doctests", file, str(report), mutant)
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return Result(late=f"not done after {seconds:.3g} seconds")
        finally:
            processes.end(process)
        if not report.exists():
            return Result(
                end=f"Python ended in the middle, with status {status}"
            )
        return Result(*json.loads(report.read_text("utf-8")))


# --- the side of the new process ---------------------------------------------


def main(file: str, report: str, mutant: str) -> None:
    """Run a file on a mutant, or on the package, and write a Result."""
    sys.dont_write_bytecode = True  # leave no folder beside the reader's file
    target = Path(report).absolute()
    try:
        mutants.install(
            mutants.sources(mutants.named(mutant)) if mutant else {}
        )
        result = examine(Path(file))
    except FileError as error:
        result = Result(trouble=str(error))
    target.write_text(json.dumps(result), "utf-8")


def examine(path: Path) -> Result:
    """Run all examples of a file; a FileError says why they cannot be run."""
    try:
        tests = _of_module(path) if path.suffix == ".py" else _of_text(path)
    except ValueError as error:  # of doctest: no blank after >>>
        raise FileError(f"{path}: {error}") from None
    runner = _Runner(verbose=False)
    for test in tests:
        try:
            runner.run(test, out=lambda _: 0)
        except KeyboardInterrupt:
            raise FileError(
                f"{path}: an example raises KeyboardInterrupt"
            ) from None
    return Result(runner.ran, sorted(runner.failed))


def _of_text(path: Path) -> list[doctest.DocTest]:
    """Find the examples of a page; the end of a fence ends an output, too."""
    text = _FENCE.sub("", _read(path))
    return [
        doctest.DocTestParser().get_doctest(
            text, {"__name__": "__main__"}, path.name, str(path), 0
        )
    ]


def _of_module(path: Path) -> list[doctest.DocTest]:
    """Import a file, and find the examples in its docstrings."""
    _read(path)
    sys.path.append(
        str(path.parent.absolute())
    )  # at the end: a neighbour hides nothing
    spec = spec_from_file_location("the_reader_s_file", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        raise FileError(_where(path, error)) from None
    return doctest.DocTestFinder().find(module, path.stem)


def _read(path: Path) -> str:
    try:
        if not path.exists():
            raise FileError(
                f"{path}: there is no such file; --start writes one"
            )
        if not path.is_file():
            is_folder = path.is_dir()
            what = "a folder; name a file" if is_folder else "not a file"
            raise FileError(f"{path}: this is {what}")
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path}: not text in UTF-8 (byte {error.start}); save it as UTF-8"
        ) from None
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None


def _where(path: Path, error: BaseException) -> str:
    """Say on which line of the file an error arose, and which."""
    if isinstance(error, SyntaxError) and error.lineno:
        prompt = (error.text or "").lstrip().startswith(">>>")
        hint = (
            "; >>> stands in a docstring, or in a file whose name ends "
            "in .md or .txt"
            if prompt
            else ""
        )
        return f"{path}:{error.lineno}: {error.msg}{hint}"
    frames = traceback.extract_tb(error.__traceback__)
    here = [
        frame.lineno
        for frame in frames
        if Path(frame.filename).absolute() == path.absolute()
    ]
    return (
        f"{path}:{here[-1]}: {_said(error)}"
        if here
        else f"{path}: {_said(error)}"
    )


def _said(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "this ends Python (SystemExit)"
    if isinstance(error, EOFError):
        return "this waits for somebody to type (EOFError)"
    if isinstance(error, _TooMuchError):
        return f"this prints more than {MOST_OUTPUT} characters"
    message = re.sub(
        r" \([^()]*\.py\)$", "", str(error)
    )  # where an import looked
    return _short(
        f"{type(error).__name__}: {message}"
        if message
        else type(error).__name__
    )


def _short(text: str, most: int = 160) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[:most]} …"


class _TooMuchError(BaseException):
    pass


class _Runner(doctest.DocTestRunner):
    """Note failures, and stop an example that prints without end."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.ran, self.printed = 0, 0
        self.failed = list[tuple[int, str]]()

    def report_start(
        self, out: Any, test: doctest.DocTest, example: doctest.Example
    ) -> None:
        if not self.ran:
            limited = self._limited(sys.stdout.write)
            sys.stdout.write = limited  # type: ignore[method-assign]
        self.ran += 1

    def report_failure(
        self,
        out: Any,
        test: doctest.DocTest,
        example: doctest.Example,
        got: str,
    ) -> None:
        want = _short(example.want, 70) or "nothing"
        self._note(
            test,
            example,
            f"expected {want}, got {_short(got, 70) or 'nothing'}",
        )

    def report_unexpected_exception(
        self,
        out: Any,
        test: doctest.DocTest,
        example: doctest.Example,
        exc_info: _Error,
    ) -> None:
        assert exc_info[1]
        self._note(test, example, _said(exc_info[1]))

    def _note(
        self, test: doctest.DocTest, example: doctest.Example, what: str
    ) -> None:
        self.failed.append(((test.lineno or 0) + example.lineno + 1, what))

    def _limited(self, write: Callable[[str], int]) -> Callable[[str], int]:
        def limited(text: str) -> int:
            self.printed += len(text)
            if self.printed > MOST_OUTPUT:
                raise _TooMuchError
            return write(text)

        return limited
