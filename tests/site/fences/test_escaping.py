"""What an author writes in a fence is text: whatever stands there, it makes no element, no attribute and no address.

A page around the fences is Markdown, in which an author may write HTML. That is trusted, as an expression is: both are
reviewed like code. So an attack on a key that holds an expression is what the expression gives, a text.
"""

import json
from collections import Counter
from html import unescape

import pytest

from docs_ext.errors import SpecError
from docs_ext.extensions import fences
from docs_ext.reading.expressions import evaluate
from docs_ext.reading.fence import parse
from docs_ext.reading.fence_data import to_records
from tests.site.fences.reading import KINDS, ON_PAGES, fences_in, read

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


# Every key of every fence, as its module lists them, or as the fences of the pages have them if it leaves that to Vega.
TABLE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onclick='alert(1)",
    '" onclick="alert(1)',
    "javascript:alert(1)",
    "</script></title></textarea></style>-->",
    "{{79190000-1}}",  # 79189999, were it read as a template
    r"$\href{javascript:alert(1)}{x}$",
    "[x](javascript:alert(1))",
    "![x](javascript:alert(1))",
    "x\n\n```\n\n[x](javascript:alert(1))",
    ">>> 1\n1\n\n```\n\n[x](javascript:alert(1))",
)
FORMULA = r"$\\href{zz:zz(1)}{x}$"  # with two backslashes, as a repr has it, a new line and a word
ALL = " ".join(reversed(TABLE[:-2]))
ADDRESSES = {"href", "src", "srcset", "action", "formaction", "data", "poster"}
EXAMPLES = [
    (name, parse(body)[0])
    for name, body in (*ON_PAGES.values(), *(f[1:] for n in fences.names() for f in fences_in(fences.fence(n).__doc__)))
]


def keys(name):
    module = fences.fence(name)
    written = {key for other, spec in EXAMPLES if other == name for key in spec}
    return sorted({"id", *module.REQUIRED, *(written if module.OPTIONAL is None else module.OPTIONAL)})


def sound(name, key):
    """Return a fence that has the key; where no page has one, any of its name."""
    own = [spec for other, spec in EXAMPLES if other == name]
    return next((spec for spec in own if key in spec), own[0])


def attacked(spec, key, text):
    """Yield the fence with a text in the place of all that the key holds, as it stands and as an expression's value."""
    yield spec | {key: text}
    yield spec | {key: repr(text)}
    yield spec | {key: [text]}
    yield spec | {key: [repr(text)]}
    yield spec | {key: {text: text}}
    for old in sorted(set(texts(words_in_place(spec.get(key))))):
        yield spec | {key: put(words_in_place(spec[key]), old, text)}


def made(name, spec):
    """Return what a fence is made of: its elements with their attributes; None if it is refused, in one line."""
    try:
        html, refusal = fences.render(name, json.dumps(spec), "x"), None  # JSON is YAML
    except SpecError as error:
        html, refusal = None, str(error)
    if refusal is not None:
        assert "\n" not in refusal
        return None, None
    root = read(html)
    elements = [element for element in root.iter() if isinstance(element.tag, str)]
    pairs = [(attribute, value) for element in elements for attribute, value in element.attrib.items()]
    assert not [pair for pair in pairs if str(pair[0]).startswith("on")]
    assert not [value for name, value in pairs if str(name).rpartition("}")[2] in ADDRESSES and "javascript" in value]
    return {(element.tag, *sorted(map(str, element.attrib))) for element in elements}, html


@pytest.mark.parametrize(("name", "key"), [(name, key) for name in fences.names() for key in keys(name)])
def test_no_field_lets_an_attack_through(name, key):
    spec = sound(name, key)
    before, _ = made(name, spec)
    assert before
    tried = [list(attacked(spec, key, text)) for text in (HARMLESS, FORMULA, ALL, *TABLE)]
    for harmless, formula, together, *alone in zip(*tried, strict=True):
        for change in [together, *alone]:
            after, html = made(name, change)
            assert "79189999" not in (html or "")
            for sound_text in (harmless, formula)[: 2 if name in MARKDOWN else 1]:
                if after is not None and not after <= before:
                    before |= made(name, sound_text)[0] or set()
            assert after is None or after <= before, change
            if change is together and after is not None:
                break  # else one of them is refused: each alone
