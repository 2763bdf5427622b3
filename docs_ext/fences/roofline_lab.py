"""The roofline lab: what a step or a prefill of a model moves and computes, and which of the two it waits for.

    ```roofline-lab
    caption: Llama 3 8B under three roofs
    model: >-
      dict(d_model=4096, n_layers=32, n_heads=32, n_kv_heads=8,
      d_head=128, d_ff=14336, n_vocabulary=128256)
    machines: '{"A100": (312e12, 2.039e12, 2)}'   # flops/s, bytes/s, itemsize
    batch: 1         # texts: a power of two up to 1024
    context: 8192    # tokens of each: 512, 1024 ... 131072
    ```

The first machine is chosen at first. All query heads stay; the slider changes how many heads of keys and values there
are, from 1 to as many as the queries have.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from markupsafe import Markup

from attention import attention_flops, kv_cache_bytes
from docs_ext.errors import SpecError
from docs_ext.html.tables import scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.reading.expressions import value

REQUIRED = ("caption", "model", "machines", "batch", "context")
OPTIONAL = ()
SIZES = ("d_model", "n_layers", "n_heads", "n_kv_heads", "d_head", "d_ff", "n_vocabulary")
MOST, SHORTEST, LONGEST = 10, 9, 17  # exponents of 2: texts, and tokens of a text
LEFT, RIGHT, TOP, BOTTOM = 68, 462, 30, 220  # the field of the drawing
FIRST, LAST, LOWEST, HIGHEST = -2, 18, 0, 6  # flops a byte as powers of 2, Gflop/s as powers of 10
POWERS = ("1 G", "100 G", "10 T", "1000 T")

_FIGURE = template("""
<svg class="roofs" viewBox="0 0 470 272" role="img" aria-labelledby="{{ ident }}-drawing">
<title id="{{ ident }}-drawing">The roofs of the machines on logarithmic axes, and two points that lie on that of the
  chosen one: the matrices and attention</title>
<path class="axes" d="M{{ left }} {{ top }}V{{ bottom }}H{{ right }}"/>
{% for x, text in columns %}
<text class="column" x="{{ x | g }}" y="{{ bottom + 19 }}">{{ text }}</text>
{% endfor %}
{% for y, text in rows %}
<text class="row" x="{{ left - 7 }}" y="{{ (y + 5) | g }}">{{ text }}</text>
{% endfor %}
<text class="column" x="{{ (left + right) / 2 }}" y="{{ bottom + 43 }}">flops a byte</text>
<text class="row" x="{{ left - 7 }}" y="15">flop/s</text>
{% for name, roof, y in roofs %}
<g class="roof"{% if loop.first %} data-chosen{% endif %}><path d="{{ roof }}"/>
  <text x="{{ right }}" y="{{ (y - 4) | g }}">{{ name }}</text></g>
{% endfor %}
<g class="ridge" transform="translate({{ ridge[0] | g }} {{ ridge[1] | g }})"><path d="M0 -8V8"/>
  <text x="6" y="21">{{ ridge[2] }}</text></g>
{% for name, x, y in points %}
<g class="{{ name }}" transform="translate({{ x | g }} {{ y | g }})">
  {% if name == "matrices" %}<circle r="7"/>{% else %}<path d="M0 -9L9 0 0 9 -9 0z"/>{% endif %}</g>
{% endfor %}
</svg>
""")
_ROWS = template("""
<thead>
<tr><th scope="col">part</th><th scope="col">GB</th><th scope="col">Gflop</th><th scope="col">flops a byte</th>
  <th scope="col">time</th><th scope="col">waits for</th></tr>
</thead>
<tbody>
{% for name, cells in rows.items() %}
<tr class="{{ name }}"><th scope="row"><svg class="mark" viewBox="-10 -10 20 20" aria-hidden="true">
  {% if name == "matrices" %}<circle r="7"/>{% else %}<path d="M0 -9L9 0 0 9 -9 0z"/>{% endif %}</svg> {{ name }}</th>
  {% for cell in cells %}
  <td>{{ cell }}</td>
  {% endfor %}</tr>
{% endfor %}
</tbody>
<tfoot>
<tr><th scope="row">together</th>
  {% for cell in total %}
  <td>{{ cell }}</td>
  {% endfor %}</tr>
</tfoot>
""")


class Work(NamedTuple):
    """What a part of a model computes, and what it moves between memory and processor."""

    flops: int
    bytes: int


class Machine(NamedTuple):
    """The most flops and bytes in a second, and how many bytes a number takes there."""

    peak: float
    bandwidth: float
    itemsize: int

    def seconds(self, work: Work) -> float:
        return max(work.flops / self.peak, work.bytes / self.bandwidth)

    def waits_for(self, work: Work) -> str:
        return "memory" if work.bytes / self.bandwidth >= work.flops / self.peak else "arithmetic"

    @property
    def ridge(self) -> float:
        return self.peak / self.bandwidth


def work(model: Mapping[str, int], batch: int, n: int, new: int, itemsize: int) -> dict[str, Work]:
    """Count a pass in which each text has `new` tokens, 1 or n, that attend to all n; activations are left out."""
    d_model, n_layers, n_heads, n_kv_heads, d_head, d_ff, n_vocabulary = (model[size] for size in SIZES)
    heads = 2 * d_model * d_head * (n_heads + n_kv_heads)  # W_Q and W_O, W_K and W_V
    layers = n_layers * (heads + 3 * d_model * d_ff)
    output = d_model * n_vocabulary  # for the last token of each text
    pairs = attention_flops(new, n, d_head, d_head, n_heads=n_heads, is_causal=new > 1)
    caches = kv_cache_bytes(batch * n, n_layers=n_layers, n_kv_heads=n_kv_heads, d_head=d_head, itemsize=itemsize)
    return {
        "matrices": Work(2 * batch * (new * layers + output), itemsize * (layers + output)),
        "attention": Work(batch * n_layers * pairs, caches),
    }


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    model, machines = _model(spec), _machines(spec)
    batch = _power(spec, "batch", 0, MOST)
    context = _power(spec, "context", SHORTEST, LONGEST)
    name, machine = next(iter(machines.items()))
    parts = work(model, batch, context, 1, machine.itemsize)
    both = [work(model, texts, context, 1, machine.itemsize) for texts in (1, 64)]
    one, many = (sum(map(machine.seconds, each.values())) for each in both)
    return widget(
        "roofline-lab",
        str(spec["id"]),
        title=str(spec["caption"]),
        question=f"a server writes 64 texts of {context:,} tokens side by side instead of one. By which factor does a "
        f"step take longer on the {name}?",
        answer=f"By {short(many / one)}. The matrices are read once, however many texts there are; each text adds a "
        f"cache. One text takes {duration(one)} a step, and 64 take {duration(many)}, for 64 tokens instead of one.",
        body=_figure(str(spec["id"]), machines, parts)
        + scrolling_table("steps", str(spec["caption"]), _ROWS(**_cells(machine, parts))),
        says=statement(name, machine, parts, batch, context, prefill=False),
        model=model,
        machines=[[name, *machine] for name, machine in machines.items()],
        batch=batch.bit_length() - 1,
        context=context.bit_length() - 1,
        ends=[MOST, SHORTEST, LONGEST],
        frame=[LEFT, RIGHT, TOP, BOTTOM, FIRST, LAST, LOWEST, HIGHEST],
    )


def _figure(ident: str, machines: Mapping[str, Machine], parts: Mapping[str, Work]) -> Markup:
    chosen = next(iter(machines.values()))
    return _FIGURE(
        ident=ident,
        left=LEFT,
        right=RIGHT,
        top=TOP,
        bottom=BOTTOM,
        columns=[(_across(2**k), f"{2**k:,}") for k in range(0, LAST, 4)],
        rows=[(_up(10.0**k), text) for k, text in zip(range(LOWEST, HIGHEST + 1, 2), POWERS, strict=True)],
        roofs=[(name, _roof(machine), _up(machine.peak / 1e9)) for name, machine in machines.items()],
        ridge=(_across(chosen.ridge), _up(chosen.peak / 1e9), f"ridge {short(chosen.ridge)}"),
        points=[(name, *_point(chosen, part)) for name, part in parts.items()],
    )


def _roof(machine: Machine) -> str:
    lowest = machine.bandwidth * 2.0**FIRST / 1e9
    return f"M{LEFT} {_up(lowest):g}L{_across(machine.ridge):g} {_up(machine.peak / 1e9):g}H{RIGHT}"


def _point(machine: Machine, part: Work) -> tuple[float, float]:
    intensity = part.flops / part.bytes
    return _across(intensity), _up(min(machine.peak, intensity * machine.bandwidth) / 1e9)


def _across(intensity: float) -> float:
    place = (math.log2(intensity) - FIRST) / (LAST - FIRST)
    return LEFT + min(max(place, 0), 1) * (RIGHT - LEFT)


def _up(gigaflops: float) -> float:
    place = (math.log10(gigaflops) - LOWEST) / (HIGHEST - LOWEST)
    return BOTTOM - min(max(place, 0), 1) * (BOTTOM - TOP)


def _cells(machine: Machine, parts: Mapping[str, Work]) -> dict[str, Any]:
    total = Work(*map(sum, zip(*parts.values(), strict=True)))
    rows = {
        name: [*_sizes(part), duration(machine.seconds(part)), machine.waits_for(part)] for name, part in parts.items()
    }
    seconds = sum(map(machine.seconds, parts.values()))
    return {"rows": rows, "total": [*_sizes(total), duration(seconds), ""]}


def _sizes(part: Work) -> list[str]:
    return [short(part.bytes / 1e9), short(part.flops / 1e9), short(part.flops / part.bytes)]


def statement(
    name: str, machine: Machine, parts: Mapping[str, Work], batch: int, context: int, *, prefill: bool
) -> str:
    """Say what the drawing shows: 'A100: a step for 1 text of 8,192 tokens takes 7.89 ms, 127 tokens a second. ...'."""
    seconds = sum(map(machine.seconds, parts.values()))
    rate = short(batch * (context if prefill else 1) / seconds)
    waits = [machine.waits_for(part) for part in parts.values()]
    both = f"Both parts wait for {waits[0]}."
    each = f"The matrices wait for {waits[0]}, attention for {waits[1]}."
    return (
        f"{name}: {'the prefill' if prefill else 'a step'} for {batch:,} text{'' if batch == 1 else 's'} of "
        f"{context:,} tokens takes {duration(seconds)}, {rate} tokens a second. "
        f"{both if waits[0] == waits[1] else each}"
    )


def short(x: float) -> str:
    """Write three digits, and more only before the point.

    >>> short(7.3604), short(0.05), short(12345.5)
    ('7.36', '0.05', '12,346')
    """
    return f"{math.floor(x + 0.5):,}" if x >= 100 else f"{float(f'{x:.3g}'):g}"


def duration(seconds: float) -> str:
    """Write a time in the unit that suits it.

    >>> duration(0.00789), duration(75)
    ('7.89 ms', '75 s')
    """
    return f"{short(1e3 * seconds)} ms" if seconds < 1 else f"{short(seconds)} s"


def _model(spec: Mapping[str, Any]) -> dict[str, int]:
    given: Any = value(spec, "model")
    sound = isinstance(given, dict) and set(given) == set(SIZES) and all(isinstance(n, int) for n in given.values())
    if not sound or min(given.values()) < 1:
        raise SpecError(f"model must hold whole numbers for {', '.join(SIZES)}: {given!r}", key="model")
    if given["n_heads"] & (given["n_heads"] - 1) or given["n_heads"] % given["n_kv_heads"]:
        raise SpecError(f"n_heads must be a power of two that n_kv_heads divides: {given!r}", key="model")
    return {size: given[size] for size in SIZES}


def _machines(spec: Mapping[str, Any]) -> dict[str, Machine]:
    given = value(spec, "machines")
    if not isinstance(given, dict) or not given or not all(len(one) == 3 and min(one) > 0 for one in given.values()):
        raise SpecError(
            f"machines must map names to (flops a second, bytes a second, bytes): {given!r}", key="machines"
        )
    return {name: Machine(*one) for name, one in given.items()}


def _power(spec: Mapping[str, Any], key: str, first: int, last: int) -> int:
    allowed = [2**k for k in range(first, last + 1)]
    if spec[key] not in allowed or isinstance(spec[key], bool):
        raise SpecError(f"{key} must be a power of two from {allowed[0]} to {allowed[-1]}: {spec[key]!r}", key=key)
    return int(spec[key])
