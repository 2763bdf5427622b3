"""Pages of the reference that were split: an old address, and the modules whose pages hold what stood there."""

MOVED: dict[str, tuple[str, ...]] = {
    "reference/heads/": ("head_shapes", "single_head", "multi_head"),
    "reference/positions/": ("sinusoidal", "rotary", "relative"),
}
