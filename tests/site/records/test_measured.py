"""What the pages show of the benchmarks: read from the record, nothing hidden, and the record is complete."""

import json

import pytest

from docs_ext.records import measured
from tests.tables import beside, each_row

MADE_UP = beside(__file__, "measured.json")
OURS, OTHER = MADE_UP["machines"]
FINDINGS, ROOFLINE, SHOWN = OURS["findings"], MADE_UP["roofline"], MADE_UP["shown"]


@pytest.fixture
def record(tmp_path, monkeypatch):
    """Return a function that replaces the findings."""
    monkeypatch.setattr(measured, "RESULTS", tmp_path / "results.json")

    def write(findings):
        measured._machines.cache_clear()
        records = [OURS | {"findings": findings}, OTHER]
        (tmp_path / "results.json").write_text(json.dumps({"machines": records}))

    write(FINDINGS)
    yield write
    measured._machines.cache_clear()


def test_what_is_missed_is_shown_with_its_reason(record):
    what, at_most = "peers: ours / torch, CPU flash kernel, n = 512", "\N{LESS-THAN OR EQUAL TO}"
    assert measured.missed() == [{"measured": 1.2, "wanted": f"{at_most} 1.1", "what": what, "why": "so it is"}]
    record([finding | {"met": False} for finding in FINDINGS if "goal" in finding and finding["goal"] > 1])
    shown = [(row["wanted"], row["what"]) for row in measured.missed()]
    assert shown[0] == (f"{at_most} 2", "memory: ours, n = 64 [MiB]")
    assert shown[-1] == ("\N{GREATER-THAN OR EQUAL TO} 5", "positions: loop / ours")
    record([finding for finding in FINDINGS if finding.get("met")])
    assert [row["what"] for row in measured.missed()] == ["nothing is missed"]


@pytest.mark.usefixtures("record")
def test_a_table_has_a_column_for_every_size_and_gaps_are_empty():
    assert measured.by_tokens("peers") == SHOWN["by tokens"]
    assert measured.by_tokens("peers", causal=True) == SHOWN["by tokens, causal"]


@pytest.mark.usefixtures("record")
def test_every_machine_has_a_column_and_gaps_are_empty():
    assert measured.machines() == SHOWN["machines"]
    assert measured.beside("peers", "theirs", "ours") == SHOWN["beside"]


@pytest.mark.usefixtures("record")
@each_row("asked, of", "measured.toml")
def test_what_was_not_measured_stops_the_build(asked, of):
    with pytest.raises(ValueError, match=r"results\.json"):
        getattr(measured, asked)(*of)


def test_the_fastest_contender_comes_first(record):
    record([{"suite": "peers", "what": what, "value": value, "n": 8} for what, value in (("a", 3.0), ("b", 1.0))])
    assert [one["what"] for one in measured.contenders(8)] == ["b", "a"]


def test_steps_are_predicted_from_the_bandwidth_of_their_record(record):
    record(FINDINGS + ROOFLINE)
    assert measured.roof() == {"peak": 50e9, "bandwidth": 8e9}
    short, long = measured.decode_steps()
    assert (short["tokens"], short["MiB"], long["MiB"]) == (1024, 4, 64)
    assert short["predicted"] == pytest.approx(1e3 * 4 * 2**20 / 8e9)
    assert (short["measured"], short["ratio"]) == (1.0, 0.52)
    assert (short["fits"], long["fits"]) == ("yes", "no")
    assert long["ratio"] == round(64 * 2**20 / 8e9 / 8e-3, 2)


def test_only_kernels_that_should_pass_are_in_the_table_of_right_ones():
    assert all(row["wrong"] for row in measured.held("refused"))
    assert not any("wrong" in row for row in measured.held("kernels"))
