"""Numbers in the text of a page: results are borne out, names need nothing, and a changed result is noticed."""

import re

import pytest

from docs_ext.errors import SpecError
from docs_ext.records import facts
from tools.numbers.claims import check

PAGE = r"""---
title: Three weights
description: Weights of 0.5 and less.
# check: 0.5 = weights[0]
---

# A page of 3 weights

In 2017 head 2 of 6 layers had 37,400 words, said [Vaswani et al. 2017](../reference/sources.md#vaswani2017), §3.2.

```pycon
>>> import numpy as np
>>> weights = np.array([1/2, 1/4, 1/4])
>>> print(weights @ [4, 8, 12], 65536, weights.round(3), 0.3812)
7.0 65536 [0.5  0.25 0.25] 0.3812

```

The first weight is 1/2, the others 25% each, and 65,536 is printed above, as is 0.38. The blend is 7, the first takes
a half, the second a quarter of it, and a third of 12 would be twelve times as much. About 720 in hundredths.
<!-- check: 1/2 = weights[0]; twelve = 3 / weights[1]; ~720 = 1437 * weights[0]; a third = 4 / np.max([8, 12]) -->

By hand, with $2 n^2$ for $n = 512$ and the row $(8, 4, 1, 2, 1)$ of the running example:
<!-- check: $2 n^2$ = n * n + n * n for n in (3, 5) -->

$$
\tfrac12 (4, 8) + \tfrac14 \cdot 2^{3} (1, 0) = (2, 4) + (2, 0) = (4, 4)
\tag{1}
$$

Equation (1) is plain. The share was 0.7 here.
<!-- check: given 0.7: our choice -->

```quiz-question
# check: 98.5 = 100
#   - max(w) / 10 * 3
question: Which share is 98.5?
proof: |
  >>> w = [1, 5, 3]
  >>> max(w)
  5

right:
  "$(1, 5, 3)$":
    holds: w == [1, 5, 3]
    because: All of them.
wrong:
  "$(5, 3)$":
    holds: w == [5, 3]
    because: Two are no number.
```
"""
FACTS = "vaswani2017:\n  vocabulary: {value: 37400, place: §5.1}\n"


@pytest.fixture(autouse=True)
def _facts(tmp_path, monkeypatch):
    (tmp_path / "facts.yml").write_text(FACTS, "utf-8")
    monkeypatch.setattr(facts, "FILE", tmp_path / "facts.yml")


def wrong(old="", new=""):
    assert not old or PAGE.count(old) == 1
    return check("trial.md", PAGE.replace(old, new) if old else PAGE).wrong


def test_every_result_of_the_page_is_borne_out_in_its_way():
    assert not wrong()
    by = {number.by for number in check("trial.md", PAGE).found if number.is_result}
    assert by == {"mark", "given", "example", "running example", "equation", "fact"}


CHANGED = [
    ("Weights of 0.5", "Weights of 0.4"), ("had 37,400", "had 38,400"), ("is 1/2,", "is 1/3,"),
    ("25% each", "35% each"),
    ("65,536 is", "65,636 is"), ("is 0.38", "is 0.39"), ("blend is 7", "blend is 6"), ("a quarter of", "a sixth of"),
    ("twelve times", "eleven times"), ("About 720", "About 730"), ("with $2 n^2$", "with $2 n^3$"),
    ("(8, 4, 1, 2, 1)", "(8, 4, 1, 3, 1)"), (r"\tfrac12 (4, 8)", r"\tfrac13 (4, 8)"), ("= (4, 4)", "= (4, 5)"),
    ("is plain.", "is plain, as are 37,400."),  # a fact of a source that another paragraph links
    ("is plain.", "is plain: 5, 6, 7."),
    ("is plain.", "is plain, which is 15 in all."), ("is plain.", "is plain: the total is 13 instead of 9."),
    ("was 0.7", "was 0.8"), ("is 98.5?", "is 98.4?"), ('"$(5, 3)$"', '"$(5, 4)$"'),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), CHANGED, ids=[f"{old} -> {new}" for old, new in CHANGED])
def test_a_result_that_is_changed_is_noticed(old, new):
    assert wrong(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *[("head 2", "head 3"), ("6 layers", "5 layers"), ("of 3 weights", "of 4 weights"), ("= 512", "= 256")],
        ("is plain.", "is plain. Prove it (19 minutes)."),
    ],
)
def test_names_need_nothing(old, new):
    assert not wrong(old, new)


def test_a_page_by_a_stranger_needs_no_mark():
    page = (
        "# T\n\nIts weights are 0.62 and 0.38, so the blend is 5.\n\n```pycon\n>>> print([0.6177, 0.3823], 5)\n\n```\n"
    )
    assert not check("new.md", page).wrong
    (line,) = check("new.md", page.replace("0.62 and", "0.63 and")).wrong
    assert line == (
        "new.md:3: nothing bears out 0.63: let an example of this section print it, or say behind the paragraph where "
        "it comes from: <!-- check: 0.63 = weights[0] -->, in a fence # check: 0.63 = weights[0]"
    )


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("1/2 = weights[0]", "1/2 = weights[1]", r"trial.md:21: 1/2 is written, but weights\[1\] gives 0.25"),
        ("1/2 = weights[0]", "1/2 = 1/2", "trial.md:21: 1/2 is typed in once more"),
        ("1/2 = weights[0]", "1/9 = weights[0]", "trial.md:21: the text has no 1/9"),
        (
            "twelve = 3 / weights[1]",
            "twelve = weights",
            "trial.md:21: 1 numbers are written, and weights gives 3: 0.5, 0.25",
        ),
        (
            "twelve = 3 / weights[1]",
            "twelve, 721 = weights",
            "trial.md:21: .* no twelve, 721, but twelve, 720",
        ),
        ("1/2 = weights[0]", "weights[0]", "trial.md:21: a mark reads 'numbers = expression'"),
        ("1/2 = weights[0]", "1/2 = weight[0]", "trial.md:21: cannot evaluate .*did you mean 'weights'"),
        ("1/2 = weights[0]", "1/2 = weights.__len__() / 6", "trial.md:21: a mark names what .* nothing with __"),
        ("1/2 = weights[0]", '1/2 = module("benchmarks.suites").D', "trial.md:21: cannot evaluate .*'module' is not"),
        ("n * n + n * n", "3 * n * n", r"trial.md:24: \$2 n\^2\$ is 18.0, but 3 \* n \* n gives 27 {'n': 3}"),
        ("(2, 4) + (2, 0)", "(2, 4) + (2, 1)", r"trial.md:27: not equal: .*= \(2, 4\) \+ \(2, 1\)"),
        ("was 0.7", "was $10^{434}$", r"trial.md:32: the text has no 0\.7"),
        ("1/2 = weights[0]", "1/2 = 10**434 + len(weights)", "trial.md:21: int: int too large"),
        ("given 0.7: our choice", "given 0.7", "trial.md:32: a given number has a reason"),
        ("#vaswani2017)", "#luong2015)", "trial.md:9: nothing bears out 37,400"),
    ],
)
def test_what_is_wrong_is_named_with_page_and_line(old, new, words):
    assert any(re.match(words, line) for line in wrong(old, new)), wrong(old, new)


def test_a_mark_that_no_longer_fits_is_all_that_is_said_of_its_paragraph():
    (line,) = wrong("is 1/2,", "is 1/3,")
    assert line == "trial.md:21: the text has no 1/2"


def test_a_number_that_no_float_can_hold_is_told_in_one_line():
    for number in ("10^{434}", "1.5e999"):
        (line,) = check("new.md", f"# T\n\nThere are ${number}$ times as many.\n").wrong
        assert line.startswith(f"new.md:3: {number} is larger than any float")


def test_a_check_in_a_fence_may_go_on_and_names_its_line():
    assert any("trial.md:36: the text has no 99" in line for line in wrong("10 * 3", "10 * 3; 99 = max(w)"))


def test_a_mark_without_a_paragraph_or_without_an_end_stops():
    with pytest.raises(SpecError, match=r"trial\.md:3: a check stands behind the paragraph"):
        check("trial.md", "\n\n<!-- check: 4 = x -->\n")
    with pytest.raises(SpecError, match=r"trial\.md:2: '<!-- check:' has no '-->'"):
        check("trial.md", "Text.\n<!-- check: 4 = x\n")
