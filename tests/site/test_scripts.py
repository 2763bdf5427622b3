"""The scripts, read without a browser: each custom element has a module of its name; no export is in vain."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "docs/assets/js"
MODULES = {path.relative_to(SCRIPTS).as_posix(): path.read_text("utf-8") for path in sorted(SCRIPTS.rglob("*.js"))}
WIDGETS = {Path(name).stem: text for name, text in MODULES.items() if name.startswith("widgets/")}
TAG = re.compile(r"<([a-z][a-z0-9]*(?:-[a-z0-9]+)+)[\s>/]")


def tags_in(path):
    """Return the custom elements that a page or a module of docs_ext writes: as markup, by figure(tag), as a fence."""
    text = path.read_text("utf-8")
    tags = set(TAG.findall(text))
    if path.suffix == ".py":
        calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and node.args]
        named = [call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "figure"]
        tags |= {tag.value for tag in named if isinstance(tag, ast.Constant)}
        defined = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
        if path.parent.name == "fences" and "data" in defined:
            tags.add(path.stem.replace("_", "-"))  # extensions/fences.py writes it
    return tags


def written():
    sources = [*(ROOT / "docs_ext").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]
    return {tag: path.relative_to(ROOT).as_posix() for path in sorted(sources) for tag in tags_in(path)}


def imports(text):
    """Return the names that a module imports, with the path of each."""
    found = re.findall(r'^import \{([^}]*)\} from "([^"]+)";', text, re.M)
    later = [(",".join(re.findall(rf"\b{module}\??\.(\w+)", text)), path)
             for module, path in re.findall(r'(\w+) \?\?= await import\("([^"]+)"\)', text)]  # fmt: skip
    later += [(name, path) for path, name in re.findall(r'\(await import\("([^"]+)"\)\)\.(\w+)', text)]
    return {(name.strip(), path) for names, path in found + later for name in names.split(",") if name.strip()}


def exports(text):
    return re.findall(r"^export (?:async )?(?:function|const|let|class) (\w+)", text, re.M)


def test_every_custom_element_has_a_module():
    missing = {tag: path for tag, path in written().items() if tag not in WIDGETS}
    assert not missing, [f"{path}: <{tag}> needs docs/assets/js/widgets/{tag}.js" for tag, path in missing.items()]


def test_every_widget_is_written_somewhere():
    assert not {f"docs/assets/js/widgets/{tag}.js: nothing writes <{tag}>" for tag in WIDGETS.keys() - written()}


@pytest.mark.parametrize("tag", WIDGETS)
def test_a_widget_has_what_the_page_and_the_build_call(tag):
    assert "bind" in exports(WIDGETS[tag])
    assert ("first" in exports(WIDGETS[tag])) == ("html" in exports(WIDGETS[tag]))


def test_every_export_is_imported_somewhere():
    used = {(Path(path).name, name) for text in MODULES.values() for name, path in imports(text)}
    used |= {(f"{tag}.js", name) for tag in WIDGETS for name in ("first", "html", "bind")}
    calling = [*(ROOT / "tests/site").rglob("*.py"), *(ROOT / "docs_ext").rglob("*.py")]  # in V8
    calls = "".join(path.read_text("utf-8") for path in calling)
    used |= {
        (Path(module).name, name) for module in MODULES for name in exports(MODULES[module]) if f'"{name}"' in calls
    }
    dead = [f"{module}: {name}" for module, text in MODULES.items() for name in exports(text)
            if (Path(module).name, name) not in used]  # fmt: skip
    assert dead == []
