"""The program `python -m attention.practice`: write attention, or test it."""

import os
import signal
import sys
from collections.abc import Sequence

from attention.practice import grade, kill, write

USAGE = """\
usage: python -m attention.practice write [FILE]   write attention yourself
       python -m attention.practice test [FILE]    kill the mutants
       python -m attention.practice grade FOLDER   grade a class

Each has a --help of its own; write and test have --start, which writes a file
to begin with.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one of the three programs; the result is its exit status."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(
            errors="replace"
        )  # a console may not know every letter
    command, *rest = [*(sys.argv[1:] if arguments is None else arguments), ""]
    rest = rest[:-1]
    if command == "write":
        return write.main(rest)
    if command == "test":
        return kill.main(rest)
    if command == "grade":
        return grade.main(rest)
    asked = command in ("-h", "--help")
    print(USAGE, end="", file=sys.stdout if asked else sys.stderr)
    return 0 if asked else 2


if __name__ == "__main__":
    for name in ("SIGTERM", "SIGHUP"):  # as Ctrl-C: leave no run behind
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read it has closed, as head does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141  # as a shell says of it
    sys.exit(status)
