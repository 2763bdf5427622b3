"""Python in a process of its own, for code that may do anything.

Whatever that code starts ends with its process, on Windows unless that process
has ended by itself.
"""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

FOLDER = Path(__file__).parents[1]
_START = """
import os
import sys

{package}
from attention.practice.{module} import main

main(*sys.argv[2:])
os._exit(0)  # whatever threads the reader has started
"""
# this package, whatever lies in the reader's folder
_WHOLE = """
sys.path.insert(0, os.path.dirname(sys.argv[1]))
import attention
del sys.path[0]
"""
# empty, since the reader's file imports the real one, or a mutant
_EMPTY = """
from types import ModuleType
package = sys.modules["attention"] = ModuleType("attention")
package.__path__ = [sys.argv[1]]
"""
_running = set[subprocess.Popen[bytes]]()


def start(
    module: str, *arguments: str, whole: bool = False
) -> subprocess.Popen[bytes]:
    """Call main(*arguments) of a module of this folder in a new process."""
    none = subprocess.DEVNULL
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            _START.format(module=module, package=_WHOLE if whole else _EMPTY),
            str(FOLDER),
            *arguments,
        ],
        stdin=none,
        stdout=none,
        stderr=none,
        env={  # several run at once
            "OPENBLAS_NUM_THREADS": "1",
            **os.environ,
            "PYTHONIOENCODING": "utf-8",
        },
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )
    _running.add(process)
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it has started.

    On Windows what a process has started outlives it if the process has
    ended by itself before.
    """
    _running.discard(process)
    if os.name == "posix":
        # nobody is left, or on macOS nobody but who has ended
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        none = subprocess.DEVNULL
        command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                command, stdout=none, stderr=none, timeout=10, check=False
            )
    process.kill()
    process.wait()


def end_all() -> None:
    """End every process, in whatever thread it was started."""
    for process in [*_running]:
        end(process)
