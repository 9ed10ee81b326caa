# SPDX-License-Identifier: Apache-2.0
"""The report of `noftl`, of made-up runs; and that stand-ins of the programs are run as the programs would be."""

import sys
from pathlib import Path

from launcher.env.paths import ROOT
from launcher.experiment.noftl.cases import cases
from launcher.experiment.noftl.measures import ERASES
from launcher.experiment.noftl.noftl import NOFTL
from launcher.experiment.noftl.systems import ABOUT, ON_FASTER, VARIANTS
from launcher.experiment.runner import parts, report, running
from launcher.experiment.runner.description import Scale
from launcher.spread.cluster import Where
from launcher.tests.experiment.noftl.runs import on_controller, on_faster

FOLDER = Path(__file__).parents[2] / "bench"
STAND_IN, REPLAYER = (
    ["env", f"PYTHONPATH={ROOT}", sys.executable, str(FOLDER / f"{name}_stand_in.py")]
    for name in ("rocksdb_bench", "ioreplay")
)


def test_the_report_has_every_system_the_papers_figures_and_a_picture() -> None:
    runs = {name: on_faster() if name in ON_FASTER else on_controller() for name in ABOUT}
    results = {"linkbench-rocksdb": runs}
    told = report.told(NOFTL, Scale.small, results, {})
    page, tables = report.page(NOFTL, told), parts.markdown(NOFTL.tables(told))
    assert page.count("data:image/png") == 1
    assert all(f"| {name} | {about} |" in tables for name, about in ABOUT.items())
    assert "| RocksDB 21,389, NoFTL-KV 1,127 |" in tables and "met" in tables
    (summary,) = [one for one in NOFTL.summary(results) if one["variant"] == "noftl"]
    assert summary[ERASES.name] == 40 and summary["getnode, mean µs"] == 5
    empty = report.page(NOFTL, report.told(NOFTL, Scale.small, {}, {}))
    assert "data:image" not in empty and "Scale small" in empty


def test_the_programs_are_run_and_their_results_kept(tmp_path: Path) -> None:
    assert NOFTL.programs == ("rocksdb_bench", "ioreplay")
    (case, *_) = cases(Scale.small)
    said: list[str] = []
    _, failures = running.run([case], VARIANTS, tmp_path, Where(1), STAND_IN, said.append, replayer=REPLAYER)
    assert not failures, failures
    assert len(list((tmp_path / "runs").glob("*.json"))) == len(VARIANTS)
    again: list[str] = []
    running.run([case], VARIANTS, tmp_path, Where(1), STAND_IN, again.append, replayer=REPLAYER)
    assert again[0] == f"{len(VARIANTS)} runs, {len(VARIANTS)} of them finished before"
