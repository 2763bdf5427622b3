"""The functions of the page on speed, counted again in loops, and what it says of measurements."""

import re

import numpy as np
import pytest

from docs_ext.records.facts import fact
from docs_ext.records.measured import decode_steps, findings, products, roof
from tests.package.oracles import loop_work
from tests.site.learn.page_functions import names
from tests.site.pages import ROOT

PAGE = names("speed")


def test_the_page_counts_what_a_loop_over_matrices_and_pairs_counts(rng):
    for _ in range(40):
        shared, group, batch, n, itemsize, block = (int(rng.integers(1, most)) for most in (4, 5, 5, 12, 9, 12))
        sizes = rng.permutation(np.arange(2, 12))[:5].tolist()
        model = dict(zip(("d_model", "n_layers", "d_head", "d_ff", "n_vocabulary"), sizes, strict=True))
        model |= {"n_heads": shared * group, "n_kv_heads": shared}
        for new in {1, n}:
            expected = loop_work(model, batch, n, new, itemsize, block)
            assert PAGE["work"](batch, n, new, itemsize=itemsize, block=block, **model) == list(expected.values())


def test_llama_3_8b_has_the_sizes_of_its_file_and_as_many_parameters_as_published():
    sizes = PAGE["llama"]
    assert sizes["d_ff"] == 1024 * -(-int(1.3 * int(2 * 4 * 4096 / 3)) // 1024)  # multiple_of 1024, multiplier 1.3
    (_, n_bytes), _ = PAGE["work"](1, 1, 1, **sizes)
    embeddings, norms = 128256 * 4096, (2 * 32 + 1) * 4096
    assert n_bytes // 2 + embeddings + norms == 8_030_261_248


def test_a_job_takes_as_long_as_the_slower_of_reading_and_computing():
    ridge = 7 / 5
    for flops, n_bytes, expected in ((70, 5, 10), (7, 50, 10), (7 * ridge, 7, 7 / 5)):
        assert PAGE["seconds"](flops, n_bytes, peak=7, bandwidth=5) == pytest.approx(expected)


def test_the_first_picture_tells_what_the_function_counts():
    """In a prefill the matrix that scores the next token meets one token only."""
    text = (ROOT / "docs/learn/speed.md").read_text("utf-8")
    told = re.search(r"arithmetic [\d.]+ ms to (\d+)", text).groups()
    told = re.search(r"Arithmetic takes ([\d.]+) ms .*? ([\d.]+) ms", text, re.DOTALL).groups() + told
    for (texts, new), shown in zip(((1, 1), (64, 1), (1, 8192)), told, strict=True):
        (flops, _), _ = PAGE["work"](texts, 8192, new, **PAGE["llama"])
        milliseconds = 1e3 * flops / 312e12
        assert round(milliseconds, 2 if milliseconds < 100 else None) == float(shown)


def test_what_the_page_says_of_the_two_slopes_is_in_the_record():
    slope = roof()["bandwidth"]
    dashed = 1e9 * findings("roofline", what="dot product")[0]["value"]
    one, *few = [1e9 * row["Gflop/s"] / row["flops a byte"] for row in products()]
    assert slope < one < dashed
    assert max(few[:5]) < slope  # 2 to 32 rows
    for row in decode_steps():
        if row["fits"] == "no":
            assert 0.5 < row["predicted"] * slope / dashed / row["measured"] < 0.65  # "little more than half"


def test_what_the_page_says_of_published_kernels_follows_from_its_sources():
    (a100, a100_rate), (h100, h100_rate), (b200, _) = (fact("nvidia", name) for name in ("a100", "h100", "b200"))
    second, third, fourth = (fact(source, "reached") for source in ("dao2023", "shah2024", "zadouri2026"))
    assert third > 128 * h100_rate / 1000  # Tflop/s, if each block of 128 rows reads all keys from memory
    assert second < 128 * a100_rate / 1000
    shares = [second / a100, third / h100, fourth / b200, fact("flashmla", "dense")[1] / h100]
    assert 0.6 < min(shares) < max(shares) < 0.75
    for name, machine in (("a100", a100), ("h100", h100), ("b200", b200)):
        assert PAGE[name] == (machine * 1e12, fact("nvidia", name)[1] * 1e9)
