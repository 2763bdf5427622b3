r"""Questions whose answers are settled: each right and each wrong one by an expression that runs.

```quiz-question
question: The odds are 4 to 1, then all scores double. What are they now?
level: core                                 # or warm-up, or stretch: readers see it
proof: |
  >>> import numpy as np
  >>> from attention import softmax
  >>> w = softmax(2 * np.log([4, 1]))
  >>> print((w[0] / w[1]).round(9))
  16.0

right:
  "16 : 1":
    holds: np.isclose(w[0] / w[1], 16)
    because: Doubling the scores squares every ratio of weights.
wrong:
  "8 : 1":
    holds: np.isclose(w[0] / w[1], 8)
    because: The odds are squared, not doubled.
```

`proof` is a console like those of the page: it runs alone, readers see it, and the blank line ends its last output.
`holds` may use what the proof has defined, besides the names that every fence knows; it must be True under `right` and
False under `wrong`. Several right options become checkboxes. A question for a number has other keys instead:

    answer: raw.var()                       # an expression; may give a vector
    tolerance: 0.01                         # of every number in it
    unit: doublings                         # optional
    because: Variances add up.
    mistakes:                               # optional: "4", or "(5, 3)" of a vector
      "16": This is the variance of one product.

Texts are one paragraph of Markdown with TeX, without links. The order of the options comes from a hash. The formulas of
an option are read aloud in words, which `docs_ext/html/formula_words.py` finds.

The HTML, which scripts may rely on (ID is the id of the fence):

    quiz-question#ID[data-key=HASH], with [data-tolerance] if a number is asked for
      fieldset > legend, div.options > label > input
        type=radio, or checkbox if several are right; the value is a position in the list below; or type=text
      details > ul.verdicts > li, one an option or answer: [data-right] if right, [data-value=LIST] > .because
"""

import ast
from collections.abc import Mapping
from hashlib import sha256
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from docs_ext.errors import SpecError
from docs_ext.html.formula_words import spoken
from docs_ext.html.inline import convert, inline
from docs_ext.html.rounding import number, vector
from docs_ext.html.template import template
from docs_ext.reading import consoles
from docs_ext.reading.expressions import evaluate
from docs_ext.reading.keys import Spec

REQUIRED = ("question", "proof")
_CHOICE = ("right", "wrong")
_NUMBER = ("answer", "tolerance", "because")
OPTIONAL = (*_CHOICE, *_NUMBER, "unit", "mistakes", "level")
LEVELS = ("warm-up", "core", "stretch")

_QUIZ = template("""
<div>
<quiz-question id="{{ ident }}" class="widget" data-key="{{ key }}"
  {%- if quiz.tolerance is not none %} data-tolerance="{{ quiz.tolerance }}"{% endif %}>
<fieldset>
<legend>
{%- if quiz.level %}<span class="level">{{ quiz.level | capitalize }}:</span> {% endif %}{{ inline(quiz.question) }}
  {%- if several %} <span class="hint">More than one is right.</span>{% endif %}</legend>
<div class="options" data-search-exclude>
{% if quiz.tolerance is none %}
{% for option in quiz.verdicts %}
{% set words = spoken(inline(option.text)) %}
<label><input type="{{ "checkbox" if several else "radio" }}" name="{{ ident }}-option" value="{{ loop.index0 }}"
  {%- if words %} aria-label="{{ words }}"{% endif %}> <span>{{ inline(option.text) }}</span></label>
{% endfor %}
{% else %}
<label><span>Your answer</span> <input type="text" autocomplete="off" autocapitalize="off" spellcheck="false">
  {%- if quiz.unit %} <span>{{ inline(quiz.unit) }}</span>{% endif %}</label>
{% endif %}
</div>
</fieldset>
<details data-search-exclude>
<summary>Answer and proof</summary>
<ul class="verdicts">
{% for verdict in quiz.verdicts %}
<li{{ " data-right" if verdict.right }}
  {%- if verdict.value is not none %} data-value="{{ verdict.value | json }}"{% endif %}>
  <b>{{ "Right" if verdict.right else "Wrong" }}:</b> {{ inline((verdict.text ~ " " ~ quiz.unit).strip()) }}
<span class="because">{{ inline(verdict.because) }}</span>
<span class="settled">
  {%- if verdict.settled_by != verdict.text %}
  <code>{{ verdict.settled_by }}</code> is {{ verdict.right if verdict.value is none else verdict.text }}
  {%- endif %}</span></li>
{% endfor %}
</ul>
{{ console }}
</details>
</quiz-question>
</div>
""")


class Verdict(NamedTuple):
    """One option, or one answer that a reader may type; the texts are Markdown."""

    text: str
    right: bool
    because: str
    settled_by: str
    value: list[float] | None = None  # of one number, or of a vector


class Quiz(NamedTuple):
    question: str
    proof: str
    verdicts: list[Verdict]
    tolerance: float | None  # None: options to choose from
    unit: str
    level: str


def read(spec: Spec) -> Quiz:
    """Return a question after its proof has run and every answer is settled; the build and the tests read it here."""
    numeric = "answer" in spec
    for key in _NUMBER if numeric else _CHOICE:
        if spec.get(key) in (None, "", {}):
            raise SpecError(f"the key {key!r} is missing", key=key)
    for key in OPTIONAL:
        if key in spec and key != "level" and (key in _CHOICE) == numeric:
            raise SpecError(f"a question has {' and '.join(_CHOICE)}, or an answer: not {key!r} here", key=key)
    level = str(spec.get("level", ""))
    if level not in ("", *LEVELS):
        raise SpecError(f"the level is one of {', '.join(LEVELS)}, not {level!r}", key="level")
    names = run(str(spec["proof"]))
    question, unit = str(spec["question"]), str(spec.get("unit", ""))
    if not numeric:
        options = sorted(_options(spec, names), key=lambda option: _hash(question + option.text))
        return Quiz(question, spec["proof"], options, None, unit, level)
    tolerance, *more = _numbers(spec["tolerance"], names, "tolerance")
    if tolerance <= 0 or more:
        raise SpecError("the tolerance must be one positive number", key="tolerance")
    return Quiz(question, spec["proof"], _answers(spec, names, tolerance), tolerance, unit, level)


def run(proof: str) -> dict[str, Any]:
    """Run a proof, and return the names that it defines."""
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        consoles.run(proof, names)
    except SpecError as error:
        raise SpecError(f"the proof fails: {error}", key="proof", line=error.line) from error
    if not consoles.examples(proof):
        raise SpecError("a proof is a console: it has lines that begin with >>>", key="proof")
    return names


def _options(spec: Spec, names: Mapping[str, Any]) -> list[Verdict]:
    options = [_option(text, item, key) for key in _CHOICE for text, item in _mapping(spec, key).items()]
    for one, other in combinations(options, 2):
        if one.text.strip() == other.text.strip():
            raise SpecError(f"the option {one.text!r} is there twice", key=one.text)
        if one.settled_by == other.settled_by:
            hint = "let each option's 'holds' compare with what that option says"
            raise SpecError(f"the same expression settles {one.text!r} and {other.text!r}: {hint}", key=other.text)
    for option in options:
        holds = _value(option.settled_by, names, option.text)
        if not isinstance(holds, bool | np.bool_):
            raise SpecError(f"{option.text!r}: holds must give True or False, not {holds!r}", key=option.text)
        if holds != option.right:
            side = "right, but it does not hold" if option.right else "wrong, but it holds"
            raise SpecError(f"{option.text!r} is listed as {side}: {option.settled_by}", key=option.text)
    return options


def _mapping(spec: Spec, key: str) -> Mapping[Any, Any]:
    mapping = spec[key]
    if not isinstance(mapping, dict):
        raise SpecError(f"{key} is a mapping: what a reader may answer, then what there is to say about it", key=key)
    return mapping


def _option(text: Any, item: Any, side: str) -> Verdict:
    if not isinstance(text, str):
        raise SpecError(f"YAML reads an option as {text!r}: write it in quotes", key=side)
    if not isinstance(item, dict) or set(item) != {"holds", "because"} or not all(item.values()):
        raise SpecError(f"the option {text!r} needs two keys, holds and because", key=text)
    return Verdict(text, side == "right", str(item["because"]), str(item["holds"]).strip())


def _answers(spec: Spec, names: Mapping[str, Any], tolerance: float) -> list[Verdict]:
    given = str(spec["answer"]).strip()
    answer = _numbers(_value(given, names, "answer"), names, "answer")
    verdicts = [Verdict(_written(answer), True, str(spec["because"]), given, answer)]
    for text, because in _mapping(spec, "mistakes").items() if "mistakes" in spec else ():
        mistake = _numbers(text, names, str(text))
        if len(mistake) != len(answer):
            wanted = f"{len(answer)} number{'s' if len(answer) > 1 else ''}, as in {_written(answer)}"
            raise SpecError(f"the mistake {text} must hold {wanted}", key=str(text))
        if np.abs(np.subtract(mistake, answer)).max() <= 2 * tolerance:
            raise SpecError(f"the mistake {text} is right: the answer is {_written(answer)}", key=str(text))
        verdicts.append(Verdict(_written(mistake), False, str(because), str(text), mistake))
    return verdicts


def _numbers(item: Any, names: Mapping[str, Any], key: str) -> list[float]:
    """Return a number, or the numbers of a vector, as a list."""
    try:
        result = np.asarray(evaluate(item, names) if isinstance(item, str) else item, float)
    except (TypeError, ValueError) as error:
        raise SpecError(f"{item!r} is not a number: {error}", key=key) from error
    if result.ndim > 1 or not result.size:
        raise SpecError(f"{item!r} must be a number or a vector: shape {result.shape}", key=key)
    if not np.isfinite(result).all():
        raise SpecError(f"{item!r} is not finite", key=key)
    return result.reshape(-1).tolist()


def _written(answer: list[float]) -> str:
    return number(answer[0]) if len(answer) == 1 else vector(answer)


def _value(expression: str, names: Mapping[str, Any], key: str) -> Any:
    """Evaluate what settles an answer; a constant would settle nothing."""
    try:
        value = evaluate(expression, names)
    except SpecError as error:
        raise SpecError(f"{key!r}: {error}", key=key) from error
    if not any(isinstance(node, ast.Name) for node in ast.walk(ast.parse(expression, mode="eval"))):
        raise SpecError(f"{key!r}: {expression!r} proves nothing, since it names nothing", key=key)
    return value


def render(spec: Spec) -> Markup:
    """Turn the mapping of a fence into HTML."""
    quiz = read(spec)
    return _QUIZ(
        quiz=quiz,
        ident=spec["id"],
        key=_hash(quiz.question + repr(quiz.verdicts))[:12],  # an edited question is a new one
        several=sum(verdict.right for verdict in quiz.verdicts) > 1,
        console=convert(f"```pycon\n{quiz.proof.strip()}\n\n```"),
        inline=inline,
        spoken=spoken,
    )


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()
