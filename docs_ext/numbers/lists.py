"""Numbers that only count: the items of a list, and exercises."""

import re
from collections.abc import Iterator

from docs_ext.reading.prose import Page


def mistakes(page: Page) -> Iterator[tuple[int, str]]:
    """Yield line and mistake: items and exercises count from one.

    A paragraph such as "6. That is all" would be shown as the first item of a list.
    """
    due = exercise = 1
    for part in [part for block in page.blocks if block.keys is None for part in block.parts]:
        if items := re.match(r"(?: *\d+\. .*\n?)+", part.text):
            counted = [int(number) for number in re.findall(r"^ *(\d+)\. ", items[0], re.MULTILINE)]
            if counted[0] not in (1, due):
                yield part.line, f"'{counted[0]}. ' begins a list, which counts from 1: write '{counted[0]}\\. '"
            due = counted[-1] + 1
        if found := re.match(r"\*\*(\d+)\. ", part.text):
            if int(found[1]) != exercise:
                yield part.line, f"exercise {found[1]} comes where {exercise} is due"
            exercise += 1
