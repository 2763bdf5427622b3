"""What an author writes is text: whatever stands there, it makes no element and no attribute."""

import json
from collections import Counter
from html import unescape

import pytest

from docs_ext.extensions import fences
from docs_ext.spec.errors import SpecError
from docs_ext.spec.expressions import evaluate
from docs_ext.spec.records import to_records
from tests.docs_ext.fences.reading import KINDS, read

ATTACKS = ('<script>alert(1)</script>"><img src=x onerror=1>', "'&amp;")
HARMLESS = "zz"
MARKDOWN = ("explained-code", "quiz-question")  # in Markdown &amp; is a way to write &


def words_in_place(item):
    """Write out expressions that are nothing but words, S5 for example, so that the words can be changed."""
    if isinstance(item, list):
        return list(map(words_in_place, item))
    try:
        words = evaluate(item) if isinstance(item, str) else None
    except SpecError:
        return item
    return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else item


def texts(item):
    """Yield every text in a part of a fence, the names of inner mappings included."""
    if isinstance(item, str):
        yield item
    elif isinstance(item, list):
        for part in item:
            yield from texts(part)
    elif isinstance(item, dict):
        for name, part in item.items():
            yield from texts(name)
            yield from texts(part)


def put(item, old, new):
    """Put one text in the place of another, wherever it stands."""
    if isinstance(item, list):
        return [put(part, old, new) for part in item]
    if isinstance(item, dict):
        return {put(name, old, new): put(part, old, new) for name, part in item.items()}
    return new if item == old else item


def changes(spec):
    """Yield the functions that put a text into a sound fence, each at another place."""
    spec = {key: words_in_place(item) for key, item in spec.items()}
    for old in sorted({text for item in spec.values() for text in texts(item)}):
        yield lambda new, old=old: {key: put(item, old, new) for key, item in spec.items()}
    if "data" in spec:
        yield lambda new: spec | {"data": repr([row | {new: new} for row in to_records(spec)])}
    if "proof" in spec:
        yield lambda new: spec | {"proof": f">>> written = {new!r}\n{spec['proof']}"}


def rendered(name, spec):
    """Return the elements with their attributes, and all text; nothing if the fence is refused."""
    try:
        root = read(fences.fence(name).render(spec))
    except (SpecError, ValueError, TypeError, KeyError):
        return None, ""
    elements = [element for element in root.iter() if isinstance(element.tag, str)]
    values = [value for element in elements for value in element.attrib.values()]
    return Counter((element.tag, *sorted(element.attrib)) for element in elements), "\n".join(
        [*root.itertext(), *values]
    )


@pytest.mark.parametrize(("name", "spec"), KINDS.values(), ids=KINDS)
def test_a_text_stays_a_text(name, spec):
    shown = 0
    for change in changes(spec):
        expected, _ = rendered(name, change(HARMLESS))
        for attack in ATTACKS:
            found, text = rendered(name, change(attack))
            assert found in (expected, None), change(attack)
            written = {attack, json.dumps(attack)[1:-1]} | ({unescape(attack)} if name in MARKDOWN else set())
            assert found is None or any(form in text for form in written), change(attack)
            shown += found is not None
    assert shown
