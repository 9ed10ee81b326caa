# SPDX-License-Identifier: Apache-2.0
"""The report of `utxo`, of runs of the stand-in."""

import sys
from pathlib import Path

from launcher.experiment.runner import parts, report, running
from launcher.experiment.runner.description import Scale
from launcher.experiment.utxo.cases import ABOUT, MODES, VARIANTS, cases
from launcher.experiment.utxo.measures import NAND_A_DAY
from launcher.experiment.utxo.utxo import UTXO
from launcher.spread.cluster import Where

STAND_IN = [sys.executable, str(Path(__file__).parents[2] / "bench" / "db_bench_stand_in.py")]


def test_the_report_has_every_case_and_mode_and_a_picture(tmp_path: Path) -> None:
    results, failures = running.run(cases(Scale.small), VARIANTS, tmp_path, Where(1), STAND_IN, lambda _: None)
    assert not failures and list(results) == list(ABOUT)
    told = report.told(UTXO, Scale.small, results, {})
    tables, page = parts.markdown(UTXO.tables(told)), report.page(UTXO, told)
    assert page.count("data:image/png") == 1
    for name, about in ABOUT.items():
        assert f"## {name}: {about}" in tables
    assert all(tables.count(f"| `{mode}` |") == len(ABOUT) for mode in MODES)
    summary = UTXO.summary(results)
    assert len(summary) == len(ABOUT) * len(MODES) and all(one[NAND_A_DAY.name] > 0 for one in summary)
    empty = report.page(UTXO, report.told(UTXO, Scale.small, {}, {}))
    assert "data:image" not in empty and "Scale small" in empty
