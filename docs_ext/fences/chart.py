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

`description` is what a reader who cannot see the chart needs. `data` is an expression, of columns or of records. All
keys but these three and `id` are Vega-Lite's. A colour may be `currentColor` or a CSS variable, such as
`var(--role-key)`, and then follows the scheme. The numbers stand below the chart as a table.
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

_TEXT = {"labelColor": "currentColor", "labelFontSize": 13, "titleColor": "currentColor", "titleFontSize": 13}
_LINES = {"domainColor": "currentColor", "tickColor": "currentColor", "gridColor": "currentColor"}
CONFIG: dict[str, Any] = {
    "aria": False,
    "background": None,
    "padding": 2,
    "font": "sans-serif",
    "view": {"stroke": None, "continuousWidth": 380, "continuousHeight": 220, "discreteWidth": 380},
    "axis": _TEXT
    | _LINES
    | {"titleFontWeight": "normal", "titlePadding": 10, "labelPadding": 6, "tickSize": 4}
    | {"labelLimit": 300, "domainOpacity": 0.5, "tickOpacity": 0.5, "gridOpacity": 0.12}
    | {"labelFlush": False, "labelSeparation": 8},
    "axisQuantitative": {"tickCount": 5},
    "legend": _TEXT
    | {"titleFontWeight": "normal", "orient": "top", "offset": 10, "symbolStrokeWidth": 2.5, "symbolSize": 90}
    | {"labelLimit": 400},  # no name is cut off
    "header": _TEXT,
    "title": {"color": "currentColor", "fontSize": 13, "fontWeight": "normal"},
    "mark": {"color": "var(--chart-mark)"},
    "line": {"strokeWidth": 2.5},
    "point": {"filled": True, "size": 60},
    "rule": {"color": "currentColor"},
    "text": {"color": "currentColor", "fontSize": 13},
    "range": {"category": [f"var(--role-{role})" for role in ("query", "key", "value", "output")]},
}


_FIGURE = template("""
<figure class="chart" id="{{ ident }}" data-search-exclude>
<figcaption>{{ symbols(title) }}</figcaption>
<svg role="img" aria-label="{{ said(description) }}" {{ size }}>{{ drawing }}
{{ numbers }}
</figure>
""")


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML."""
    records = to_records(spec)
    vega = {key: item for key, item in spec.items() if key not in (*REQUIRED, "id")}
    check_fields(vega, records[0])
    ident, title, description = (str(spec[key]) for key in ("id", "title", "description"))
    size, drawing = inline(draw(vega | {"data": {"values": records}}), ident)
    numbers = folded("The numbers", table(records), f"The numbers: {title}")
    return _FIGURE(
        ident=ident,
        title=title,
        description=description,
        size=size,
        drawing=drawing,
        numbers=numbers,
        symbols=symbols,
        said=said,
    )


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


def draw(vega: dict[str, Any]) -> str:
    """Check a Vega-Lite specification and draw it; no request leaves the machine."""
    source = json.dumps([vega, CONFIG], sort_keys=True)
    return kept(lambda: _drawn(vega).encode(), source, by="vl-convert-python").decode()


def _drawn(vega: dict[str, Any]) -> str:
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
        return vl_convert.vegalite_to_svg(vega, config=CONFIG, allowed_base_urls=[])
    except (TypeError, ValueError, SchemaValidationError) as error:
        message = str(error).split("\n    at ")[0]  # without the stack of the drawing engine
        raise SpecError(f"Vega-Lite: {' '.join(message.split())}") from error


_NOISE = re.compile(r' (?:class|role|aria-[a-z]+|pointer-events)="[^"]*"')  # the figure has one description


def inline(svg: str, ident: str) -> tuple[Markup, Markup]:
    """Return the size of the SVG as attributes, and what is in it, with ids that are its own."""
    size = re.search(r'width="[\d.]+" height="[\d.]+" viewBox="[-\d. ]+"', svg)
    if size is None:
        raise SpecError("Vega-Lite drew a chart without a size")
    body = symbols_in_drawing(_NOISE.sub("", svg[svg.index(">") + 1 :]))
    for number, name in enumerate(re.findall(r' id="(\w+)"', body), 1):  # Vega counts on from chart to chart
        body = re.sub(rf'(?<= id="){name}(?=")|(?<=url\(#){name}(?=\))', f"{ident}-clip-{number}", body)
    return Markup(size[0]), Markup(body)
