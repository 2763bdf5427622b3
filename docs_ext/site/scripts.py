"""Our modules as they are published: without the comments that fill a line."""

import re


def strip_comments(source: str) -> str:
    """Leave out lines that hold a comment and nothing else."""
    return re.sub(r"^ *//.*\n", "", source, flags=re.MULTILINE)
