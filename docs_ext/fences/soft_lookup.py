"""The soft lookup: a question is held against the labels of some books, and each gives its share of pages.

```soft-lookup
caption: A question, three labels, and what you take home
names: [cats, dogs, both]
topics: [cats, dogs]
labels: [[1, 0], [0, 1], [1, 1]]   # which topics a label has; the questions have the same names
values: [[56, 0], [0, 56], [56, 56]]   # the pages of each book on each topic
asks: cats
```

The fit counts the topics on which question and label agree, and each one doubles a book's share.
"""

import numpy as np

from docs_ext.errors import SpecError
from docs_ext.reading.expressions import array
from docs_ext.reading.keys import Data, Spec
from docs_ext.reading.words import row_of, words_of

REQUIRED = ("caption", "names", "topics", "labels", "values", "asks")
OPTIONAL = ()


def data(spec: Spec) -> Data:
    """Return what the script draws."""
    names, topics = words_of(spec, "names"), words_of(spec, "topics")
    arrays = {key: array(spec, key) for key in ("labels", "values")}
    for key, found in arrays.items():
        if found.shape != (len(names), len(topics)):
            raise SpecError(f"{key} must have a row per name and a column per topic: shape {found.shape}", key=key)
    if not np.isin(arrays["labels"], [0, 1]).all():
        raise SpecError("labels must be of 0 and 1", key="labels")
    if (arrays["values"] < 0).any():
        raise SpecError("values must not be negative: they are pages", key="values")
    return {"names": names, "topics": topics, **arrays, "asks": row_of(spec, "asks", names)}
