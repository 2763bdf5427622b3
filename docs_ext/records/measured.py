"""What the last `make bench` measured, for the expressions of fences: no page holds a ratio that somebody typed."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from attention import kv_cache_bytes

RESULTS = Path(__file__).parents[2] / "benchmarks/results.json"
Records = list[dict[str, Any]]


@cache
def _machines(path: Path) -> Any:
    if not path.is_file():
        raise ValueError(f"{path.name} is not there: run make bench")
    return json.loads(path.read_text("utf-8"))["machines"]


def machines() -> Records:
    """Return one record a fact, with a column for every machine: what it is, and the versions of what ran on it."""
    records = _machines(RESULTS)
    facts = {fact: None for record in records for fact in record["machine"]}
    return [
        {"what": fact} | {f"machine {i + 1}": record["machine"].get(fact, "") for i, record in enumerate(records)}
        for fact in facts
    ]


def beside(suite: str, *names: str) -> Records:
    """Return one record for each finding with one of these names, with a column for every machine."""
    columns = [
        {(finding["what"], finding.get("n", "")): finding["value"] for finding in record["findings"]
         if finding["suite"] == suite and finding["what"] in names}
        for record in _machines(RESULTS)
    ]  # fmt: skip
    if missing := set(names) - {what for what, _ in columns[0]}:
        raise ValueError(f"{RESULTS.name}, suite {suite!r} has no finding {sorted(missing)[0]!r}")
    rows = sorted(columns[0], key=lambda row: names.index(row[0]))
    return [
        {"what": what, "n": n} | {f"machine {i + 1}": column.get((what, n), "") for i, column in enumerate(columns)}
        for what, n in rows
    ]


def findings(suite: str | None = None, *, n: int | None = None) -> Records:
    """Return the findings of a suite on the first machine, in the order measured; of this n, if one is given."""
    found = [
        finding
        for finding in _machines(RESULTS)[0]["findings"]
        if suite in (None, finding["suite"]) and n in (None, finding.get("n"))
    ]
    if not found:
        raise ValueError(f"{RESULTS.name} has no finding for suite {suite!r}, n {n!r}")
    return found


def curve(suite: str, *names: str) -> Records:
    """Return the points of a chart: `what`, `n` and `value` of the findings with exactly these names."""
    points = [
        {"what": finding["what"], "n": finding["n"], "value": finding["value"]}
        for finding in findings(suite)
        if finding["what"] in names and "n" in finding
    ]
    if missing := set(names) - {point["what"] for point in points}:
        raise ValueError(f"{RESULTS.name}, suite {suite!r} has no curve {sorted(missing)[0]!r}")
    return points


def by_tokens(suite: str, *, causal: bool = False) -> Records:
    """Return one record a contender, with a column for every number of tokens; empty where nothing was measured."""
    chosen = [
        finding
        for finding in findings(suite)
        if finding["what"].endswith(" (causal)") == causal and " / " not in finding["what"]
    ]
    sizes = sorted({finding["n"] for finding in chosen})
    table: dict[str, dict[str, Any]] = {}
    for finding in chosen:
        name = finding["what"].removesuffix(" (causal)")
        row = table.setdefault(name, {"n": name} | {str(n): "" for n in sizes})
        row[str(finding["n"])] = finding["value"]
    return list(table.values())


def contenders(n: int) -> Records:
    """Return one record a contender at n tokens, the fastest first, and whether it is this package's."""
    found = [f for f in findings("peers", n=n) if "causal" not in f["what"] and " / " not in f["what"]]
    return [
        {"what": f["what"], "value": f["value"], "whose": "ours" if f["what"].endswith("_attention") else "others"}
        for f in sorted(found, key=lambda f: f["value"])
    ]


def roof(machine: int = 0) -> dict[str, float]:
    """Return the most flops and bytes that one thread of a machine has reached in a second."""
    found = _roofline(machine)
    return {"peak": 1e9 * found["peak", None], "bandwidth": 1e9 * found["memory bandwidth", None]}


def decode_steps(machine: int = 0) -> Records:
    """Return one record a length of the cache: the ms that reading it would take, and those of a step over it.

    8 heads of 64 features, float32, as in the benchmark.
    """
    bandwidth, found = roof(machine)["bandwidth"], _roofline(machine)
    rows: Records = []
    for (what, n), measured in found.items():
        if what == "a step, 8 heads" and n:
            size = kv_cache_bytes(n, n_layers=1, n_kv_heads=8, d_head=64, itemsize=4)
            predicted = 1e3 * size / bandwidth
            row: dict[str, Any] = {"tokens": n, "MiB": size / 2**20, "predicted": predicted, "measured": measured}
            row["ratio"] = round(predicted / measured, 2)
            row["fits"] = "yes" if row["MiB"] <= found.get(("last-level cache", None), 0) else "no"
            rows.append(row)
    return rows


def _roofline(machine: int) -> dict[tuple[str, int | None], float]:
    found = _machines(RESULTS)[machine]["findings"]
    return {(f["what"], f.get("n")): f["value"] for f in found if f["suite"] == "roofline"}


def missed() -> Records:
    """Return what was wanted and not reached, each with its reason; one record that says so if there is nothing."""
    found = [
        {
            "measured": finding["value"],
            "wanted": _wanted(finding),
            "what": _sentence(finding),
            "why": finding.get("reason", ""),
        }
        for finding in findings()
        if finding.get("met") is False
    ]
    return found or [{"measured": "", "wanted": "", "what": "nothing is missed", "why": ""}]


def _sentence(finding: dict[str, Any]) -> str:
    tokens = f", n = {finding['n']}" if "n" in finding else ""
    base = " / torch, CPU flash kernel" if finding["suite"] == "peers" and " / " not in finding["what"] else ""
    unit = "" if finding["unit"] in ("ratio", "exponent") else f" [{finding['unit']}]"
    return f"{finding['suite']}: {finding['what']}{base}{tokens}{unit}"


def _wanted(finding: dict[str, Any]) -> str:
    if "at_most" in finding:
        return f"\N{LESS-THAN OR EQUAL TO} {finding['at_most']:g}"
    return f"\N{GREATER-THAN OR EQUAL TO} {finding['at_least']:g}"


def held(what: str) -> Any:
    """Return the `kernels` of others that were held against the package, or their `gradients`: one record a call."""
    return json.loads((RESULTS.parents[1] / "docs/assets/records/kernels.json").read_text("utf-8"))[what]


FUNCTIONS = (beside, by_tokens, contenders, curve, decode_steps, findings, held, machines, missed, roof)
