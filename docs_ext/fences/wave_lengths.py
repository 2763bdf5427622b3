"""The wavelengths of the pairs of a rotary head, before and after a rule for long texts has slowed them down.

    ```wave-lengths
    caption: The wavelengths of all pairs, before and after
    rule: yarn        # none, interpolation, ntk, yarn or llama
    factor: 4         # a power of two up to 64
    trained: 4096     # tokens, a power of two from 512 to 131072
    base: 10000       # from 2 to ten million
    features: 64      # 16, 64 or 128
    ```

The drawing has a line for each pair, from its wavelength before to that after, on a logarithmic axis. The table below
counts, for every rule, the pairs that stay, and those that meet angles which they never showed in training.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from docs_ext.errors import SpecError
from docs_ext.html.tables import scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import widget

REQUIRED = ("caption", "rule", "factor", "trained", "base", "features")
OPTIONAL = ()
FACTORS = [2**k for k in range(7)]
LENGTHS = [2**k for k in range(9, 18)]
FEATURES = [16, 64, 128]
BASES = (2, 10**7)
ROUNDING = 1e-9  # what two equal frequencies may differ by

Floats = NDArray[np.float64]


class Head(NamedTuple):
    """What the rules need to know of a head."""

    factor: int
    trained: int
    base: int
    features: int

    def frequencies(self) -> Floats:
        """Return what a pair turns by, in radians a token."""
        return np.asarray(float(self.base) ** (-np.arange(0, self.features, 2) / self.features))


def _blend(theta: Floats, keep: Floats, factor: float) -> Floats:
    share = np.clip(keep, 0, 1)
    return share * theta + (1 - share) * theta / factor


def _ntk(theta: Floats, head: Head) -> Floats:
    return np.asarray(theta / head.factor ** np.linspace(0, 1, len(theta)))


def _yarn(theta: Floats, head: Head) -> Floats:
    """Raise the share along the pairs, from the one with 32 turns to the one with one, as the published code does."""

    def pair(turns: float) -> float:
        there = np.log(head.trained / (2 * np.pi * turns)) / (2 * np.log(head.base))
        return float(head.features * there)

    first, last = max(np.floor(pair(32)), 0), min(np.ceil(pair(1)), head.features - 1)
    return _blend(theta, 1 - (np.arange(len(theta)) - first) / (last - first or 0.001), head.factor)


def _llama(theta: Floats, head: Head) -> Floats:
    turns = head.trained * theta / (2 * np.pi)
    return _blend(theta, (turns - 1) / (4 - 1), head.factor)


RULES: dict[str, tuple[str, Callable[[Floats, Head], Floats]]] = {
    "none": ("no rule", lambda theta, head: theta),
    "interpolation": ("position interpolation", lambda theta, head: theta / head.factor),
    "ntk": ("NTK-aware", _ntk),
    "yarn": ("YaRN", _yarn),
    "llama": ("Llama 3.1", _llama),
}


class Change(NamedTuple):
    """What a rule makes of a head."""

    before: Floats  # wavelengths
    after: Floats
    new: NDArray[np.bool_]  # meets angles that it has never shown
    never: int  # pairs that never completed a turn
    kept: int
    whole: int  # slowed by the whole factor
    degrees: float  # the fastest pair, a token
    scores: float  # what all scores are multiplied by

    @property
    def between(self) -> int:
        """Count the pairs that are slowed by less than the factor."""
        return len(self.before) - self.kept - self.whole


def change(rule: str, head: Head) -> Change:
    """Apply a rule and count what it does."""
    theta = head.frequencies()
    slow = RULES[rule][1](theta, head)
    never = 2 * np.pi / theta > head.trained
    stay = theta / slow < 1 + ROUNDING
    whole = ~stay & (theta / slow > head.factor * (1 - ROUNDING))
    return Change(
        2 * np.pi / theta,
        2 * np.pi / slow,
        never & (head.factor * slow > theta * (1 + ROUNDING)),
        int(never.sum()),
        int(stay.sum()),
        int(whole.sum()),
        float(np.degrees(slow[0])),
        float((0.1 * np.log(head.factor) + 1) ** 2) if rule == "yarn" else 1.0,
    )


def statement(rule: str, head: Head, made: Change) -> str:
    """Say what a rule does: 'YaRN, factor 4: 18 of 64 pairs never completed a turn in 4,096 tokens. ...'."""
    return (
        f"{RULES[rule][0]}, factor {head.factor}: {made.never} of {len(made.before)} pairs never completed a turn in "
        f"{head.trained:,} tokens. In {head.factor * head.trained:,} tokens {made.new.sum()} of them meet new angles. "
        f"{made.kept} pairs stay as they are, {made.between} become slower by less than {head.factor}, "
        f"and {made.whole} by {head.factor}. The fastest turns by {made.degrees:.1f} degrees a token."
    )


_ROWS = template("""
<thead>
<tr><th scope="col">rule</th><th scope="col">pairs that meet new angles</th><th scope="col">that stay</th>
  <th scope="col">slowed by less</th><th scope="col">by the whole factor</th>
  <th scope="col">degrees a token, fastest</th><th scope="col">scores times</th></tr>
</thead>
<tbody>
{% for key, name, made in rows %}
<tr data-rule="{{ key }}"{% if key == rule %} data-chosen{% endif %}><th scope="row">{{ name }}</th>
  <td>{{ made.new.sum() }}</td><td>{{ made.kept }}</td><td>{{ made.between }}</td><td>{{ made.whole }}</td>
  <td>{{ "%.1f" | format(made.degrees) }}</td><td>{{ "%.3f" | format(made.scores) }}</td></tr>
{% endfor %}
</tbody>
""")
_FIGURE = template("""
<svg class="waves" viewBox="0 0 400 170" role="img" aria-labelledby="{{ ident }}-drawing"
  aria-describedby="{{ ident }}-desc">
<title id="{{ ident }}-drawing">{{ caption }}</title>
<desc id="{{ ident }}-desc">{{ says }}</desc>
<g class="pairs">
{% for before, after, new in pairs %}
<path{% if new %} class="new"{% endif %} d="M{{ x(before) }} 40V54L{{ x(after) }} 106V120"/>
{% endfor %}
</g>
<g class="lengths"><path d="M{{ x(trained) }} 20V128"/><text x="{{ x(trained) }}" y="28">{{ trained_text }}</text>
<path class="target" d="M{{ x(target) }} 6V128"/><text x="{{ x(target) }}" y="13">{{ target_text }}</text></g>
<text class="row" y="51">before</text><text class="row" y="117">after</text>
<path class="axis" d="M8 128H392"/>
<g class="ticks">
{% for power in powers %}
<text x="{{ x(10**power) }}" y="143">{{ short(power) }}</text>
{% endfor %}
</g>
<text class="title" x="200" y="162">wavelength in tokens</text>
</svg>
{{ table }}
""")


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    rule, head = str(_one_of(spec, "rule", list(RULES))), _head(spec)
    made = {key: change(key, head) for key in RULES}
    chosen, ntk, ident, caption = made[rule], made["ntk"], str(spec["id"]), str(spec["caption"])
    says, target = statement(rule, head, chosen), head.factor * head.trained
    decades = int(np.ceil(np.log10(max(target, head.factor * chosen.before[-1]))))  # the axis, the same for all rules
    figure = _FIGURE(
        ident=ident,
        caption=caption,
        says=says,
        pairs=zip(chosen.before, chosen.after, chosen.new, strict=True),
        x=lambda wavelength: f"{8 + 384 * np.log10(wavelength) / decades:.1f}",
        trained=head.trained,
        trained_text=f"trained on {head.trained:,}",
        target=target,
        target_text=f"to read {target:,}",
        powers=range(decades + 1),
        short=_short,
        table=scrolling_table(
            "steps", caption, _ROWS(rule=rule, rows=[(key, RULES[key][0], made[key]) for key in RULES])
        ),
    )
    return widget(
        "wave-lengths",
        ident,
        title=caption,
        question=f"{ntk.never} of the {len(ntk.before)} pairs never completed a turn in training. NTK-aware scaling "
        f"slows the last of them by the whole factor {head.factor}. How many of the {ntk.never} still meet new angles?",
        answer=f"{ntk.new.sum()}. Only the last pair is slowed by the whole factor. The others move on into a part of "
        "the circle that they never showed.",
        body=figure,
        says=says,
        rule=rule,
        names={key: name for key, (name, _) in RULES.items()},
        factor=head.factor,
        trained=head.trained,
        base=head.base,
        bases=BASES,
        features=head.features,
        sizes=FEATURES,
        powers=[len(FACTORS) - 1, LENGTHS[0].bit_length() - 1, LENGTHS[-1].bit_length() - 1],
    )


def _short(power: int) -> str:
    """Write ten to a power: 1, 10, 100, 1k and so on up to 10G.

    >>> [_short(power) for power in (0, 2, 3, 5, 6, 10)]
    ['1', '100', '1k', '100k', '1M', '10G']
    """
    return f"{10 ** (power % 3)}{['', 'k', 'M', 'G'][power // 3]}"


def _head(spec: Mapping[str, Any]) -> Head:
    base = spec["base"]
    if isinstance(base, bool) or not isinstance(base, int) or not BASES[0] <= base <= BASES[1]:
        raise SpecError(f"base must be a whole number from {BASES[0]} to {BASES[1]}: {base!r}", key="base")
    sizes = {"factor": FACTORS, "trained": LENGTHS, "features": FEATURES}
    return Head(base=base, **{key: _one_of(spec, key, options) for key, options in sizes.items()})


def _one_of(spec: Mapping[str, Any], key: str, options: list[Any]) -> Any:
    if isinstance(spec[key], bool) or spec[key] not in options:
        raise SpecError(f"{key} must be one of {', '.join(map(str, options))}: {spec[key]!r}", key=key)
    return spec[key]
