# SPDX-License-Identifier: Apache-2.0
"""The report of `cascaded`, of runs of the stand-ins."""

import sys
from pathlib import Path

from launcher.experiment.cascaded.cascaded import CASCADED
from launcher.experiment.cascaded.cases import cases
from launcher.experiment.cascaded.measures import WA1, WA2
from launcher.experiment.cascaded.systems import ABOUT, VARIANTS
from launcher.experiment.runner import parts, report, running
from launcher.experiment.runner.description import Scale
from launcher.spread.cluster import Where

FOLDER = Path(__file__).parents[2] / "bench"
STAND_IN, REPLAYER = ([sys.executable, str(FOLDER / f"{name}_stand_in.py")] for name in ("db_bench", "ioreplay"))
SOME = ("fig3-sequential", "fig4-fillrandom", "fig7-16MB", "fig11-zipfian", "fig13-16MB")


def test_the_report_has_every_figure_the_papers_numbers_and_pictures(tmp_path: Path) -> None:
    wanted = [case for case in cases(Scale.small) if case.key in SOME]
    results, failures = running.run(wanted, VARIANTS, tmp_path, Where(1), STAND_IN, lambda _: None, replayer=REPLAYER)
    assert not failures and tuple(results) == SOME
    told = report.told(CASCADED, Scale.small, results, {})
    page, tables = report.page(CASCADED, told), parts.markdown(CASCADED.tables(told))
    assert page.count("data:image/png") == 2 * len(SOME)
    assert "| fig4-fillrandom | 2.00 (18.46) | 2.00 (18.44) | 2.00 (18.15) | 2.00 (5.15) |" in tables
    assert "| fig13-16MB | +0.0 % (+75 %) | +0.0 % (+88 %) |" in tables
    assert all(f"| {name} | {about} |" in tables for name, about in ABOUT.items())
    assert "## Aims of scale medium that are missed" in tables and "## Not run" in tables and "fig12-60%" in tables
    assert "there is a level less than in the paper" in tables
    (summary,) = [one for one in CASCADED.summary(results) if (one["case"], one["variant"]) == (SOME[1], "blend+ S")]
    assert (summary[WA1.name], summary[WA2.name]) == (2, 1.35)
    empty = report.page(CASCADED, report.told(CASCADED, Scale.quarter, {}, {}))
    assert "data:image" not in empty and "Scale quarter" in empty
