"""Pages of the reference that were split: an old address, and the modules whose pages hold what stood there."""

MOVED: dict[str, tuple[str, ...]] = {}
