"""Charts: Vega-Lite in, one SVG for both colour schemes out, drawn while the page is being built.

    ```chart
    title: More features, larger scores
    description: A line that rises from 1 at d_k = 1 to 8 at d_k = 64.
    data: '{"d_k": [1, 4, 16, 64], "deviation": np.sqrt([1, 4, 16, 64])}'
    mark: line
    encoding:
      x: {field: d_k, type: quantitative}
      y: {field: deviation, type: quantitative, title: standard deviation}
    ```

`description` is what a reader who cannot see the chart needs. `data` is an expression, of columns or of records. Each
chart is drawn twice, for wide and for narrow columns; what `phone` holds replaces keys in the narrow drawing. `label`
names lines at their right ends, or where x is `at`: `label: {rule: {softmax: {at: 4, dx: 8, dy: -6}, linear: {}}}`,
with a field, its values, and how Vega-Lite sets the text. All other keys but `id` are Vega-Lite's. A colour may be
`currentColor` or a CSS variable, such as `var(--role-key)`, and then follows the scheme. The numbers stand below.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from docs_ext.disk_cache import kept
from docs_ext.errors import SpecError, did_you_mean
from docs_ext.html.symbols import said, symbols, symbols_in_drawing
from docs_ext.html.tables import folded, table
from docs_ext.html.template import template
from docs_ext.reading.fence_data import to_records

REQUIRED = ("title", "description", "data")
OPTIONAL = None  # Vega-Lite's schema knows the others

LAYOUTS = {"desk": (720, 280, 14), "phone": (320, 220, 12)}  # how wide, how high, and the size of its text, in pixels
SLACK = 1.17  # Vega knows the widths of Arial; a reader's font may be as wide as DejaVu Sans


def config(layout: str) -> dict[str, Any]:
    """Return the style of a drawing; all its texts have one size."""
    _, height, usual = LAYOUTS[layout]
    size, ink = usual * SLACK, "currentColor"
    words: dict[str, Any] = {"labelColor": ink, "labelFontSize": size, "titleColor": ink, "titleFontSize": size}
    words |= {"titleFontWeight": "normal", "labelLimit": 400}  # no name is cut off
    lines: dict[str, Any] = {"domainColor": ink, "tickColor": ink, "gridColor": ink}
    lines |= {"domainOpacity": 0.5, "tickOpacity": 0.5, "gridOpacity": 0.12}
    return {
        "aria": False,
        "background": None,
        "padding": 2,
        "font": "sans-serif",
        "view": {"stroke": None, "continuousHeight": height, "discreteHeight": height},
        "axis": words | lines | {"titlePadding": 8, "labelPadding": 6, "tickSize": 4, "labelFlush": False},
        "axisQuantitative": {"tickCount": 5, "labelSeparation": 8},
        "legend": words | {"orient": "top", "offset": 10, "symbolStrokeWidth": 2.5, "symbolSize": 90},
        "header": words,
        "mark": {"color": "var(--chart-mark)"},
        "line": {"strokeWidth": 2.5},
        "point": {"filled": True, "size": 60, "opacity": 1},
        "rule": {"color": ink},
        "text": {"color": ink, "fontSize": size},
        "range": {"category": [f"var(--chart-{number})" for number in (1, 2, 3, 4)]},
    }


_FIGURE = template("""
<figure class="chart" id="{{ ident }}" data-search-exclude>
<figcaption>{{ symbols(title) }}</figcaption>
<svg class="desk" role="img" id="{{ ident }}-desk" aria-label="{{ said(description) }}" {{ desk }}
<svg class="phone" role="img" aria-labelledby="{{ ident }}-desk" {{ phone }}
{{ numbers }}
</figure>
""")


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    records = to_records(spec)
    vega = {key: item for key, item in spec.items() if key not in (*REQUIRED, "id", "phone")}
    check_fields(vega, records[0])
    ident, title, description = (str(spec[key]) for key in ("id", "title", "description"))
    names = folded("The numbers", table(records), f"The numbers: {title}")
    own = {"desk": {}, "phone": spec.get("phone", {})}
    drawn = {name: inline(draw(whole(merged(vega, own[name]), records, name), name), ident, name) for name in LAYOUTS}
    texts = {"ident": ident, "title": title, "description": description, "numbers": names}
    return _FIGURE(**texts, **drawn, symbols=symbols, said=said)


def merged(vega: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return `vega` with what `own` holds in its place, at any depth but in facets and labels."""
    both = {key for key, part in own.items() if isinstance(part, dict) and isinstance(vega.get(key), dict)}
    both -= {"facet", "label"}
    return {**vega, **own, **{key: merged(vega[key], own[key]) for key in both}}


def whole(vega: dict[str, Any], records: list[Any], layout: str) -> dict[str, Any]:
    """Give a chart its data, its width, and the names of its lines."""
    label = vega.pop("label", {})
    if "spec" not in vega and "width" not in vega:
        vega |= {"width": LAYOUTS[layout][0], "autosize": {"type": "fit-x", "contains": "padding"}}
    if label:
        lines = {key: vega.pop(key) for key in ("mark", "encoding", "layer", "transform") if key in vega}
        axes = next(each for each in _every("encoding", lines) if {"x", "y"} <= {*each})
        vega |= {"layer": [lines], "config": {"legend": {"disable": True}}}
    for field, name, look in ((field, *each) for field, names in label.items() for each in names.items()):
        on, at = axes["x"]["field"], look.get("at", max(record[axes["x"]["field"]] for record in records))
        place = max((-abs(one[on] - at), order) for order, one in enumerate(records) if one[field] == name)[1]
        mark = {"type": "text", "align": "left", "dx": 8, **{key: item for key, item in look.items() if key != "at"}}
        encoding = {"x": axes["x"], "y": axes["y"], "text": {"value": mark.pop("text", name)}}
        vega["layer"].append({"data": {"values": [records[place]]}, "mark": mark, "encoding": encoding})
    return vega | {"data": {"values": records}}


def check_fields(vega: Mapping[str, Any], record: Mapping[str, Any]) -> None:
    """Refuse a field that the data does not have: Vega-Lite would draw an empty chart."""
    names = {key: list(_every("field", item)) for key, item in vega.items()}
    if any(_every("transform", vega)):
        return  # which may make fields of its own
    for key, fields in names.items():
        for field in fields:
            if isinstance(field, str) and field not in record:
                hint = did_you_mean(field, record) or f"; data has: {', '.join(record)}"
                raise SpecError(f"data has no field {field!r}{hint}", key=key)


def _every(wanted: str, item: Any) -> Iterator[Any]:
    """Yield what stands under the key `wanted`, at any depth."""
    if isinstance(item, Mapping):
        for key, part in item.items():
            if key == wanted:
                yield part
            yield from _every(wanted, part)
    elif isinstance(item, list):
        for part in item:
            yield from _every(wanted, part)


def draw(vega: dict[str, Any], layout: str = "desk") -> str:
    """Check a Vega-Lite specification and draw it; no request leaves the machine."""
    style = config(layout)
    source = json.dumps([vega, style], sort_keys=True)
    return kept(lambda: _drawn(vega, style).encode(), source, by="vl-convert-python").decode()


def _drawn(vega: dict[str, Any], style: dict[str, Any]) -> str:
    import altair  # takes longer than everything else here, and is needed for charts that are new
    import vl_convert
    from altair.utils.schemapi import SchemaValidationError

    kinds = {
        "layer": altair.TopLevelLayerSpec,
        "hconcat": altair.TopLevelHConcatSpec,
        "vconcat": altair.TopLevelVConcatSpec,
        "facet": altair.TopLevelFacetSpec,
    }
    kind = next((kinds[key] for key in vega if key in kinds), altair.TopLevelUnitSpec)
    try:
        kind(**vega).to_dict()  # the schema's messages, with the values it would accept
        return vl_convert.vegalite_to_svg(vega, config=style, allowed_base_urls=[])
    except (TypeError, ValueError, SchemaValidationError) as error:
        message = str(error).split("\n    at ")[0]  # without the stack of the drawing engine
        raise SpecError(f"Vega-Lite: {' '.join(message.split())}") from error


# What says nothing: names for machines, what is not painted, and the values that hold anyway
_NOISE = re.compile(
    r'<path [^>]*(?:class="(?:background|foreground)"|display="none")[^>]*/>|<path d="M0,0h0v0h0Z"/>'
    r'| (?:class|role|aria-[a-z]+|pointer-events|font-family)="[^"]*"| (?:opacity="1"|[xy][12]="0")'
)
_PLACES = re.compile(r' (?:d|transform|width|height|viewBox|[xy][12]?)="[^"]*"')


def inline(svg: str, ident: str, layout: str = "desk") -> Markup:
    """Return what follows `<svg`, with ids that are its own, a tenth of a pixel exact."""
    usual = LAYOUTS[layout][2]
    body = f'font-size="{usual}" {svg[svg.index("width=") :]}'
    body = re.sub(r' font-size="([\d.]+)px"', lambda one: f' font-size="{float(one[1]) / SLACK:.3g}"', body)
    body = _NOISE.sub("", body).replace(f'font-size="{usual}" fill', "fill")
    body = _PLACES.sub(lambda one: re.sub(r"\d+\.\d+", lambda n: f"{float(n[0]):.1f}".removesuffix(".0"), one[0]), body)
    body = symbols_in_drawing(body)
    for number, name in enumerate(re.findall(r' id="(\w+)"', body), 1):  # Vega counts on from chart to chart
        body = re.sub(rf'(?<= id="){name}(?=")|(?<=url\(#){name}(?=\))', f"{ident}-{layout}-{number}", body)
    return Markup(body)
