"""What a commit must not hold, as pre-commit asks before it is made: `python -m tools.commit FILE ...`.

YAML and TOML that cannot be read, what git left of a conflict, and files of more than a megabyte, which a clone would
carry for ever. With `--message FILE` the words of the commit instead: a subject of at most 72 characters, and a body.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import yaml

LARGEST = 1_000_000  # bytes
SUBJECT = 72  # characters


def wrong_in(path: Path) -> Iterator[str]:
    """Yield what is wrong with a file."""
    content = path.read_bytes()
    if len(content) > LARGEST:
        yield f"{path}: {len(content):,} bytes, of at most {LARGEST:,}"
    if found := re.search(rb"^(?:<{7}|>{7}) ", content, re.MULTILINE):
        line = content.count(b"\n", 0, found.start()) + 1
        yield f"{path}:{line}: a conflict that is not solved"
    try:
        if path.suffix in (".yml", ".yaml"):
            yaml.compose(content)  # reads tags such as !ENV without what they stand for
        elif path.suffix == ".toml":
            tomllib.loads(content.decode("utf-8"))
    except (yaml.YAMLError, ValueError) as error:
        yield f"{path}: {' '.join(str(error).split())}"


def wrong_with(message: str) -> Iterator[str]:
    """Yield what is wrong with the message of a commit; git writes those of merges and reverts itself."""
    subject, *body = [line for line in message.strip().split("\n") if not line.startswith("#")]
    if subject.startswith(("Merge ", "Revert ", "fixup! ", "squash! ")):
        return
    if len(subject) > SUBJECT:
        yield f"the subject has {len(subject)} characters, of at most {SUBJECT}: {subject}"
    if body and body[0]:
        yield "the line below the subject is empty"
    if not "".join(body).strip():
        yield "a body says why, and what was lost if something was"


def main(arguments: list[str]) -> int:
    """Print what is wrong; the status is 1 if anything is."""
    if arguments[:1] == ["--message"]:
        wrong = [*wrong_with(Path(arguments[1]).read_text("utf-8"))]
    else:
        wrong = [what for name in arguments for what in wrong_in(Path(name))]
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
