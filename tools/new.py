"""Write the files of a new piece: `make new-page`, `make new-function`, `make new-widget`.

tools/templates mirrors the project: what stands in templates/widget/docs_ext/fences/snake_name.py is written to
docs_ext/fences/bar_chart.py. What is left to do says "fill in:", and tests fail while it says so.
"""

import argparse
import ast
import keyword
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = Path(__file__).with_name("templates")
WORDS = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class NameRefusedError(ValueError):
    """A name that cannot be taken; the message says why and what would do."""


def page(root: Path, name: str) -> list[str]:
    """Write docs/learn/NAME.md and its line in the nav."""
    if not WORDS.fullmatch(name):
        raise NameRefusedError(f"{name!r} is no name of a page: lower-case words joined by hyphens, as NAME=how-long")
    nav, written = root / "mkdocs.yml", _write(root, "page", name)
    place = _after_last(nav, " +- learn/", f"- learn/{name}.md\n")
    return [*written, place, "move its line in the nav to where a reader needs the page"]


def widget(root: Path, name: str) -> list[str]:
    """Write the fence, its script, and a test of each."""
    if not WORDS.fullmatch(name) or "-" not in name:
        raise NameRefusedError(f"{name!r} is no name of a widget: two lower-case words or more, as in NAME=bar-chart")
    return [*_write(root, "widget", name), f"show it on a page, between ```{name} and ```"]


def function(root: Path, name: str, module: str) -> list[str]:
    """Add a function to a module of attention/, old or new, to the public names, and to the module's tests."""
    package = root / "attention"
    modules = sorted(path.stem for path in package.glob("[!_]*.py"))
    if not module:
        raise NameRefusedError(f"say in which module, a new one or one of {', '.join(modules)}: MODULE=masks")
    for word, what in ((name, "function"), (module, "module")):
        if not re.fullmatch(r"[a-z][a-z0-9_]*", word) or keyword.iskeyword(word):
            raise NameRefusedError(f"{word!r} is no name of a {what}: lower-case words joined by underscores")
    if name in {*modules, module}:
        raise NameRefusedError(f"{name!r} is a module, and a function never shares its name")
    if name in _public(package / "__init__.py"):
        raise NameRefusedError(f"attention has a {name} already")
    new = _write(root, "module", name, module, only_missing=True)
    if f"docs/reference/{module}.md" in new:
        row = f"| [{module}]({module}.md) | fill in: what is in it |\n"
        new += [
            _after_last(root / "mkdocs.yml", " {8,}- reference/", f"- reference/{module}.md\n"),
            _after_last(root / "docs/reference/index.md", r"\| \[(\w+)\]\(\1\.md\) \|", row),
        ]
    changed = [f"attention/{module}.py", f"tests/package/test_{module}.py", "attention/__init__.py"]
    for file in changed[:2]:
        template = TEMPLATES / "function" / file.replace(module, "module_name")
        imports, _, definitions = _named(template.read_text("utf-8"), name, module).partition("\n\n\n")
        text = _with_imports((root / file).read_text("utf-8"), imports)
        (root / file).write_text(f"{text.rstrip()}\n\n\n{definitions}", "utf-8")
    init = package / "__init__.py"
    line = f"from attention.{module} import {name} as {name}"
    init.write_text(_with_imports(init.read_text("utf-8"), line), "utf-8")
    _tidy(*(str(root / file) for file in changed))
    return [*dict.fromkeys([*new, *changed]), "the tests in tests/package name what else belongs to a public function"]


def _write(root: Path, kind: str, name: str, module: str = "", *, only_missing: bool = False) -> list[str]:
    """Copy the templates of a kind to where they belong, or refuse to before anything is written."""
    folder = TEMPLATES / kind
    sources = sorted(path for path in folder.rglob("*.*") if path.suffix in (".py", ".md", ".js"))
    files = {_named(path.relative_to(folder).as_posix(), name, module): path for path in sources}
    there = [file for file in files if (root / file).exists()]
    if there and not only_missing:
        raise NameRefusedError(f"{there[0]} is there already")
    for file in files.keys() - there:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(_named(files[file].read_text("utf-8"), name, module), "utf-8")
    return [file for file in files if file not in there]


def _named(text: str, name: str, module: str) -> str:
    for placeholder, word in (
        ("kebab-name", name),
        ("snake_name", name.replace("-", "_")),
        ("module_name", module),
    ):
        text = text.replace(placeholder, word)
    return text


def _after_last(file: Path, pattern: str, new: str) -> str:
    """Put a line behind the last one that begins with the pattern, as deep as that; return where it stands."""
    lines = file.read_text("utf-8").splitlines(keepends=True)
    last = max(i for i, line in enumerate(lines) if re.match(pattern, line))
    depth = len(lines[last]) - len(lines[last].lstrip())
    lines.insert(last + 1, " " * depth + new)
    file.write_text("".join(lines), "utf-8")
    return f"{file}:{last + 2}"


def _public(init: Path) -> set[str]:
    tree = ast.parse(init.read_text("utf-8"))
    return {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}


def _with_imports(text: str, imports: str) -> str:
    """Put import statements before the first line of code; ruff joins and sorts them."""
    lines = text.splitlines(keepends=True)
    body = ast.parse(text).body
    at = body[0].end_lineno or 0  # of the docstring
    return "".join([*lines[:at], f"\n{imports.strip()}\n", *lines[at:]])


def _tidy(*files: str) -> None:
    """Sort imports and public names as make lint wants them."""
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--quiet", "--fix", "--select", "I,RUF022", *files], check=True)
    subprocess.run([*ruff, "format", "--quiet", *files], check=True)


def main(arguments: list[str] | None = None, root: Path = ROOT) -> None:
    """Write what is asked for, and name it."""
    parser = argparse.ArgumentParser(prog="python -m tools.new", description=__doc__)
    parser.add_argument("kind", choices=["page", "function", "widget"])
    parser.add_argument("name")
    parser.add_argument("module", nargs="?", default="", help="of a function")
    asked = parser.parse_args(arguments)
    try:
        if not asked.name:
            raise NameRefusedError("say its name, as in NAME=how-long")
        if asked.kind == "function":
            lines = function(root, asked.name, asked.module)
        else:
            lines = {"page": page, "widget": widget}[asked.kind](root, asked.name)
    except NameRefusedError as refusal:
        sys.exit(f"new-{asked.kind}: {refusal}")
    shown = [line.removeprefix(f"{root}/") for line in lines]
    print(*shown, 'then fill in what says "fill in:"; until then tests fail', sep="\n")


if __name__ == "__main__":
    main()
