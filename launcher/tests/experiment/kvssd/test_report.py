# SPDX-License-Identifier: Apache-2.0
"""The report of `kvssd`, of runs of the stand-in."""

import sys
from pathlib import Path

from launcher.experiment.kvssd.cases import ABOUT, VARIANTS, cases
from launcher.experiment.kvssd.kvssd import KVSSD
from launcher.experiment.kvssd.measures import COMPACTION, WHOLE
from launcher.experiment.runner import parts, report, running
from launcher.experiment.runner.description import Scale
from launcher.spread.cluster import Where

STAND_IN = [sys.executable, str(Path(__file__).parents[2] / "bench" / "db_bench_stand_in.py")]


def test_the_report_has_every_system_the_papers_figures_and_pictures(tmp_path: Path) -> None:
    wanted = [case for case in cases(Scale.small) if case.key in ("keys-uniform", "over-provisioning-25%")]
    results, failures = running.run(wanted, VARIANTS, tmp_path, Where(1), STAND_IN, lambda _: None)
    assert not failures and list(results) == ["keys-uniform", "over-provisioning-25%"]
    (place,) = KVSSD.places
    trees = place.run([case for case in place.cases(Scale.small) if case.name == "uniform"], tmp_path, [], print)
    told = report.told(KVSSD, Scale.small, results, {place.name: trees})
    page, tables = report.page(KVSSD, told), parts.markdown(KVSSD.tables(told))
    assert page.count("data:image/png") == 2
    assert "| write amplification of LSM | 93 | 70 to 116 | 4.00 | no |" in tables
    assert "| IV.B, figure 5 | compaction: uniform | LSM 17.7, nLSM 17.7, rLSM(-) 11 | 2.00 | 2.00 |" in tables
    assert "| the paper's text | figure | the paper | lsm | lsm+ |" in tables
    assert all(f"| {name} | {about} |" in tables for name, about in ABOUT.items())
    assert "rLSM itself" in tables and "## By simulation only" in tables
    assert "| uniform | dLSM, virtual tables of at most 2 runs | " in tables
    (summary,) = [one for one in KVSSD.summary(results) if (one["case"], one["variant"]) == ("keys-uniform", "rlsm-2")]
    assert (summary[COMPACTION.name], summary[WHOLE.name]) == (2, 2.7)
    empty = report.page(KVSSD, report.told(KVSSD, Scale.small, {}, {}))
    assert "data:image" not in empty and "Scale small" in empty
