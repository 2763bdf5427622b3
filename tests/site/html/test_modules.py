"""Modules joined into one script: each runs once, when it is needed, and what cannot be joined is refused."""

from pathlib import Path

import pytest
from py_mini_racer import MiniRacer

from docs_ext.html.modules import one_script

MODULES = Path(__file__).with_name("modules")  # scripts as the site's, joined and run below


def write(folder, modules):
    for name, source in modules.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(source, "utf-8")
    return folder


def test_joined_modules_run_once_and_in_the_order_in_which_they_are_needed():
    script = one_script(MODULES, "main.js", "widgets/two.js")
    assert "</script" not in script  # it would end its element
    said = (MODULES / "said.txt").read_text("utf-8").splitlines()
    engine = MiniRacer()
    engine.eval((MODULES / "browser.js").read_text("utf-8") + script)
    assert engine.eval("said.join('\\n')").split("\n") == said


@pytest.mark.parametrize(
    "source",
    ['import "./base.js";\n', "export default 1;\n", 'export * from "./base.js";\n', "export let changes = 1;\n"],
)
def test_what_cannot_be_joined_is_refused(tmp_path, source):
    with pytest.raises(ValueError, match=r"main\.js:1: only imports and exports by name"):
        one_script(write(tmp_path, {"base.js": "", "main.js": source}), "main.js")
