"""The sizes of caches: what the script counts is what the records count, in both formats, at every length."""

from docs_ext.records.caches import cache_bytes, caches
from tests.site.fences.reading import Figure, rows

SIZES = Figure.sound("cache-sizes")


@SIZES.on_500_states
def test_500_lengths_give_the_bytes_of_every_model(rng):
    n, format = int(rng.integers(2**8, 2**20)), str(rng.choice(["two", "served"]))
    expected = [cache_bytes(name, n, format == "served") for name in caches()]
    return SIZES.given, {"context": 17, "tokens": f"{n}", "format": format}, {"bytes": expected, "n": n, "missed": 0}


def test_models_whose_served_format_is_known_are_starred_and_only_they_change():
    two, served = (rows(SIZES.live(format=format)) for format in ("two", "served"))
    known = [bool(one["served"]) for one in caches().values()]
    assert [row[0].split()[0].endswith("*") for row in served] == known
    assert [a[1] != b[1] for a, b in zip(two, served, strict=True)] == known
