"""The YAML of a fence, or of a page's front matter: the mapping that it holds, and on which line each key is."""

import re
from collections import ChainMap, Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import yaml

from docs_ext.errors import SpecError, did_you_mean

Spec = Mapping[str, Any]  # what an author wrote in a fence
Data = dict[str, Any]  # what is handed to the script that draws it
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C is ten times faster


class _Loader(_SafeLoader):  # type: ignore[misc]
    """Safe YAML in which no key may stand twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        counts = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        for key, _ in reversed(node.value):
            if isinstance(key, yaml.ScalarNode) and counts[key.value] > 1:
                raise yaml.MarkedYAMLError(problem=f"the key {key.value!r} is there twice", problem_mark=key.start_mark)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


def parse(text: str) -> tuple[Data, Mapping[str, int]]:
    """Return the mapping that `text` holds, and the line of each key in it, the inner ones included."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            raise SpecError("a fence holds 'key: value' lines")
        return loader.construct_document(node), _lines(node)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or ""
        if problem.startswith("mapping values"):
            problem = "the colon within this text begins a new key; quote the text"
        raise SpecError(f"YAML: {problem}", line=mark.line if mark else None) from error
    finally:
        loader.dispose()


def _lines(node: yaml.MappingNode) -> ChainMap[str, int]:
    inner = [_lines(item) for _, item in node.value if isinstance(item, yaml.MappingNode)]
    return ChainMap({key.value: key.start_mark.line for key, _ in node.value}, *inner)


def check_keys(spec: Spec, required: Collection[str], optional: Collection[str] | None) -> None:
    """Refuse an unknown key, a missing one, and an id that no HTML document could hold."""
    if optional is not None:  # else the renderer checks further keys itself
        known = sorted({*required, *optional, "id"})
        for key in spec:
            if key not in known:
                hint = did_you_mean(str(key), known) or f"; known: {', '.join(known)}"
                raise SpecError(f"unknown key {key!r}{hint}", key=str(key))
    for key in required:
        if spec.get(key) in (None, ""):
            raise SpecError(f"the key {key!r} is missing", key=key)
    if not re.fullmatch(r"[A-Za-z][\w-]*", str(spec.get("id", "id"))):
        raise SpecError(f"id must be letters, digits and hyphens: {spec['id']!r}", key="id")


def whole(spec: Spec, key: str, least: int, most: int, default: int | None = None) -> int:
    """Return a whole number within these bounds."""
    number = spec.get(key, default)
    if type(number) is not int or not least <= number <= most:
        raise SpecError(f"{key} must be a whole number from {least} to {most}: {number!r}", key=key)
    return number


def one_of(spec: Spec, key: str, allowed: Sequence[Any]) -> Any:
    """Return a value that is one of these."""
    if isinstance(spec[key], bool) or spec[key] not in allowed:
        raise SpecError(f"{key} must be one of {', '.join(map(str, allowed))}: {spec[key]!r}", key=key)
    return spec[key]
