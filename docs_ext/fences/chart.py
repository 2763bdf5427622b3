"""Charts: Vega-Lite in, one SVG for both colour schemes out, drawn while the page is being built.

```chart
title: More features, larger scores
description: A line that rises from 1 at d_k = 1 to 8 at d_k = 64.
data: '{"d_k": [1, 4, 16, 64], "deviation": np.sqrt([1, 4, 16, 64])}'
mark: line
encoding:
  x: {field: d_k}
  y: {field: deviation, title: standard deviation}
```

`description` is what a reader who cannot see the chart needs. `data` is an expression, of columns or of records. Each
chart is drawn twice, for wide and for narrow columns; what `phone` holds replaces keys in the narrow drawing. `label`
names lines at their right ends, or where x is `at`: `label: {rule: {softmax: {at: 4, dx: 8, dy: -6}, linear: {}}}`,
with a field, its values, and how Vega-Lite sets the text. All other keys but `id` are Vega-Lite's. A field without a
type has the one of its data: numbers are quantitative, words nominal and in the order of the data. A colour may be
`currentColor` or a CSS variable, such as `var(--role-key)`, and then follows the scheme. There are no legends.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from markupsafe import Markup

from docs_ext.disk_cache import kept
from docs_ext.errors import SpecError, did_you_mean
from docs_ext.html.symbols import said, symbols, symbols_in_drawing
from docs_ext.html.tables import folded, table
from docs_ext.html.template import template
from docs_ext.reading.columns import to_records
from docs_ext.reading.keys import Spec

REQUIRED = ("title", "description", "data")
OPTIONAL = None  # Vega-Lite's schema knows the others

LAYOUTS = {"desk": (720, 280, 14), "phone": (320, 220, 12)}  # how wide, how high, and the size of its text, in pixels
SLACK = 1.17  # Vega knows the widths of Arial; a reader's font may be as wide as DejaVu Sans
_STYLE = Path(__file__).with_suffix(".yaml").read_text("utf-8")


_FIGURE = template("""
<figure class="chart" id="{{ ident }}" data-search-exclude>
<figcaption>{{ title }}</figcaption>
<svg class="desk" role="img" id="{{ ident }}-desk" aria-label="{{ description }}" {{ desk }}
<svg class="phone" role="img" aria-labelledby="{{ ident }}-desk" {{ phone }}
{{ numbers }}
</figure>
""")


def render(spec: Spec) -> Markup:
    """Turn the mapping of a fence into HTML."""
    records = to_records(spec)
    vega = {key: item for key, item in spec.items() if key not in (*REQUIRED, "id", "phone")}
    check_fields(vega, records[0])
    ident, title, description = (str(spec[key]) for key in ("id", "title", "description"))
    numbers = folded("The numbers", table(records), f"The numbers: {title}")
    both = {"desk": vega, "phone": merged(vega, spec.get("phone", {}))}
    drawn = {name: inline(draw(whole(one, records, name), name), ident, name) for name, one in both.items()}
    texts = {"ident": ident, "title": symbols(title), "description": said(description), "numbers": numbers}
    return _FIGURE(**texts, **drawn)


def merged(vega: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return `vega` with what `own` holds in its place, at any depth but in facets and labels."""
    both = {key for key, part in own.items() if isinstance(part, dict) and isinstance(vega.get(key), dict)}
    return {**vega, **own, **{key: merged(vega[key], own[key]) for key in both - {"facet", "label"}}}


def whole(vega: dict[str, Any], records: list[Any], layout: str) -> dict[str, Any]:
    """Give a chart its data, its width, and the names of its lines."""
    vega = typed(vega, records[0])
    vega, label = {key: item for key, item in vega.items() if key != "label"}, vega.get("label", {})
    if "spec" not in vega and "width" not in vega:
        vega |= {"width": LAYOUTS[layout][0], "autosize": {"type": "fit-x", "contains": "padding"}}
    if label:
        lines = {key: vega.pop(key) for key in ("mark", "encoding", "layer", "transform") if key in vega}
        axes = next(each for each in _every("encoding", lines) if {"x", "y"} <= {*each})
        vega["layer"] = [lines]
    for field, name, look in ((field, *each) for field, names in label.items() for each in names.items()):
        line = {one[axes["x"]["field"]]: one for one in records if one.get(field) == name}
        if not line:
            raise SpecError(f"no {field} of data is {name!r}", key="label")
        mark = {"type": "text", "align": "left", "dx": 8, "at": max(line), "text": name, **look}
        at, encoding = mark.pop("at"), {"x": axes["x"], "y": axes["y"], "text": {"value": mark.pop("text")}}
        near = line[min((abs(x - at), x) for x in line)[1]]
        vega["layer"].append({"data": {"values": [near]}, "mark": mark, "encoding": encoding})
    return vega | {"data": {"values": records}}


_ORDERED = {"x", "y", "row", "column", "facet"}
_TYPED = {"xOffset", "yOffset", "color", "opacity", "fillOpacity", "size", "shape", "strokeDash", *_ORDERED}


def typed(item: Any, record: Mapping[str, Any], channel: str = "") -> Any:
    """Return a part of a chart with the type of its fields: words are nominal, all else quantitative."""
    if isinstance(item, list):
        return [typed(one, record) for one in item]
    if not isinstance(item, Mapping):
        return item
    item = {key: typed(part, record, key) for key, part in item.items()}
    if channel not in _TYPED or not isinstance(field := item.get("field"), str):
        return item
    item = {"type": "nominal" if isinstance(record.get(field), str | bool) else "quantitative"} | item
    return {"sort": None} | item if channel in _ORDERED and item["type"] == "nominal" else item


def check_fields(vega: Mapping[str, Any], record: Mapping[str, Any]) -> None:
    """Refuse a field that the data does not have: Vega-Lite would draw an empty chart."""
    if any(_every("transform", vega)):
        return  # which may make fields of its own
    for key, item in vega.items():
        for field in _every("field", item):
            if isinstance(field, str) and field not in record:
                hint = did_you_mean(field, record) or f"; data has: {', '.join(record)}"
                raise SpecError(f"data has no field {field!r}{hint}", key=key)


def _every(wanted: str, item: Any) -> Iterator[Any]:
    """Yield what stands under the key `wanted`, at any depth."""
    parts = item.items() if isinstance(item, Mapping) else enumerate(item) if isinstance(item, list) else ()
    for key, part in parts:
        if key == wanted:
            yield part
        yield from _every(wanted, part)


def draw(vega: dict[str, Any], layout: str = "desk") -> str:
    """Check a Vega-Lite specification and draw it; no request leaves the machine."""
    _, high, size = LAYOUTS[layout]
    style = yaml.safe_load(_STYLE.replace("HIGH", str(high)).replace("SIZE", str(size * SLACK)))
    source = json.dumps([vega, style], sort_keys=True)
    return kept(lambda: _drawn(vega, style).encode(), source).decode()


def _drawn(vega: dict[str, Any], style: dict[str, Any]) -> str:
    import altair  # takes longer than everything else here, and is needed for charts that are new
    import vl_convert
    from altair.utils.schemapi import SchemaValidationError

    kind = next((each for each in ("Layer", "HConcat", "VConcat", "Facet") if each.lower() in vega), "Unit")
    try:
        getattr(altair, f"TopLevel{kind}Spec")(**vega).to_dict()  # the schema's messages: what it would accept
        return vl_convert.vegalite_to_svg(vega, config=style, allowed_base_urls=[])
    except (TypeError, ValueError, SchemaValidationError) as error:
        message = " ".join(str(error).split("\n    at ")[0].split())  # without the stack of the drawing engine
        raise SpecError(f"Vega-Lite: {message}") from error


_NOISE = re.compile(  # names for machines, what is not painted, and values that hold anyway
    r'<path [^>]*(?:class="(?:back|fore)ground"|display="none")[^>]*/>|<text [^>]* opacity="0"[^>]*>[^<]*</text>'
    r'|<path d="M0,0h0v0h0Z"/>| (?:class|role|aria-[a-z]+|pointer-events|font-family)="[^"]*"'
    r'| (?:opacity="1"|[xy][12]="0")'
)
_PLACES = re.compile(r' (?:d|transform|width|height|viewBox|[xy][12]?)="[^"]*"')


def inline(svg: str, ident: str, layout: str = "desk") -> Markup:
    """Return what follows `<svg`, with ids that are its own, a tenth of a pixel exact."""
    body = f'font-size="{(usual := LAYOUTS[layout][2])}" {svg[svg.index("width=") :]}'
    body = re.sub(r' font-size="([\d.]+)px"', lambda one: f' font-size="{float(one[1]) / SLACK:.3g}"', body)
    body = _NOISE.sub("", body).replace(f'font-size="{usual}" fill', "fill")
    body = _PLACES.sub(lambda one: re.sub(r"\d+\.\d+", lambda n: f"{float(n[0]):.1f}".removesuffix(".0"), one[0]), body)
    for number, name in enumerate(re.findall(r' id="(\w+)"', body), 1):  # Vega counts on from chart to chart
        body = re.sub(rf'(?<= id="){name}(?=")|(?<=url\(#){name}(?=\))', f"{ident}-{layout}-{number}", body)
    return Markup(symbols_in_drawing(body))
