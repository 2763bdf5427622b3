"""What was found, as a person reads it."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field

LEGEND = "sizes: batch, heads, n_q/n_k, d_k/d_v; error: 1 is the most allowed"


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong: a sentence, and a name if it has one.

    Attributes
    ----------
    says : str
        What the kernel does.
    name : str
        The name of a known mistake that gives the same results, or "".
    is_partial : bool
        Whether that mistake gives some rows or some results alone.
    """

    says: str
    name: str = ""
    is_partial: bool = False

    def __str__(self) -> str:
        """Return the sentence, after the name."""
        if self.name:
            return f"behaves like {self.name}: {self.says}"
        return self.says


@dataclass(frozen=True)
class Row:
    """One case of the table."""

    case: str
    sizes: str
    figure: float  # the worst error, where 1 is the most that is allowed
    verdict: str  # right, WRONG or refused
    detail: str = ""


@dataclass(frozen=True)
class Report:
    """What came of holding a kernel against the package.

    Attributes
    ----------
    passed : bool
        Whether every case that the kernel took is right, and there is one.
    worst : float
        The largest error of all cases, where 1 is the most that is allowed.
    findings : list of Finding
        What is wrong, the most telling first; empty if the kernel passed.
    rows : list of Row
        The cases: name, sizes, figure, verdict and detail.
    refusals : float
        The share of cases that the kernel may refuse.
    """

    title: str
    rows: list[Row]
    findings: list[Finding] = field(default_factory=list)
    refusals: float = 0.5

    @property
    def passed(self) -> bool:
        """Say whether all cases taken are right, and there is one."""
        n_right = len(self._named("right"))
        n_refused = len(self._named("refused"))
        return n_right > 0 and not self.findings and (
            n_right + n_refused == len(self.rows)
        ) and not self._refuses_too_much  # fmt: skip

    @property
    def worst(self) -> float:
        """Return the largest error, where 1 is the most that is allowed."""
        return max((row.figure for row in self.rows), default=0.0)

    @property
    def _refuses_too_much(self) -> bool:
        return len(self._named("refused")) > self.refusals * len(self.rows)

    def _named(self, verdict: str) -> list[str]:
        """Return the names of cases with a verdict."""
        return [row.case for row in self.rows if row.verdict == verdict]

    def __str__(self) -> str:
        """Return the table and what was found."""
        lines = [self.title, "", f"  {LEGEND}", ""]
        width = max([4, *(len(row.case) for row in self.rows)])
        size = max([5, *(len(row.sizes) for row in self.rows)])
        lines.append(f"  {'case':<{width}}  {'sizes':<{size}}  {'error':>8}")
        said = set[str]()
        for row in self.rows:
            figure = "-" if row.verdict == "refused" else f"{row.figure:.3g}"
            lines.append(
                f"  {row.case:<{width}}  {row.sizes:<{size}}  {figure:>8}  "
                f"{row.verdict}"
            )
            if row.detail not in said:  # once is enough
                lines += _wrapped(row.detail, 6, 6)
            said.add(row.detail)
        lines.append("")
        for what in (*map(str, self.findings), self._sum_up()):
            lines += _wrapped(what, 2, 4)
        return "\n".join(lines)

    def _sum_up(self) -> str:
        refused = self._named("refused")
        taken = len(self.rows) - len(refused)
        if not taken:
            return "NOT PASSED: the kernel refused every case."
        also = (
            f", {len(refused)} refused by the kernel and never tried: "
            f"{', '.join(map(repr, refused))}"
        ) * bool(refused)
        if self.passed:
            return f"passed: {taken} cases right{also}"
        wrong = len(self._named("WRONG"))
        if self._refuses_too_much and not wrong:
            also += f"; that is more than refusals={self.refusals:g} allows"
        return f"NOT PASSED: {wrong} of {taken} cases wrong{also}"


def _wrapped(text: str, first: int, others: int) -> list[str]:
    return textwrap.wrap(
        text,
        79,
        initial_indent=" " * first,
        subsequent_indent=" " * others,
        break_on_hyphens=False,
    )
