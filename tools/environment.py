"""Bring .venv to what requirements.lock says, and other locks that are named: `make setup`, `make setup-nightly`.

`make setup-site` names `site`: the part of requirements.lock that the extra docs needs, and nothing else.

A file in .venv tells what it was made of, so a run that has nothing to do takes no time, and one that was interrupted
is taken up where it stopped. The syntax is that of Python 3.6, so that an old Python is refused in one line.
"""

import hashlib
import json
import locale
import os
import re
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 11)
PATHS_IN_UTF_8 = (3, 13)  # from here on Python reads the path of an editable installation as it was written
SITE = "site"
ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Do what is missing, and say so before it starts."""
    if sys.version_info < OLDEST:
        sys.exit(
            f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed, and {sys.executable} is {_version()}: "
            "name a newer one, as in make PYTHON=python3.12 test"
        )
    if sys.version_info < PATHS_IN_UTF_8 and not _is_readable(str(ROOT), locale.getencoding()):
        sys.exit(
            f"The path {ROOT} cannot be read by Python {_version()} in this locale ({locale.getencoding()}): "
            "set another, as in LC_ALL=C.UTF-8 make test, or move the project"
        )
    venv, made_of = ROOT / ".venv", ROOT / ".venv/made-of.json"
    locks = [SITE] if sys.argv[1:] == [SITE] else ["requirements.lock", *sys.argv[1:]]
    wanted = {
        "python": f"{sys.base_prefix} {_version()}, for {venv}",  # a folder that was moved needs new scripts
        "project": _digest(_metadata()),
    }
    made = json.loads(made_of.read_text("utf-8")) if made_of.exists() else {}

    def step(part: str, say: str, *command: str) -> None:
        if made.get(part) != wanted[part]:
            print(say, flush=True)
            _run(*command)
            made[part] = wanted[part]
            made_of.write_text(json.dumps(made), "utf-8")

    pip = (str(venv / "bin/python"), "-m", "pip", "install", "--disable-pip-version-check")
    if made.get("python") != wanted["python"]:
        made.clear()
    step("python", f"Creating .venv with Python {_version()}", sys.executable, "-m", "venv", "--clear", str(venv))
    for lock in locks:
        file = ROOT / ("requirements.lock" if lock == SITE else lock)
        text = file.read_text("utf-8")
        if lock == SITE:
            if made.get(file.name) == _digest(text):  # which holds it all
                continue
            text, file = needed(text, _direct("docs")), venv / "site.lock"
            file.write_text(text, "utf-8")
        packages = {line.split("==")[0] for line in text.splitlines() if "==" in line.split(" ")[0]}
        size = f"{len(packages)} packages from requirements.lock" if lock == SITE else f"{len(packages)} from {lock}"
        wanted[lock] = _digest(text)
        step(lock, f"Installing {size}, their hashes checked", *pip, "--require-hashes", "-r", str(file))
    step("project", "Installing this project, editable", *pip, "--no-deps", "--no-build-isolation", "-e", str(ROOT))


def _is_readable(path: str, encoding: str) -> bool:
    """Tell whether a path that was written in UTF-8 is the same path for who reads it in another encoding."""
    return os.fsencode(path).decode(encoding, "replace") == path


def _run(*command: str) -> None:
    """Run a command in one line that moves on a terminal, and is not there elsewhere; show the rest if it fails."""
    said, n_packages = [], 0
    process = subprocess.Popen(
        command, cwd=str(ROOT), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True
    )
    for line in process.stdout or ():
        said.append(line)
        n_packages += line.startswith("Collecting ")
        if sys.stdout.isatty() and line.strip():
            print(f"\r\033[K  {n_packages or ''} {line.strip()[:70]}", end="", flush=True)
    if sys.stdout.isatty():
        print("\r\033[K", end="", flush=True)
    if process.wait():
        sys.exit("".join(said[-20:]) + f"failed: {' '.join(command)}")


def needed(lock: str, direct: "set[str]") -> str:
    """Return the part of a lock that these packages need: a comment behind each entry names those that ask for it."""
    entries = re.split(r"^(?=[a-z0-9]\S*==)", lock, flags=re.MULTILINE)[1:]
    asking = {
        entry: set(re.findall(r"^    #\s+(?:via )?([a-z0-9][a-z0-9-]*)", entry, re.MULTILINE)) for entry in entries
    }
    taken = set()  # type: set[str]
    more = direct
    while not more <= taken:
        taken |= more
        more = {_named(entry) for entry in entries if asking[entry] & taken}
    return "".join(entry for entry in entries if _named(entry) in taken)


def _named(entry: str) -> str:
    """Return the name of `coverage[toml]==7.17.3` without its extras."""
    return re.split(r"==|\[", entry)[0]


def _direct(extra: str) -> "set[str]":
    """Name what the package and an extra ask for themselves."""
    import tomllib  # not in the Pythons that are refused

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = project["dependencies"] + project["optional-dependencies"][extra]
    return {re.match(r"[\w-]+", requirement)[0].lower() for requirement in asked}  # type: ignore[index]


def _version() -> str:
    return "{}.{}".format(*sys.version_info)


def _metadata() -> str:
    """Return the tables of pyproject.toml that an installation depends on; the rest configures tools."""
    import tomllib  # not in the Pythons that are refused

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return json.dumps([project["build-system"], project["project"], project["tool"]["hatch"]], sort_keys=True)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


if __name__ == "__main__":
    main()
