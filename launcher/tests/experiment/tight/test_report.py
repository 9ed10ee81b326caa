# SPDX-License-Identifier: Apache-2.0
"""The report of `tight`, of runs of the stand-in."""

import sys
from pathlib import Path

import pytest

from launcher.experiment.runner import parts, report, running
from launcher.experiment.runner.description import Scale
from launcher.experiment.tight.cases import VARIANTS, cases
from launcher.experiment.tight.tight import TIGHT
from launcher.spread.cluster import Where

STAND_IN = [sys.executable, str(Path(__file__).parents[2] / "bench" / "db_bench_stand_in.py")]
FEW = [case for case in cases(Scale.small) if case.name in ("4", "1.46", "1.2")]


def test_every_point_is_told_also_those_without_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_retain", "full")
    said: list[str] = []
    results, failures = running.run(FEW, VARIANTS, tmp_path, Where(1), STAND_IN, said.append)
    assert not failures and list(results) == ["spare12-4", "spare12-1.46", "spare5-1.2"]
    assert sum(", no space left," in text for text in said) == 3
    told = report.told(TIGHT, Scale.small, results, {})
    tables = parts.markdown(TIGHT.tables(told))
    assert "`retain` in spare12-4, `retain` in spare12-1.46, `retain` in spare5-1.2." in tables
    assert "| 4.00 | 100.0 % | 100.0 % | 50.0 % | 100.0 % |" in tables
    assert "| 12 % over-provisioning | 1.45 | 1.45 | - | 1.45 | 1.45 | 1.45 |" in tables
    assert "## 12 % over-provisioning" in tables and "## 5 % over-provisioning" in tables
    page = report.page(TIGHT, told)
    assert page.count("data:image/png") == 2
    (one,) = [row for row in TIGHT.summary(results) if (row["case"], row["variant"]) == ("spare5-1.2", "retain")]
    assert one["puts made"] == 50 and one["WA"] is None and one["of these, written plain"] == 2
    running.run(FEW, VARIANTS, tmp_path, Where(1), STAND_IN, said.append)
    assert said[-1] == "18 runs, 18 of them finished before", "what has no space is finished, too"


def test_nothing_ran_out() -> None:
    empty = report.told(TIGHT, Scale.small, {}, {})
    assert "data:image" not in report.page(TIGHT, empty) and "Scale small" in report.page(TIGHT, empty)
