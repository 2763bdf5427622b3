"""Checks of a page's numbers, `<!-- check: ... -->`: for tests, not for a reader (see `docs_ext.numbers.claims`)."""

from typing import Any

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

from docs_ext.reading.prose import without_checks


class _LeaveOut(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        return without_checks(lines)


class ChecksExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.preprocessors.register(_LeaveOut(md), "attention-checks", 80)  # before superfences and raw HTML


def makeExtension(**kwargs: Any) -> ChecksExtension:  # noqa: N802
    return ChecksExtension(**kwargs)
