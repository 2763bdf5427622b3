"""Modules as classic scripts: V8 in the build takes no others, and from a disk a browser loads no module.

deno, which is locked, could join them too, but it fetches the program that does (esbuild) when it is first asked, from
a registry and without a hash that a lock has; and a build installs no deno.
"""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import NamedTuple

from docs_ext.errors import did_you_mean

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


class Module(NamedTuple):
    """A module that asks `$need` for what it imports; each line stands where it stood."""

    code: str
    exports: str


def one_script(folder: Path, first: str, *others: str) -> str:
    """Write a module of a folder, and all that it needs, as one script that runs it; `others` have names it computes.

    As in a browser, a module runs once, after those that it imports, and what `import()` asks for when it is asked for.
    """
    modules = (
        f'"{name}": () => {{\n{module.code}\nreturn {{ {module.exports} }};\n}},'
        for name, module in read_modules(folder, first, *others).items()
    )
    text = "\n".join(modules).replace("</script", "<\\/script")
    return _SCRIPT.format(modules=text, then=f'$need("{first}");')


def read_modules(folder: Path, *names: str) -> dict[str, Module]:
    """Read modules, and all that they need, by name; a ValueError says on which line one asks for what is not there."""
    sources = dict[str, str]()
    missing = [*names]
    while missing:
        name = missing.pop()
        if name not in sources:
            sources[name] = (folder / name).read_text("utf-8")
            for found in _imports(sources[name]):
                target = _at(name, found["path"])
                if not (folder / target).is_file():
                    raise ValueError(f"{_place(name, found)}: there is no {target}")
                missing.append(target)
    for name, source in sources.items():
        for found in _IMPORT.finditer(source):
            target = _at(name, found["path"])
            exports = _exports(sources[target])
            for wanted in set(re.findall(r"(\w+)(?: as \w+)?", found["names"])).difference(exports):
                hint = did_you_mean(wanted, exports)
                raise ValueError(f"{_place(name, found)}: {target} exports no {wanted}{hint}")
    return {name: _module(name, source) for name, source in sorted(sources.items())}


def _imports(source: str) -> list[re.Match[str]]:
    return [found for kind in (_IMPORT, _LATER) for found in kind.finditer(source) if found["path"]]


def _exports(source: str) -> list[str]:
    return [found["name"] for found in _EXPORT.finditer(source)]


def _module(name: str, source: str) -> Module:
    code = _EXPORT.sub("", source)
    code = _IMPORT.sub(lambda found: _needed(found["names"], _at(name, found["path"])), code)
    code = _LATER.sub(f'$import("{name}", ', code)
    if left := _LEFT.search(code):
        raise ValueError(f"{_place(name, left)}: only imports and exports by name can be joined: {left[0]}")
    return Module(code, ", ".join(_exports(source)))


def _place(name: str, found: re.Match[str]) -> str:
    return f"{name}:{found.string.count(chr(10), 0, found.start()) + 1}"


def _needed(names: str, module: str) -> str:
    return f'const {names.replace(" as ", ": ")} = $need("{module}");'


def _at(name: str, path: str) -> str:
    return normpath(PurePosixPath(name).parent / path)
