"""What the page on speed counts, counted again in loops, and what it says of published kernels."""

import re

from docs_ext.records.facts import fact
from tests.package.oracles import loop_work
from tests.site.learn.page_functions import names
from tests.site.pages import ROOT

PAGE = names("speed")
LLAMA = {
    "d_model": 4096,
    "n_layers": 32,
    "n_heads": 32,
    "n_kv_heads": 8,
    "d_head": 128,
    "d_ff": 14336,
    "n_vocabulary": 128256,
}


def test_llama_3_8b_has_the_sizes_of_its_file_and_as_many_parameters_as_published():
    assert LLAMA["d_ff"] == 1024 * -(-int(1.3 * int(2 * 4 * 4096 / 3)) // 1024)  # multiple_of 1024, multiplier 1.3
    embeddings, norms = 128256 * 4096, (2 * 32 + 1) * 4096
    assert PAGE["numbers"] + embeddings + norms == 8_030_261_248


def test_the_first_picture_tells_what_a_loop_counts():
    """In a prefill the matrix that scores the next token meets one token only."""
    text = (ROOT / "docs/learn/speed.md").read_text("utf-8")
    told = re.search(r"arithmetic [\d.]+ ms to (\d+)", text).groups()
    told = re.search(r"Arithmetic takes ([\d.]+) ms .*? ([\d.]+) ms", text, re.DOTALL).groups() + told
    for (texts, new), shown in zip(((1, 1), (64, 1), (1, 8192)), told, strict=True):
        (flops, _), _ = loop_work(LLAMA, texts, 8192, new, 2, 128).values()
        milliseconds = 1e3 * flops / 312e12
        assert round(milliseconds, 2 if milliseconds < 100 else None) == float(shown)


def test_what_the_page_says_of_published_kernels_follows_from_its_sources():
    (a100, a100_rate), (h100, h100_rate), (b200, _) = (fact("nvidia", name) for name in ("a100", "h100", "b200"))
    second, third, fourth = (fact(source, "reached") for source in ("dao2023", "shah2024", "zadouri2026"))
    assert third > 128 * h100_rate / 1000  # Tflop/s, if each block of 128 rows reads all keys from memory
    assert second < 128 * a100_rate / 1000
    shares = [second / a100, third / h100, fourth / b200, fact("flashmla", "dense")[1] / h100]
    assert 0.6 < min(shares) < max(shares) < 0.75
    for name, machine in (("a100", a100), ("h100", h100), ("b200", b200)):
        assert PAGE[name] == (machine * 1e12, fact("nvidia", name)[1] * 1e9)
