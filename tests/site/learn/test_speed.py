"""What the page on speed counts, counted again in loops, and what it says of published kernels."""

import re

from docs_ext.records.facts import fact
from tests.package.oracles import loop_work
from tests.site.learn.page_functions import names
from tests.site.pages import ROOT
from tests.tables import beside

PAGE = names("speed")
LLAMA = beside(__file__, "llama.toml")


def test_llama_3_8b_has_the_sizes_of_its_file_and_as_many_parameters_as_published():
    assert LLAMA["d_ff"] == 1024 * -(-int(1.3 * int(2 * 4 * 4096 / 3)) // 1024)  # multiple_of 1024, multiplier 1.3
    embeddings, norms = 128256 * 4096, (2 * 32 + 1) * 4096
    assert PAGE["numbers"] + embeddings + norms == 8_030_261_248


def test_the_page_prints_the_arithmetic_that_a_loop_counts():
    """In a prefill the matrix that scores the next token meets one token only."""
    text = (ROOT / "docs/learn/speed.md").read_text("utf-8")
    told = re.findall(r"^(\d+) (\d+) arithmetic ([\d.]+) ms$", text, re.M)
    assert len(told) == 3
    for texts, new, shown in told:
        (flops, _), _ = loop_work(LLAMA, int(texts), 8192, int(new), 2, 128).values()
        assert round(1e3 * flops / 312e12, 2) == float(shown)


def test_what_the_page_says_of_machines_and_kernels_follows_from_its_sources():
    machines = {name: fact("nvidia", name) for name in ("a100", "h100", "h200", "b200")}
    for source, name in (("dao2023", "a100"), ("shah2024", "h100"), ("zadouri2026", "b200")):
        assert 0.7 < fact(source, "reached") / machines[name][0] < 0.75
    for name, (peak, rate) in machines.items():
        assert PAGE[name] == (peak * 1e12, rate * 1e9)
