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
