"""Modules joined into one script: each runs once, when it is needed, and what cannot be joined is refused."""

import pytest
from py_mini_racer import MiniRacer

from docs_ext.html.modules import one_script

MODULES = {
    "main.js": """
import { twice, word as base } from "./lib/base.js";
import {
  Widget,
} from "./widgets/one.js";
const need = "a name that the joined script might want", modules = need, run = need;
async function show() {
  const late = await import("./lib/late.js");
  log(base, twice(21), new Widget().says(), await late.says(), run.length);
  for (const name of ["two", "none", "two"]) {
    const file = `widgets/${name}.js`;
    await import(`./${file}`).then(({ says }) => log(says), () => log(`no ${name}`));
  }
}
ended = show();
log("main has run");
""",
    "lib/base.js": """
log("base runs");
export const word = "word";
export function twice(x) {
  return own * x;
}
const own = 2;
""",
    "lib/late.js": "log('late runs');\nconst own = 'late';\nexport async function says() {\n  return own;\n}\n",
    "widgets/one.js": """
import { word } from "../lib/base.js";
const own = "one";
export class Widget {
  says() {
    return [own, word, "</script>"].join();
  }
}
""",
    "widgets/two.js": "log('two runs');\nconst own = 'two';\nexport const says = own;\n",
}
BROWSER = """
let ended;
const said = [], log = (...words) => said.push(words.join(" "));
const URL = function (path) {  // what is imported late stands below the root
  this.pathname = path.replace(/^[.]/, "");
};
"""
ORDER = [
    "base runs",
    "main has run",
    "late runs",
    "word 42 one,word,</script> late 40",
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


def test_joined_modules_run_once_and_in_the_order_in_which_they_are_needed(tmp_path):
    script = one_script(write(tmp_path, MODULES), "main.js", "widgets/two.js")
    assert "</script" not in script  # it would end its element
    engine = MiniRacer()
    engine.eval(BROWSER + script)
    engine.eval("ended").get()
    assert engine.eval("said.join('\\n')").split("\n") == ORDER


@pytest.mark.parametrize(
    "source",
    ['import "./base.js";\n', "export default 1;\n", 'export * from "./base.js";\n', "export let changes = 1;\n"],
)
def test_what_cannot_be_joined_is_refused(tmp_path, source):
    with pytest.raises(ValueError, match=r"main\.js:1: only imports and exports by name"):
        one_script(write(tmp_path, {"base.js": "", "main.js": source}), "main.js")
