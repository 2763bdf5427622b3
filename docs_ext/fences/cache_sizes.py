"""Cache sizes: what the models of `docs_ext/caches.yml` keep of one text of any length, with the kind of each layer.

```cache-sizes
caption: What a dozen models keep of one text
context: 131072   # tokens at first: 256, 512 ... 1048576
```
"""

from docs_ext.reading.keys import Data, Spec, one_of
from docs_ext.records.caches import caches

REQUIRED = ("caption", "context")
OPTIONAL = ()
FIRST, LAST = ENDS = (8, 20)  # exponents of 2: tokens of the text


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    context = int(one_of(spec, "context", [2**k for k in range(FIRST, LAST + 1)])).bit_length() - 1
    return {"models": [{"name": name} | one for name, one in caches().items()], "context": context, "ends": ENDS}
