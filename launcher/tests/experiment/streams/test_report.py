# SPDX-License-Identifier: Apache-2.0
"""The report of `streams`, of runs of the stand-ins."""

import sys
from pathlib import Path

from launcher.experiment.runner import parts, report, running
from launcher.experiment.runner.description import Scale
from launcher.experiment.streams.cases import ABOUT, VARIANTS, cases
from launcher.experiment.streams.measures import LATE, WHOLE
from launcher.experiment.streams.streams import STREAMS
from launcher.spread.cluster import Where

FOLDER = Path(__file__).parents[2] / "bench"
STAND_IN, REPLAYER = ([sys.executable, str(FOLDER / f"{name}_stand_in.py")] for name in ("db_bench", "ioreplay"))


def test_the_report_has_every_set_up_the_posters_figure_and_pictures(tmp_path: Path) -> None:
    wanted = [case for case in cases(Scale.small) if case.writers in (1, 8)]
    results, failures = running.run(wanted, VARIANTS, tmp_path, Where(1), STAND_IN, lambda _: None, replayer=REPLAYER)
    assert not failures and list(results) == ["uniform-1", "uniform-8", "zipfian-8"]
    told = report.told(STREAMS, Scale.small, results, {})
    page, tables = report.page(STREAMS, told), parts.markdown(STREAMS.tables(told))
    assert page.count("data:image/png") == 2 + len(results)
    assert f"| {ABOUT['pieces']} | 2.00 | 2.00 | 2.00 | 4.8 |" in tables
    assert all(f"| {about} | 2.00 | 1.50 |" in tables for about in ABOUT.values())
    (summary,) = [one for one in STREAMS.summary(results) if (one["case"], one["variant"]) == ("uniform-8", "table")]
    assert (summary[LATE.name], summary[WHOLE.name]) == (2, 1.5)
    empty = report.page(STREAMS, report.told(STREAMS, Scale.small, {}, {}))
    assert "data:image" not in empty and "Scale small" in empty
