"""Attention weights of any model, in the figures of this site.

Give an array, a tensor or what a library returns, and the tokens. A figure
shows itself in a notebook, and saves itself as one file that asks for nothing:

    from attention.show import heads
    heads(outputs.attentions, tokens).save("heads.html")
"""

from attention.show.figures import arcs, grid, heads
from attention.show.page import Figure

__all__ = ["Figure", "arcs", "grid", "heads"]
