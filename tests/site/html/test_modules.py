"""Modules joined into one script do what they do apart; Deno, which runs both, is the judge."""

import subprocess

import pytest

from docs_ext.html.modules import one_script


@pytest.fixture
def prints():
    """Return a function that runs a script and returns what it prints."""
    import deno

    def prints(path):
        run = subprocess.run(
            [deno.find_deno_bin(), "run", "--no-config", f"--allow-read={path.parent}", path],
            capture_output=True,
            text=True,
            env={"NO_COLOR": "1", "DENO_NO_UPDATE_CHECK": "1"},
        )
        assert not run.returncode, run.stderr
        return run.stdout

    return prints


MODULES = {
    "main.js": """
import { twice, word as base } from "./lib/base.js";
import {
  Widget,
} from "./widgets/one.js";
const need = "a name that the joined script might want", modules = need, run = need;
async function show() {
  const late = await import("./lib/late.js");
  console.log(base, twice(21), new Widget().says(), await late.says(), run);
  for (const name of ["two", "none", "two"]) {
    const file = `widgets/${name}.js`;
    await import(`./${file}`).then(({ says }) => console.log(says), () => console.log(`no ${name}`));
  }
}
show();
console.log("main has run");
""",
    "lib/base.js": """
console.log("base runs");
export const word = "word";
export function twice(x) {
  return own * x;
}
const own = 2;
""",
    "lib/late.js": """
console.log("late runs");
const own = "late";
export async function says() {
  return own;
}
""",
    "widgets/one.js": """
import { word } from "../lib/base.js";
const own = "one";
export class Widget {
  says() {
    return [own, word, "</script>"].join();
  }
}
""",
    "widgets/two.js": """
console.log("two runs");
const own = "two";
export const says = own;
""",
}
ORDER = [
    "base runs",
    "main has run",
    "late runs",
    "word 42 one,word,</script> late",
    "two runs",
    "two",
    "no none",
    "two",
]


def write(folder, modules):
    for name, source in modules.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(source, "utf-8")
    return folder


def test_joined_modules_print_what_they_print_apart(tmp_path, prints):
    script = one_script(write(tmp_path, MODULES), "main.js", "widgets/two.js")
    (tmp_path / "joined.cjs").write_text(script, "utf-8")
    apart = prints(tmp_path / "main.js")
    assert [line.partition(" a name")[0] for line in apart.splitlines()] == ORDER
    assert prints(tmp_path / "joined.cjs") == apart


def test_a_script_cannot_end_its_element_early(tmp_path):
    assert "</script" not in one_script(write(tmp_path, MODULES), "main.js")


@pytest.mark.parametrize(
    "source",
    ['import "./base.js";\n', "export default 1;\n", 'export * from "./base.js";\n', "export let changes = 1;\n"],
)
def test_what_cannot_be_joined_is_refused(tmp_path, source):
    with pytest.raises(ValueError, match=r"main\.js:1: only imports and exports by name"):
        one_script(write(tmp_path, {"base.js": "", "main.js": source}), "main.js")
