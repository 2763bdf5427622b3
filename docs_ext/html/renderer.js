// Modules in V8: one runs when something needs it, and once. It is parsed when it is loaded: run to its first statement,
// $parsed.

const modules = {}, made = {};
let isParsed = false;
const $need = (name) => {
  if (!(name in modules)) throw new Error("there is no such script");
  return made[name] ??= (0, eval)(modules[name]);
};
globalThis.$parsed = () => {
  isParsed = true;
  throw null;
};
globalThis.load = (name, place, code, exports) => {
  isParsed = false;
  delete made[name];
  modules[name] = `"use strict";${code}\n;({ ${exports} });\n//# sourceURL=${place}`;
  try {
    (0, eval)(`"use strict";$parsed();${code}`);
  } finally { // what is wrong in a module passes on, with its place
    // deno-lint-ignore no-unsafe-finally
    if (isParsed) return true;
  }
};
globalThis.call = (name, part, given) => {
  const found = $need(name)[part];
  if (typeof found !== "function") throw new Error(`it does not export ${part}`);
  return found(...given);
};
globalThis.draw = (name, data) => {
  const first = call(name, "first", [data]);
  return `${call(name, "html", [data, first, null])}`;
};
