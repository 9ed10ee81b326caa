# SPDX-License-Identifier: Apache-2.0
"""Tables of the report: our figures, the paper's beside them, and missing ones."""

import pytest

from launcher.bench.bench_description import Mode
from launcher.experiment.remapcom import paper, tables
from launcher.experiment.remapcom.measures import DIVIDED, FASTER, FOUND, FOUND_OVER_BASE, KEPT, SAVED
from launcher.experiment.runner.parts import Table
from launcher.experiment.runner.quantities import Results
from launcher.tests.experiment.remapcom_runs import level, runs

OURS = ["base", "retain", "fill", "skip", "blend"]
MIXGRAPH = ("mixallrandom", "mixalldist", "mixprefixrandom", "mixprefixdist")


@pytest.fixture
def mixgraph() -> Results:
    return {f"mixgraph-{name}": runs() for name in MIXGRAPH}


def row(table: Table, name: str) -> dict[str, str]:
    """The row of this name, as a dictionary by the table's header."""
    head, rows = table
    (cells,) = [cells for cells in rows if cells[0] == name]
    return dict(zip(head[1:], cells[1:], strict=True))


def test_mixgraph_has_the_papers_figures_beside_ours(mixgraph: Results) -> None:
    faster = tables.compared(FASTER, mixgraph, "mixgraph")
    assert faster[0] == ["throughput against off", *OURS, "base, the paper's", "retain, the paper's"]
    assert [cells[0] for cells in faster[1]] == list(MIXGRAPH)
    assert row(faster, "mixprefixdist")["retain, the paper's"] == "+28 %"
    assert row(faster, "mixprefixrandom")["base, the paper's"] == "+3 %"
    mean = row(tables.compared(SAVED, mixgraph, "mixgraph"), "mean of the four")
    assert mean["retain"] == "25.0 %" and mean["base, the paper's"] == "4.5 %" and mean["retain, the paper's"] == "11 %"
    found = tables.compared(FOUND, mixgraph, "mixgraph")
    assert found[0][-1] == "off, the paper's" and row(found, "mixalldist")["off, the paper's"] == "11.4 %"
    assert tables.compared(KEPT, mixgraph, "mixgraph")[0] == ["unchanged blocks kept", *OURS]


def test_a_mean_needs_all_of_its_cases(mixgraph: Results) -> None:
    del mixgraph["mixgraph-mixalldist"]
    head, rows = tables.compared(SAVED, mixgraph, "mixgraph")
    assert [cells[0] for cells in rows] == ["mixallrandom", "mixprefixrandom", "mixprefixdist"]
    assert head == ["NAND bytes saved", *OURS]
    assert tables.compared(SAVED, {}, "mixgraph") == (head, [])


def test_a_mode_that_was_not_run_leaves_its_cell_empty(mixgraph: Results) -> None:
    del mixgraph["mixgraph-mixalldist"][Mode.retain]
    saved = tables.compared(SAVED, mixgraph, "mixgraph")
    assert row(saved, "mixalldist")["retain"] == "-" and row(saved, "mixalldist")["base"] == "10.0 %"
    assert row(saved, "mean of the four")["retain"] == "-" and row(saved, "mean of the four")["base"] == "10.0 %"


def test_fills_have_the_two_figures_between_which_the_papers_are() -> None:
    results = {f"fillrandom-{size}": runs() for size in ("100B", *paper.KV_SIZES)}
    faster = tables.compared(FASTER, results, "fillrandom")
    assert row(faster, "100B")["retain, the paper's"] == "-"
    assert row(faster, "1KB")["retain, the paper's"] == "+5.4 to +16.2 %"
    assert row(faster, "4KB")["base, the paper's"] == "+30 %"
    results["fillrandom-100B"] = runs({Mode.retain: {"nand_bytes": 0}})
    assert row(tables.compared(SAVED, results, "fillrandom"), "mean of 256 B to 4 KB")["retain"] == "25.0 %"
    names = [head[0] for head, _ in tables.of_figure_all(results, "fillrandom")]
    assert names[0] == FOUND_OVER_BASE.name and names[-1] == "CPU of flushes and compactions against off"


def test_ranges_have_wa_as_the_paper_has_it() -> None:
    results = {"ranges-1-4KB": runs(), "fillrandom-1KB": runs()}
    found = tables.of_figure_all(results, "ranges")
    divided = row(found[0], "1-4KB")
    assert found[0][0][0] == DIVIDED.name and divided["retain"] == "1.33" and divided["retain, the paper's"] == "1.36"
    assert row(found[1], "1-4KB")["retain, the paper's"] == "26.5 %"
    assert DIVIDED.name not in [head[0] for head, _ in tables.of_figure_all(results, "data")]


def test_all_of_the_paper_is_there_whatever_was_run() -> None:
    nothing = tables.all_of_paper({})[1]
    assert len(nothing) == len(paper.REPORTED) and all(cells[3:] == ["-"] * 5 for cells in nothing)
    results = {"fillrandom-1KB": runs(), "ycsb-ycsbb-1KB": runs()}
    by_name = {cells[1]: cells for cells in tables.all_of_paper(results)[1]}
    into = "unchanged blocks kept by compactions into L{}: fillrandom-1KB (of the paper: SSD writes saved there)"
    assert by_name[into.format(1)][2:5] == ["RemapCom-Base 1 %, RemapCom 5 %", "25.0 %", "25.0 %"]
    assert by_name[into.format(3)][2:5] == ["RemapCom-Base 29 %, RemapCom 52 %", "-", "-"], (
        "nothing was compacted into it"
    )
    mean = by_name["throughput against off: ycsb-ycsbb, mean of 256 B to 4 KB"]
    assert mean[2:] == ["RemapCom +2.5 %", *["-"] * 5], "two of three are not finished"
    assert by_name["unchanged blocks found: mixgraph-mixalldist"][2] == "LevelDB 11.4 %"


def test_levels_that_some_mode_compacted_into() -> None:
    deep = [level(1, 100, 20, 10), level(2, 0, 0, 0), level(4, 10, 9, 8)]
    head, rows = tables.levels({"fillrandom-1KB": runs({Mode.retain: {"levels": deep}})})
    theirs = ["the paper's SSD writes saved: base", "the paper's SSD writes saved: retain"]
    assert head == ["blocks kept by compactions into", *OURS, *theirs]
    assert [cells[0] for cells in rows] == ["L1", "L4"]
    assert rows[0] == ["L1", "25.0 %", "10.0 %", "25.0 %", "25.0 %", "25.0 %", "1 %", "5 %"]
    assert rows[1] == ["L4", "-", "80.0 %", "-", "-", "-", "32 %", "53 %"]
    assert tables.levels({}) == (head, []) and tables.levels({"fillrandom-4KB": runs()}) == (head, [])


def test_background_cpu_of_the_fills() -> None:
    results = {"fillrandom-1KB": runs(), "fillzipfian-4KB": runs(), "ycsb-ycsba-1KB": runs()}
    head, rows = tables.background_cpu(results)
    assert head == ["CPU of flushes and compactions", "off", *OURS]
    assert [cells[0] for cells in rows] == ["fillrandom-1KB", "fillzipfian-4KB"]
    assert rows[0][1:] == ["0.1 s", "+0.0 %", "+0.0 %", "+0.0 %", "-25.0 %", "-25.0 %"]


def test_a_case_that_puts_nothing_saves_nothing() -> None:
    head, rows = tables.cases({"ycsb-ycsbc-1KB": runs(user_bytes=0), "fillrandom-1KB": runs()})
    assert head == ["NAND bytes saved, space, throughput", *OURS]
    assert rows[0][1] == "-, +0.0 %, +0 %" and rows[1][2] == "25.0 %, +0.0 %, +0 %"


def test_each_run_is_told() -> None:
    head, rows = tables.runs_of({"fillrandom-1KB": runs()}, "fillrandom")
    assert len(rows) == len(Mode) and all(len(cells) == len(head) for cells in rows)
    assert rows[2] == ["1KB", "retain", "3.00", "2.00", "1.50", "25.0 %", "+0.0 %", "25.0 %", "0.50", "0.10", "0.08"]
