"""The roofline lab without a script: counted again in loops over the matrices and pairs, and what it refuses."""

from docs_ext.fences import roofline_lab
from docs_ext.fences.roofline_lab import Machine
from tests.package.oracles import loop_work
from tests.site.fences.reading import plain, read, refuses, rows, text

LLAMA = {
    "d_model": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "d_head": 128, "d_ff": 14336,
    "n_vocabulary": 128256,
}  # fmt: skip
MACHINES = {"A": (312e12, 2.039e12, 2), "B": (1e11, 2e10, 4)}
SPEC = {"id": "r", "caption": "c", "model": str(LLAMA), "machines": str(MACHINES), "batch": 1, "context": 8192}


def test_flops_and_bytes_are_those_counted_one_by_one(rng):
    for _ in range(40):
        shared, group, batch, n, itemsize = (int(rng.integers(1, most)) for most in (4, 5, 5, 12, 9))
        sizes = rng.integers(2, 9, 5).tolist()
        model = dict(zip(("d_model", "n_layers", "d_head", "d_ff", "n_vocabulary"), sizes, strict=True))
        model |= {"n_heads": shared * group, "n_kv_heads": shared}
        for new in {1, n}:
            assert roofline_lab.work(model, batch, n, new, itemsize) == loop_work(model, batch, n, new, itemsize)


def test_the_count_by_hand_is_that_of_the_model():
    layer = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336
    numbers = 32 * layer + 4096 * 128256
    assert numbers == 7_504_658_432
    assert numbers + 128256 * 4096 + (2 * 32 + 1) * 4096 == 8_030_261_248  # with embeddings and norms: as published
    step = roofline_lab.work(LLAMA, 3, 8192, 1, 2)
    assert step == {"matrices": (3 * 2 * numbers, 2 * numbers), "attention": (3 * 4294967296, 3 * 1073741824)}


def test_the_table_and_the_sentence_say_what_the_page_says():
    document = read(roofline_lab.render(SPEC))
    assert rows(document) == [
        ["matrices", "15", "15", "1", "7.36 ms", "memory"],
        ["attention", "1.07", "4.29", "4", "0.527 ms", "memory"],
    ]
    assert rows(document, ".//tfoot/tr") == [["together", "16.1", "19.3", "1.2", "7.89 ms", ""]]
    assert text(document.find(".//output")) == (
        "A: a step for 1 text of 8,192 tokens takes 7.89 ms, 127 tokens a second. Both parts wait for memory."
    )
    assert plain(document.find(".//details/p")).startswith("By 5.21. ")


def test_a_prefill_counts_all_tokens_of_all_texts():
    """By hand: the matrices take 366.5 ms and the pairs under the mask 56.4, both arithmetic."""
    layers, last, pairs = 6_979_321_856, 4096 * 128256, 8192 * 8193 // 2
    seconds = 3 * (2 * (8192 * layers + last) + 32 * 32 * 512 * pairs) / 312e12
    machine = Machine(312e12, 2.039e12, 2)
    says = roofline_lab.statement("A", machine, roofline_lab.work(LLAMA, 3, 8192, 8192, 2), 3, 8192, prefill=True)
    assert says == (
        f"A: the prefill for 3 texts of 8,192 tokens takes {seconds:.2f} s, {3 * 8192 / seconds:,.0f} tokens a second. "
        "Both parts wait for arithmetic."
    )


REFUSED = {
    "no such size": ({"model": str(LLAMA | {"width": 1})}, "model", "d_model"),
    "no layers": ({"model": str(LLAMA | {"n_layers": 0})}, "model", "whole numbers"),
    "heads that a slider cannot reach": ({"model": str(LLAMA | {"n_heads": 24})}, "model", "power of two"),
    "heads that do not divide": ({"model": str(LLAMA | {"n_kv_heads": 3})}, "model", "divides"),
    "no machine": ({"machines": "{}"}, "machines", "map names"),
    "no bandwidth": ({"machines": "{'A': (1e12, 0, 2)}"}, "machines", "bytes a second"),
    "no power of two": ({"context": 8000}, "context", "512 to 131072"),
    "a switch": ({"batch": True}, "batch", "1 to 1024"),
}
test_what_does_not_fit_is_refused = refuses(roofline_lab.render, SPEC, REFUSED)
