from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def snake_name(x: ArrayLike) -> NDArray[Any]:
    r"""Fill in: what it does, as an order, in one sentence.

    $$\text{fill in: the formula}$$

    Parameters
    ----------
    x : array_like, shape (..., n)
        fill in: what it is.

    Returns
    -------
    y : ndarray, shape (..., n)
        fill in: what it holds.

    Raises
    ------
    ValueError
        fill in: when, and what the message shows. Without checks this section goes.

    References
    ----------
    fill in: [Vaswani et al. 2017](../reference/sources.md#vaswani2017), section and equation.

    Examples
    --------
    fill in: numbers that can be checked by hand, on axes of different sizes.

    >>> from attention import snake_name
    >>> snake_name([[1.0, 2.0, 3.0]])
    'fill in: what it returns'
    """
    x = np.asarray(x)
    raise NotImplementedError("fill in: the body of snake_name")
