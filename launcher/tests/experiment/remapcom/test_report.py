# SPDX-License-Identifier: Apache-2.0
"""The report's page and its tables for the documentation."""

import json

import pytest

from launcher.experiment.remapcom import report as of_remapcom
from launcher.experiment.remapcom.remapcom import REMAPCOM
from launcher.experiment.runner import parts, report
from launcher.experiment.runner.description import Elsewhere, Scale
from launcher.experiment.runner.quantities import Results
from launcher.tests.experiment.remapcom_runs import runs

MIXGRAPH = ("mixallrandom", "mixalldist", "mixprefixrandom", "mixprefixdist")


def html(results: Results, reflinks: Elsewhere) -> str:
    return report.page(REMAPCOM, report.told(REMAPCOM, Scale.small, results, {"reflinks": reflinks}))


def documentation(results: Results, reflinks: Elsewhere) -> str:
    told = report.told(REMAPCOM, Scale.small, results, {"reflinks": reflinks})
    return parts.markdown(REMAPCOM.tables(told))


@pytest.fixture(scope="module")
def results() -> Results:
    return {"fillrandom-1KB": runs(), "fillzipfian-1KB": runs(), "ycsb-ycsba-1KB": runs(commit="2222222")}


@pytest.fixture(scope="module")
def page(results: Results) -> str:
    return html(results, Elsewhere({}, "this is <not> root"))


def test_the_report_has_our_figures_and_the_papers(results: Results, page: str) -> None:
    rows = {(row["figure"], row["mode"]): row for row in of_remapcom.summary(results)}
    retain = rows["fillrandom", "retain"]
    assert retain["nand_saved_percent"] == pytest.approx(25)  # 3000 of 4000
    assert retain["paper_nand_saved_percent"] is None, "the paper's mean is over five sizes, and this is one"
    assert retain["space_percent"] == 0
    assert retain["throughput"] == 1
    assert rows["ycsb", "skip"]["paper_nand_saved_percent"] is None
    assert ("mixgraph", "skip") not in rows, "nothing ran"
    json.dumps(list(rows.values()), allow_nan=False)
    assert "Over reflinks nothing was run: this is &lt;not&gt; root." in page
    for text in ("25.0 %", "35.7 %", "Uniform random puts", "YCSB", "L1", "RemapCom-Base 26 %, RemapCom 47 %"):
        assert text in page
    assert page.count("data:image/png;base64,") == 4, "three figures and the levels"
    assert "Mixgraph</h2>" not in page and len(page) < 1 << 20


def test_a_mean_has_the_papers_beside_it_only_over_the_same_cases() -> None:
    def papers(names: list[str]) -> object:
        rows = of_remapcom.summary({name: runs() for name in names})
        return next(row["paper_nand_saved_percent"] for row in rows if row["mode"] == "retain")

    fills = [f"fillzipfian-{size}" for size in ("256B", "512B", "1KB", "2KB", "4KB")]
    assert papers(fills) == 32.8
    assert papers(fills[1:]) is None
    rows = of_remapcom.summary({name: runs() for name in [*fills, "fillzipfian-100B"]})
    assert [
        (row["title"], row["paper_nand_saved_percent"], len(row["cases"])) for row in rows if row["mode"] == "retain"
    ] == [
        ("Zipfian puts, the paper's cases", 32.8, 5),
        ("Zipfian puts, 100B", None, 1),
    ]
    assert papers([f"mixgraph-{name}" for name in MIXGRAPH]) == 11.0
    assert papers([f"mixgraph-{name}" for name in MIXGRAPH[:1]]) is None


def test_the_report_says_where_it_comes_from(page: str) -> None:
    assert "seed 1, by <code>./openremap experiment remapcom --scale small --out DIR</code>." in page
    assert "<td>1111111</td><td>2026-11-25</td><td>12</td>" in page
    assert "<td>2222222</td><td>2026-11-25</td><td>6</td>" in page
    assert "Of 22 cases 3 are finished" in page


def test_the_report_says_how_time_was_taken(page: str) -> None:
    assert "the longer of device time (simulated" in page and "perfect overlap" in page


def test_tables_for_the_documentation(results: Results) -> None:
    results = results | {f"mixgraph-{name}": runs() for name in MIXGRAPH}
    reflinks = Elsewhere({"fillrandom-1KB": results["fillrandom-1KB"]}, "no room")
    text = documentation(results, reflinks)
    assert text.startswith("Scale small, seed 1, by `./openremap experiment remapcom --scale small --out DIR`.")
    assert text.endswith("\n\nOver reflinks some runs are missing: no room.\n")
    lines = text.splitlines()
    for line in (
        "| commit | days | runs | of these over reflinks | modes |",
        "| percent | the paper | aim | base | retain | fill | skip | blend |",
        "| Uniform random puts | retain | 25.0 % | - | +0.0 % | x1.00 |",
        "| Mixgraph | base | 10.0 % | 4.5 % | +0.0 % | x1.00 |",
        "| L1 | 25.0 % | 25.0 % | 25.0 % | 25.0 % | 25.0 % | 1 % | 5 % |",
        "| fillzipfian-1KB | 0.1 s | +0.0 % | +0.0 % | +0.0 % | -25.0 % | -25.0 % |",
        "| mixprefixdist | +0.0 % | +0.0 % | +0.0 % | +0.0 % | +0.0 % | +8 % | +28 % |",
        "| mean of the four | 10.0 % | 25.0 % | 22.5 % | 20.0 % | 32.5 % | 4.5 % | 11 % |",
        "| mixalldist | 25.0 % | 25.0 % | 25.0 % | 25.0 % | 25.0 % | 11.4 % |",
        "| 1KB | retain | 2.00 | 0.0 % | +0.0 % | 11, 5 | 0.0 % | 25.0 % | +0.0 % |",
    ):
        assert line in lines, line


def test_each_table_has_as_many_cells_in_all_its_rows(results: Results) -> None:
    reflinks = Elsewhere({"fillrandom-1KB": results["fillrandom-1KB"]})
    for block in documentation(results, reflinks).split("\n\n")[1:]:
        rows = block.splitlines()
        assert len({row.count("|") for row in rows}) == 1 and len(rows) > 2, block


def test_what_was_not_run_has_no_table() -> None:
    only = {"ycsb-ycsbc-1KB": runs(user_bytes=0)}
    text = documentation(only, Elsewhere({}))
    assert "reflinks |" in text and "Over reflinks" not in text
    assert "blocks kept by compactions into |" not in text and "CPU of flushes" not in text
    page = html(only, Elsewhere({}))
    assert "by the level written to" not in page and page.count("<img ") == 1


def test_without_blocks_that_compactions_read_nothing_is_said_of_levels() -> None:
    only = {"fillrandom-1KB": runs(levels=[])}
    assert "| L1 |" not in documentation(only, Elsewhere({}))
    page = html(only, Elsewhere({}))
    assert "by the level written to" not in page and page.count("<img ") == 1
