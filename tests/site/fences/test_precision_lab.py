"""The precision lab: its numbers by hand and in NumPy, and what it refuses."""

import numpy as np

from attention import scaled_dot_product_attention
from docs_ext.fences.precision_lab import FORMATS, PLACES
from tests.site.fences.reading import Figure, plain
from tests.site.learn.test_bits import by_loops

RESULT = Figure.sound("precision-lab")


def bars(root):
    return [plain(bar) for bar in root.findall(".//*[@class='percent']")]


def test_the_bars_say_where_an_error_comes_in():
    # A sum of exponentials that stops makes every weight 8 times too large; then the output stops at 8.
    hypotenuse = np.hypot(5, 2)
    assert bars(RESULT.live(copies=0))[-1] == f"{(2 - 1.9921875) / hypotenuse:.2%} off"
    assert float(bars(RESULT.still())[-1].removesuffix("% off")) > 10  # at rest a loss can be seen
    assert bars(RESULT.live(copies=10)) == ["exact", "exact", "699% off", *[f"{3 / hypotenuse:.0%} off"] * 2]
    assert bars(RESULT.live(copies=10, softmax="float32"))[2] == "exact"


def test_errors_have_two_digits():
    shown = {0: "0", 1e-13: "0", 3e-7: "<0.001%", 5e-6: "<0.001%", 5e-5: "0.005%", 0.00012345: "0.012%", 0.125: "13%"}
    shown |= {0.00390625: "0.39%", 0.0996: "10%", 19.0: "1900%"}
    assert {error: RESULT.call("percent", error) for error in shown} == shown


def test_500_choices_of_formats_give_what_loops_compute():
    rng = np.random.default_rng(0)
    for case in range(500):
        formats = {place: str(rng.choice(list(FORMATS))) for place in PLACES}
        n_k, d_k, d_v = rng.integers(1, 6, 3).tolist()
        copies = 2 ** int(rng.integers(0, 4))
        if case < len(FORMATS):  # long sums, which may stop
            formats, copies = dict.fromkeys(PLACES, [*FORMATS][case]), 2**9
        q, k, v = (rng.standard_normal(shape) for shape in ((1, d_k), (n_k, d_k), (n_k, d_v)))
        right = scaled_dot_product_attention(q, k, v)[0]
        given = {"q": q[0], "k": k, "v": v, "output": right, "places": PLACES}
        shown = RESULT.call("compute", given, formats | {"copies": copies.bit_length() - 1})
        many = [np.tile(rows, (copies, 1)) for rows in (k, v)]
        rounded = [dict.fromkeys(PLACES, "float64") | dict([*formats.items()][:n]) for n in range(1, 5)]
        outputs = [by_loops(q, *many, **one)[1][0] for one in rounded]
        np.testing.assert_allclose(np.array(shown["output"], float), outputs[-1], rtol=1e-12, atol=1e-12)
        errors = [np.linalg.norm(np.subtract(output, right)) / np.linalg.norm(right) for output in outputs]
        np.testing.assert_allclose(np.array(shown["errors"], float), errors, rtol=1e-9, atol=1e-11)
