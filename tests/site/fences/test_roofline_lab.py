"""The roofline lab: what its script counts against loops and the package, and what it refuses."""

import math
import re

import numpy as np
import pytest

from tests.package.oracles import loop_work
from tests.site.fences.reading import Figure

SIZES = ("d_model", "n_layers", "n_heads", "n_kv_heads", "d_head", "d_ff", "n_vocabulary")
LLAMA = dict(zip(SIZES, (4096, 32, 32, 8, 128, 14336, 128256), strict=True))
MACHINES = {"A": (312e12, 2.039e12, 2), "B": (1e11, 2e10, 4)}
LAB = Figure("roofline-lab", model=str(LLAMA), machines=str(MACHINES), batch=1, context=8192)
START = {"machine": 0, "pass": "step", "batch": 0, "context": 13, "kv": 3, "block": 7, "share": 20}


def compute(model, machine, state):
    one = dict(zip(("peak", "bandwidth", "itemsize"), machine, strict=True))
    return LAB.call("compute", {"model": model, "machines": [one]}, state | {"machine": 0})


def test_500_states_are_those_counted_one_by_one_and_take_what_the_machine_takes():
    rng = np.random.default_rng(5)
    for case in range(500):
        batch, context, kv, group, block = rng.integers(0, 4, 5).tolist()
        model = dict(zip(LLAMA, rng.integers(1, 9, 7).tolist(), strict=True)) | {"n_heads": 2 ** (kv + group)}
        state = {
            "batch": batch,
            "context": context,
            "kv": kv,
            "block": group + block,
            "share": int(rng.integers(8, 21)),
        }
        peak, bandwidth, itemsize = machine = (*(10 ** rng.uniform(10, 13, 2)).tolist(), int(rng.integers(1, 9)))
        kind, new = (("step", 1), ("prefill", 2**context))[case % 2]
        shown = compute(model, machine, state | {"pass": kind})
        counted = loop_work(model | {"n_kv_heads": 2**kv}, 2**batch, 2**context, new, itemsize, 2 ** (group + block))
        peak *= state["share"] / 20
        assert {name: (shown[name]["flops"], shown[name]["bytes"]) for name in counted} == counted
        times = {name: (moved / bandwidth, flops / peak) for name, (flops, moved) in counted.items()}
        assert [shown[name]["seconds"] for name in times] == pytest.approx([*map(max, times.values())], rel=1e-12)
        waits = ["memory" if memory >= arithmetic else "arithmetic" for memory, arithmetic in times.values()]
        assert [shown[name]["waits"] for name in times] == waits
        for what in ("flops", "bytes", "seconds"):
            assert shown["together"][what] == pytest.approx(sum(shown[name][what] for name in times), rel=1e-12)


@pytest.mark.parametrize("machine", [0, 1])
def test_each_part_lies_on_the_roof_of_the_chosen_machine(machine):
    """On logarithmic axes from 1/4 to 2^18 flops a byte, and from 1 Gflop/s to 10^6.5; 3/4 of the peak is reached."""
    root, (peak, bandwidth, itemsize) = LAB.live(machine=machine, batch=5, share=15), [*MACHINES.values()][machine]
    counted = compute(LLAMA, (peak, bandwidth, itemsize), START | {"batch": 5})
    peak *= 0.75
    marks = {"ridge": peak / bandwidth}
    marks |= {name: counted[name]["flops"] / counted[name]["bytes"] for name in ("matrices", "attention")}
    for name, intensity in marks.items():
        speed = min(peak, intensity * bandwidth)
        x, y = 68 + 394 * (math.log2(intensity) + 2) / 20, 300 - 270 * (math.log10(speed) - 9) / 6.5
        place = root.find(f".//{{*}}g[@class='{name}']").get("transform")
        assert [float(number) for number in re.findall(r"[\d.]+", place)] == pytest.approx([x, y], abs=5.1e-4)
    lines = root.findall(".//{*}g[@class='roof']")
    assert [n for n, line in enumerate(lines) if "data-chosen" in line.attrib] == [machine]
    ridge = root.find(".//{*}g[@class='ridge']").get("transform")
    bold = root.find(".//{*}g[@class='reached']/{*}path").get("d")
    assert ridge.replace("translate(", "L").replace(")", "H462") in bold


test_what_does_not_fit_is_refused = LAB.refuses(
    {
        "no such size": ({"model": str(LLAMA | {"width": 1})}, "model", "d_model"),
        "no layers": ({"model": str(LLAMA | {"n_layers": 0})}, "model", "whole numbers"),
        "heads that a slider cannot reach": ({"model": str(LLAMA | {"n_heads": 24})}, "model", "power of two"),
        "heads that do not divide": ({"model": str(LLAMA | {"n_kv_heads": 3})}, "model", "divides"),
        "no bandwidth": ({"machines": "{'A': (1e12, 0, 2)}"}, "machines", "bytes a second"),
        "no power of two": ({"context": 8000}, "context", "one of 512, 1024"),
    }
)
