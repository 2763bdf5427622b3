"""Fill in: what the widget shows, in a sentence that a reader of pages understands.

    ```kebab-name
    caption: Three numbers
    numbers: [1, 2, 3]          # or an expression: softmax(np.log([1, 2, 3]))
    ```

fill in: what an author must know about the keys. This sketch works: a slider multiplies the numbers of a table.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from docs_ext.html.numbers import number
from docs_ext.html.tables import scrolling_table
from docs_ext.html.template import template
from docs_ext.html.widget import widget
from docs_ext.errors import SpecError
from docs_ext.reading.expressions import value

REQUIRED = ("caption", "numbers")
OPTIONAL = ()
LARGEST = 5  # factor of the slider

_ROWS = template("""
<thead>
<tr><th scope="col">number</th><th scope="col">times <span class="at">1</span></th></tr>
</thead>
<tbody>
{% for n in numbers %}
<tr><th scope="row">{{ n | number }}</th><td class="product">{{ n | number }}</td></tr>
{% endfor %}
</tbody>
""")


def render(spec: Mapping[str, Any]) -> Markup:
    """Turn the mapping of a fence into HTML that is complete without a script."""
    numbers = _numbers(spec)
    return widget(
        "kebab-name",
        str(spec["id"]),
        title=str(spec["caption"]),
        question="fill in: what can the reader predict before trying it?",
        answer="fill in: the answer, computed from the numbers of the fence.",
        body=scrolling_table("steps", str(spec["caption"]), _ROWS(numbers=numbers)),
        says=statement(1, float(numbers.sum())),
        numbers=numbers.tolist(),
        largest=LARGEST,
    )


def statement(factor: int, total: float) -> str:
    """Say what the widget shows; the script says it in the same words."""
    return f"Times {factor} the numbers add up to {number(total)}."


def _numbers(spec: Mapping[str, Any]) -> NDArray[np.float64]:
    given = np.asarray(value(spec, "numbers"), float)
    if given.ndim != 1 or not given.size:
        raise SpecError(f"numbers must be a list of numbers: shape {given.shape}", key="numbers")
    return given
