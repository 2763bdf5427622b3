"""What a reader's type checker says of calls of the package, right and wrong ones."""

import re
import sys

from mypy import api

from tests.tables import beside

PROGRAM = beside(__file__, "calls.python")


def test_a_type_checker_takes_what_the_package_takes_and_refuses_what_it_refuses(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, "utf-8")
    wrong = {at for at, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")}
    said, stopped, _ = api.run(["--strict", f"--python-executable={sys.executable}", str(file)])
    assert {int(line) for line in re.findall(r"program\.py:(\d+): error: ", said)} == wrong, said + stopped
