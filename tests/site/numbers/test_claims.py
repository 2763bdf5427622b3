"""Numbers in the text of a page: each one that is true is bound, and a change of any of them is noticed."""

import re

import pytest

from docs_ext.errors import SpecError
from docs_ext.numbers.claims import check
from docs_ext.reading.prose import without_checks
from docs_ext.records import facts

PAGE = r"""---
title: Three weights
description: The largest of 3 weights.
# check: 3 = len(weights)
---

# A page of 3 weights

<!-- check: 3 = len(weights) -->

In 2017 it had 8 heads ([Vaswani et al. 2017](../reference/sources.md#vaswani2017), appendix B.2, §3.2.2), as `float32`.
<!-- check: 8 = fact("vaswani2017", "heads") -->

```pycon
>>> import numpy as np
>>> weights = np.array([1/2, 1/4, 1/4])
>>> x = 5
>>> print(weights @ [4, 8, 12], 65536)
7.0 65536

```

The first weight is 1/2, the others 25% each, and 65,536 is printed above. The blend is 7, and about 700 in hundredths.
The rest is -1 degrees.
<!-- check: 1/2 = weights[0]; 25% = weights[1]; 7 = weights @ [4, 8, 12];
     ~700 = 100 * weights @ [4, 8, 12] + 3; -1 = x - 6 -->

| key | value |
| --- | --- |
| 2 | 13 |

<!-- check: 2 = 1 / weights[0]; 13 == 8 + 5 -->

By hand, with $2 n^2$ for $n = 3$:
<!-- check: $2 n^2$ = n * n + n * n for n in (3, 5); 3 = len(weights) -->

$$
\tfrac12 (4, 8) + \tfrac14 \cdot 2^{3} (1, 0) = (2, 4) + (2, 0) = (4, 4)
\tag{1}
$$

Equation (1) is plain. The layers are 6 here.
<!-- check: given 6: our choice -->

## Another section

```pycon
>>> x = 4

```

Here x is 4.
<!-- check: 4 = x -->

```quiz-question
# check: 3 = len(w); 5 = max(w)
question: Which of 3 is the largest?
proof: |
  >>> w = [1, 5, 3]
  >>> max(w)
  5

right:
  "5":
    holds: max(w) == 5
    because: It is 5.
wrong:
  "$(5, 3)$":
    holds: w == [5, 3]
    because: Two are no number.
```
"""
FACTS = "vaswani2017:\n  heads: {value: 8, place: §3.2.2}\n"


@pytest.fixture(autouse=True)
def _facts(tmp_path, monkeypatch):
    (tmp_path / "facts.yml").write_text(FACTS, "utf-8")
    monkeypatch.setattr(facts, "FILE", tmp_path / "facts.yml")


def noticed(text):
    report = check("trial.md", text)
    return bool(report.wrong or report.unbound)


def test_every_number_of_the_page_is_bound():
    report = check("trial.md", PAGE)
    assert not report.wrong
    assert not [(number.line, number.numeral.text) for number in report.unbound]
    assert {number.by for number in report.found} == {"check", "example", "arithmetic", "premise", "given"}
    assert report.noticed > 0.97 * len(report.found)


CHANGED = [  # each once in the text of the page
    ("of 3 weights.", "of 2 weights."), ("page of 3", "page of 4"), ("had 8 heads", "had 6 heads"),
    ("is 1/2,", "is 1/3,"), ("others 25%", "others 35%"), ("65,536 is", "65,636 is"), ("blend is 7", "blend is 1"),
    ("about 700", "about 800"), ("is -1 deg", "is 1 deg"), ("| 2 | 13 |", "| 3 | 13 |"), ("| 2 | 13 |", "| 2 | 14 |"),
    ("with $2 n^2$", "with $3 n^2$"), ("with $2 n^2$", "with $2 n^3$"), ("$n = 3$", "$n = 4$"),
    (r"\tfrac12 (4, 8)", r"\tfrac13 (4, 8)"), ("(4, 8) +", "(4, 9) +"), ("2^{3} (1", "2^{4} (1"),
    ("= (2, 4)", "= (2, 5)"), ("= (4, 4)", "= (4, 5)"), ("are 6 here", "are 5 here"), ("x is 4", "x is 5"),
    ("Which of 3", "Which of 2"), ("It is 5", "It is 3"), ('"5":', '"3":'), ("$(5, 3)$", "$(5, 2)$"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), CHANGED, ids=[f"{old} -> {new}" for old, new in CHANGED])
def test_a_number_that_is_changed_is_noticed(old, new):
    assert PAGE.count(old) == 1
    assert noticed(PAGE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("is 1/2,", "is 1/3,", "trial.md:25: the text has no 1/2, or not in this order"),
        ("weights[0]; 25%", "weights[1]; 25%", r"trial.md:23: 1/2 is written, but weights\[1\] gives 0.25"),
        ("(2, 4) + (2, 0)", "(2, 4) + (2, 1)", r"trial.md:38: not equal: .*= \(2, 4\) \+ \(2, 1\)"),
        ("n * n + n * n", "3 * n * n", r"trial.md:35: \$2 n\^2\$ is 18.0, but 3 \* n \* n gives 27 {'n': 3}"),
        ("4 = x", "4 = 4", "trial.md:53: 4 is typed in once more, and nothing computes it"),
        ("4 = x", "4 = 4 * 1", "trial.md:53: 4 \\* 1 is typed in once more"),
        ("4 = x", "x < 4", "trial.md:53: not true: x < 4"),
        ("4 = x", "4 = weight[1]", "trial.md:53: cannot evaluate .*did you mean 'weights'"),
        ("4 = x", "4, 4 = x", "trial.md:53: the text has no 4"),
        ("4 = x", "x", "trial.md:53: a check reads"),
        ("4 = x", "4 = x == 4", "trial.md:53: True and False are no numbers"),
        ("given 6: our choice", "given 6", "trial.md:43: a given number has a reason"),
        (
            '"heads")',
            '"head")',
            r"trial.md:12: cannot evaluate .*facts.yml has no fact of vaswani2017 'head' \(did you mean 'heads'",
        ),
        ("#vaswani2017)", "#luong2015)", "trial.md:12: a fact of vaswani2017 needs a link to it in the same paragraph"),
        ("The first weight", "6. The first weight", r"trial.md:23: '6. ' begins a list.* write '6\\. '"),
        ("13 == 8 + 5", "13 == 8 + 4", "trial.md:32: not true: 13 == 8 \\+ 4"),
    ],
)
def test_what_is_wrong_is_named_with_page_and_line(old, new, words):
    assert PAGE.count(old) == 1
    assert any(re.match(words, line) for line in check("trial.md", PAGE.replace(old, new)).wrong)


def test_a_check_without_a_paragraph_or_without_an_end_stops():
    with pytest.raises(SpecError, match=r"trial\.md:3: a check stands behind the paragraph"):
        check("trial.md", "\n\n<!-- check: 4 = x -->\n")
    with pytest.raises(SpecError, match=r"trial\.md:2: '<!-- check:' has no '-->'"):
        check("trial.md", "Text.\n<!-- check: 4 = x\n")


def test_a_list_counts_on_from_one():
    assert not noticed("# T\n\n1. One.\n2. Two.\n\nBetween.\n\n    3. Three.\n4. Four.\n\nOther.\n\n1. One.\n")
    assert noticed("# T\n\n1. One.\n2. Two.\n\n4. Four.\n")


def test_exercises_count_from_one():
    assert not noticed("# T\n\n**1. One.** Do this.\n\nBetween.\n\n**2. Two.** Do that.\n")
    assert noticed("# T\n\n**1. One.** Do this.\n\n**3. Two.** Do that.\n")


def test_a_row_is_evidence_where_its_numbers_alone_are_not():
    page = "# T\n\nThe row is 8, 4, 1.\n\n```pycon\n>>> print(1, 2, 8, 4, 1, 0, 6)\n1 2 8 4 1 0 6\n\n```\n"
    assert not noticed(page)
    assert noticed(page.replace("8, 4, 1.", "8, 4, 2."))
    assert noticed(page.replace("is 8, 4, 1.", "is 4."))  # five of the ten digits stand there


def test_no_reader_meets_a_check():
    lines = without_checks(PAGE.splitlines())
    assert not [line for line in lines if "<!--" in line or "-->" in line]
    assert "# check: 3 = len(w); 5 = max(w)" in lines  # a comment of YAML
    assert [line for line in PAGE.splitlines() if line in lines] == lines
    shown = ["```text", "<!-- check: 3 = x -->", "```"]
    assert without_checks(shown) == shown
