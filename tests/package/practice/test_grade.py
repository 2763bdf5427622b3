"""A class is graded file by file, and no file stops the others, whatever it does."""

import csv
import io
from pathlib import Path

import pytest

from attention.practice import grade
from attention.practice.__main__ import main
from tests.conftest import ROOT
from tests.package.practice.solutions import BODIES, filled

COLUMNS = "powers = np.exp(scores - scores.max())\nreturn powers / powers.sum(axis=0)"
CLASS = {  # files, and what is told of each
    "anna-7.py": (filled(BODIES, 7), "12 7 ++++++++++++"),
    "ben-8.py": (filled(BODIES | {"softmax": COLUMNS}, 8), "11 8 +-++++++++++ softmax: softmax-axis"),
    "cleo-9.py": (filled(BODIES | {"causal_mask": "while True: n"}, 9), "11 9 ++++~+++++++ causal_mask: took too long"),
    "dan-10.py": (filled(BODIES, 7), "12 7 ++++++++++++ seed 7, not 10"),
    "eve-11.py": ("def (:\n" + filled(BODIES, 11), "-- 11 not graded: SyntaxError in line 1: invalid syntax"),
    "fay/12/answer.py": ("\ufeff" + filled({"softmax": BODIES["softmax"]}, 12), "1 12 .+.........."),
    "gil-13.py": (filled(BODIES, 13) + "import os\nos.remove(__file__)\ndel __name__", "12 13 ++++++++++++"),
    "hal-14.py": (filled(BODIES, 7).replace("= 7 ", "= 14 "), "12 14 ++++++++++++ not the examples of seed 14"),
    "ida-15.py": ("import os\nos._exit(0)", "-- 0 seed 0, not 15; not graded: it ends Python"),
    "jan-0.py": ("import sys\nopen(sys.argv[3], 'a').write('{\\n')", "-- 0 not graded: it writes its own report"),
    "kim.ipynb": ("{}", "-- - not graded: a notebook: wants a .py file"),
    "leo.py": (filled(BODIES), "-- 0 not graded: no seed in its name"),
}


def test_a_class_is_graded_whatever_its_files_do(capsys):
    for name, (text, _) in CLASS.items():
        path = Path("class", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    before = sorted(Path("class").rglob("*"))
    assert main(["grade", "class", "--seed-from-name"]) == grade.SOME_NOT
    told = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert told[1:-2] == [f"{name} {says}" for name, (_, says) in CLASS.items()]
    assert sorted(Path("class").rglob("*")) == before
    page = (ROOT / "docs/teach/grading.md").read_text("utf-8").split("```text\n")[1].split("```")[0]
    assert [" ".join(line.split()) for line in page.splitlines()] == told[:6]
    assert main(["grade", "class/fay", "--csv"]) == grade.ALL_GRADED
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["points"], row["seed"], row["softmax"], row["attend"]) == ("1", "12", "right", "empty")


@pytest.mark.parametrize("where", ["nowhere", "."])
def test_a_folder_with_nothing_to_grade_is_refused(where, capsys):
    assert main(["grade", where]) == grade.UNUSABLE
    assert "no" in capsys.readouterr().err
