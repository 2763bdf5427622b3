"""A class is graded file by file, and no file stops the others, whatever it does."""

import csv
import io
from pathlib import Path

from attention.practice import grade
from attention.practice.__main__ import main
from tests.conftest import ROOT
from tests.package.practice.solutions import BODIES, filled
from tests.tables import beside

CLASS = beside(__file__, "class.toml")


def test_a_class_is_graded_whatever_its_files_do(capsys):
    for name, one in CLASS.items():
        text, seed = filled(BODIES | one.get("bodies", {}), one["seed"]), one.get("typed", one["seed"])
        text = one.get("before", "") + text.replace(f"SEED = {one['seed']}", f"SEED = {seed}") + one.get("after", "")
        Path("class", name).parent.mkdir(parents=True, exist_ok=True)
        Path("class", name).write_text(text, "utf-8")
    before = sorted(Path("class").rglob("*"))
    assert main(["grade", "class", "--seed-from-name"]) == grade.SOME_NOT
    told = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert told[1:-2] == [f"{name} {one['says']}" for name, one in CLASS.items()]
    assert sorted(Path("class").rglob("*")) == before
    page = (ROOT / "docs/teach/grading.md").read_text("utf-8").split("```text\n")[1].split("```")[0]
    assert [" ".join(line.split()) for line in page.splitlines()] == told[:6]
    assert main(["grade", "class/fay", "--csv"]) == grade.ALL_GRADED
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["points"], row["seed"], row["softmax"], row["attend"]) == ("11", "12", "wrong", "right")
    Path("empty").mkdir()
    assert [main(["grade", where]) for where in ("nowhere", "empty")] == [grade.UNUSABLE] * 2
