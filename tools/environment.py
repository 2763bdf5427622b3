"""Bring .venv to what requirements.lock says, and other locks that are named: `make setup`, `make setup-nightly`.

A file in .venv tells what it was made of, so a run that has nothing to do takes no time, and one that was interrupted
is taken up where it stopped. The syntax is that of Python 3.6, so that an old Python is refused in one line.
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 11)
ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Do what is missing, and say so before it starts."""
    if sys.version_info < OLDEST:
        sys.exit(
            f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed, and {sys.executable} is {_version()}: "
            "name a newer one, as in make PYTHON=python3.12 test"
        )
    venv, made_of = ROOT / ".venv", ROOT / ".venv/made-of.json"
    locks = ["requirements.lock", *sys.argv[1:]]
    wanted = {
        "python": f"{sys.base_prefix} {_version()}, for {venv}",  # a folder that was moved needs new scripts
        "project": _digest(_metadata()),
    }
    made = json.loads(made_of.read_text("utf-8")) if made_of.exists() else {}

    def step(part: str, say: str, *command: str) -> None:
        if made.get(part) != wanted[part]:
            print(say, flush=True)
            code = subprocess.run(command, cwd=str(ROOT)).returncode
            if code:
                sys.exit(code)
            made[part] = wanted[part]
            made_of.write_text(json.dumps(made), "utf-8")

    pip = (str(venv / "bin/python"), "-m", "pip", "install", "--disable-pip-version-check", "--quiet")
    if made.get("python") != wanted["python"]:
        made.clear()
    step("python", f"Creating .venv with Python {_version()}", sys.executable, "-m", "venv", "--clear", str(venv))
    for lock in locks:
        text = (ROOT / lock).read_text("utf-8")
        packages = {line.split("==")[0] for line in text.splitlines() if "==" in line.split(" ")[0]}
        size = f"{len(packages)} packages from {lock}, their hashes checked: about a minute"
        wanted[lock] = _digest(text)
        step(lock, f"Installing {size}", *pip, "--require-hashes", "-r", str(ROOT / lock))
    step("project", "Installing this project, editable", *pip, "--no-deps", "--no-build-isolation", "-e", str(ROOT))


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
