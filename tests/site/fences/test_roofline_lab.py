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
LAB = Figure.sound("roofline-lab")
START = {"machine": 0, "pass": "step", "batch": 0, "context": 13, "kv": 3, "block": 7}


def compute(model, machine, state):
    one = dict(zip(("peak", "bandwidth", "itemsize", "l2"), machine, strict=False))
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
        }
        peak, bandwidth, itemsize = machine = (*(10 ** rng.uniform(10, 13, 2)).tolist(), int(rng.integers(1, 9)))
        kind, new = (("step", 1), ("prefill", 2**context))[case % 2]
        shown = compute(model, machine, state | {"pass": kind})
        counted = loop_work(model | {"n_kv_heads": 2**kv}, 2**batch, 2**context, new, itemsize, 2 ** (group + block))
        assert {name: (shown[name]["flops"], shown[name]["bytes"]) for name in counted} == counted
        times = {name: (moved / bandwidth, flops / peak) for name, (flops, moved) in counted.items()}
        assert [shown[name]["seconds"] for name in times] == pytest.approx([*map(max, times.values())], rel=1e-12)
        waits = ["memory" if memory >= arithmetic else "arithmetic" for memory, arithmetic in times.values()]
        assert [shown[name]["waits"] for name in times] == waits
        for what in ("flops", "bytes", "seconds"):
            assert shown["together"][what] == pytest.approx(sum(shown[name][what] for name in times), rel=1e-12)


@pytest.mark.parametrize(("l2", "waits"), [(7.2192e12, "arithmetic"), (1e12, "L2")])
def test_with_an_l2_main_memory_sends_each_key_once_and_blocks_read_from_there(l2, waits):
    model, state, machine = (
        LLAMA | {"n_layers": 1},
        START | {"pass": "prefill", "context": 9, "block": 6},
        (312e12, 2.039e12),
    )
    again = loop_work(model, 1, 512, 512, 2, 64)["attention"]
    once = loop_work(model, 1, 512, 512, 2, 4 * 512)["attention"]  # one block of all queries of a group
    shown = compute(model, (*machine, 2, l2), state)
    assert [(shown[name]["flops"], shown[name]["bytes"]) for name in ("attention", "cache")] == [once, again]
    longest = max(once[0] / machine[0], once[1] / machine[1], again[1] / l2)
    assert compute(model, (*machine, 2, l2), state | {"block": 11})["cache"] is None  # one block reads each key once
    assert (shown["attention"]["seconds"], shown["attention"]["waits"]) == (pytest.approx(longest, rel=1e-12), waits)


@pytest.mark.parametrize("machine", [0, 1])
def test_each_part_lies_on_the_roof_of_the_chosen_machine_in_both_layouts(machine):
    """On logarithmic axes from 1/4 to 2^18 flops a byte, and from 1 Gflop/s to 10^6.5."""
    root, (peak, bandwidth, itemsize) = LAB.live(machine=machine, batch=5), [*MACHINES.values()][machine]
    counted = compute(LLAMA, (peak, bandwidth, itemsize), START | {"batch": 5})
    for width, high, svg in zip((748, 358), (330, 264), root.findall(".//{*}svg[@role='img']"), strict=True):
        for name in ("matrices", "attention"):
            intensity = counted[name]["flops"] / counted[name]["bytes"]
            speed = min(peak, intensity * bandwidth)
            x = 58 + (width - 68) * (math.log2(intensity) + 2) / 20
            y = 28 + high * (1 - (math.log10(speed) - 9) / 6.5)
            place = svg.find(f".//{{*}}g[@class='{name}']").get("transform")
            assert [float(number) for number in re.findall(r"[\d.]+", place)] == pytest.approx([x, y], abs=5.1e-4)
        lines = svg.findall(".//{*}g[@class='roof']")
        assert [n for n, line in enumerate(lines) if "data-chosen" in line.attrib] == [machine]
        ridge = svg.find(".//{*}g[@class='ridge']/{*}path").get("d").partition("V")[0].replace("M", "L")
        assert ridge in svg.find(".//{*}g[@class='reached']/{*}path").get("d")


def test_machines_of_one_peak_share_a_label_that_the_chosen_one_draws():
    lab = Figure(
        "roofline-lab", model=str(LLAMA), machines=str(MACHINES | {"C": (312e12, 4e12, 2)}), batch=1, context=8192
    )
    for machine, labels in enumerate((["A, C", "B", None], ["A, C", "B", "A, C"], [None, "B", "A, C"])):
        lines = lab.live(machine=machine).findall(".//{*}svg[@role='img']/{*}g[@class='roof']/{*}text")
        assert [line.text for line in lines] == labels * 2  # in both layouts


def test_a_drag_finds_the_texts_whose_dot_is_nearest():
    for batch in range(11):  # a step does as many flops with a byte as there are texts
        for off in (-0.4, 0, 0.4):
            assert LAB.call("nearest", LAB.given, START, (batch + off + 2) / 20) == min(max(batch, 0), 10)
    assert LAB.call("nearest", LAB.given, START, -3) == 0
    assert LAB.call("nearest", LAB.given, START, 3) == 10
