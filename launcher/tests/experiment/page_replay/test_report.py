# SPDX-License-Identifier: Apache-2.0
"""The report of `page-replay`, of runs of the stand-ins."""

import sys
from pathlib import Path

from launcher.experiment.page_replay.cases import ABOUT, VARIANTS, cases
from launcher.experiment.page_replay.page_replay import PAGE_REPLAY
from launcher.experiment.page_replay.report import ERASES, SECONDS, SEEKS, VERIFIED, WA, WA1, WA2
from launcher.experiment.runner import parts, report, running
from launcher.experiment.runner.description import Scale
from launcher.spread.cluster import Where

FOLDER = Path(__file__).parents[2] / "bench"
STAND_IN, REPLAYER = ([sys.executable, str(FOLDER / f"{name}_stand_in.py")] for name in ("db_bench", "ioreplay"))


def test_the_report_has_every_device_and_a_picture(tmp_path: Path) -> None:
    wanted = cases(Scale.small)
    results, failures = running.run(
        wanted[:1], VARIANTS, tmp_path, Where(1), STAND_IN, lambda _: None, replayer=REPLAYER
    )
    assert not failures
    told = report.told(PAGE_REPLAY, Scale.small, results, {})
    page, tables = report.page(PAGE_REPLAY, told), parts.markdown(PAGE_REPLAY.tables(told))
    assert page.count("data:image/png") == 1 and all(f"| {about} |" in tables for about in ABOUT.values())
    assert "ioreplay: " in tables and "<h2>fill-fillrandom</h2>" in page
    assert "| a disk, as a cost model | 2.00 | 1.000 | 2.00 | 1.50 | - | 9 | 0 |" in tables
    (runs,) = results.values()
    assert [one.value(runs, "hybrid") for one in (WA1, WA2, WA, SECONDS, ERASES, SEEKS)] == [2, 1.5, 3, None, 5, None]
    assert VERIFIED.value(runs, "recorded") is None
    (summary,) = [row for row in PAGE_REPLAY.summary(results) if row["variant"] == "writers"]
    assert summary["case"] == "fill-fillrandom" and summary[WA.name] == 3
    empty = report.page(PAGE_REPLAY, report.told(PAGE_REPLAY, Scale.small, {}, {}))
    assert "data:image" not in empty and "Scale small" in empty
