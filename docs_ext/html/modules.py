"""Modules joined into one classic script, for a file that opens from a disk: a browser loads no module from there."""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath

_NAME = r"(?:const|(?:async )?function|class) (?P<name>\w+)"
_EXPORT = re.compile(rf"^export (?={_NAME})", re.MULTILINE)
_IMPORT = re.compile(r'^import (?P<names>\{[^}]*\}) from "(?P<path>[^"]+)";$', re.MULTILINE)
_LATER = re.compile(r'\bimport\((?="(?P<path>[^"]+)"|)')
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)

# Each module is a function, so that its names are its own; it runs when something needs it, and once.
_SCRIPT = """\
(() => {{
"use strict";
const modules = {{
{modules}
}};
const run = {{}};
const $need = (name) => {{
  if (!(name in modules)) throw new Error(`there is no ${{name}}`);
  return run[name] ??= modules[name]();
}};
const $import = async (from, path) => {{
  await null; // what asked goes on first
  return $need(new URL(path, `file:///${{from}}`).pathname.slice(1));
}};
{then}
}})();
"""


_CALL = """\
globalThis.call = (name, part, given) => {
  const made = $need(name)[part];
  if (typeof made !== "function") throw new Error(`it does not export ${part}`);
  return made(...given);
};"""


def one_script(folder: Path, first: str, *others: str) -> str:
    """Write a module of a folder, and all that it needs, as one script that runs it; `others` have names it computes.

    As in a browser, a module runs once, after those that it imports, and what `import()` asks for when it is asked for.
    """
    return _SCRIPT.format(modules=_joined(folder, first, *others), then=f'$need("{first}");')


def library(folder: Path, *names: str) -> str:
    """Write modules, and all that they need, as a script that defines `call(module, function, arguments)`."""
    return _SCRIPT.format(modules=_joined(folder, *names), then=_CALL)


def _joined(folder: Path, *names: str) -> str:
    bodies: dict[str, str] = {}
    missing = [*names]
    while missing:
        name = missing.pop()
        if name not in bodies:
            source = (folder / name).read_text("utf-8")
            bodies[name] = _body(name, source)
            paths = [found["path"] for kind in (_IMPORT, _LATER) for found in kind.finditer(source)]
            missing += [_at(name, path) for path in paths if path]
    return "\n".join(bodies[name] for name in sorted(bodies))


def _body(name: str, source: str) -> str:
    exports = ", ".join(found["name"] for found in _EXPORT.finditer(source))
    source = _EXPORT.sub("", source)
    source = _IMPORT.sub(lambda found: _needed(found["names"], _at(name, found["path"])), source)
    source = _LATER.sub(f'$import("{name}", ', source).replace("</script", "<\\/script")
    if left := _LEFT.search(source):
        raise ValueError(f"{name}: only imports and exports by name can be joined: {left[0]}")
    return f'"{name}": () => {{\n{source}\nreturn {{ {exports} }};\n}},'


def _needed(names: str, module: str) -> str:
    return f'const {names.replace(" as ", ": ")} = $need("{module}");'


def _at(name: str, path: str) -> str:
    return normpath(PurePosixPath(name).parent / path)
