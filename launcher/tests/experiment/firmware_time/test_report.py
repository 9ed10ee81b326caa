# SPDX-License-Identifier: Apache-2.0
"""The report of `firmware-time`, of runs of the stand-in and of runs with other times."""

import sys
from pathlib import Path
from typing import Any

import pytest

from launcher.bench.bench_description import Mode
from launcher.experiment.firmware_time.cases import MODES, VARIANTS, WITH, WITHOUT, cases, name_of
from launcher.experiment.firmware_time.firmware_time import FIRMWARE_TIME
from launcher.experiment.firmware_time.report import beyond, longer
from launcher.experiment.runner import parts, report, running
from launcher.experiment.runner.description import Scale
from launcher.spread.cluster import Where

STAND_IN = [sys.executable, str(Path(__file__).parents[2] / "bench" / "db_bench_stand_in.py")]


def runs(added: dict[Mode, float]) -> dict[str, dict[str, Any]]:
    """A case whose firmware adds so many percent in these modes, nothing in the others."""
    return {
        name_of(mode, cpu): {"device_seconds": 2 * (1 + (added.get(mode, 0) / 100 if cpu == WITH else 0))}
        for mode in MODES
        for cpu in (WITHOUT, WITH)
    }


def test_what_changes_by_more_than_the_limit_is_listed_first_the_largest() -> None:
    assert longer(runs({Mode.off: 1.5}), Mode.off) == pytest.approx(1.5)
    results = {"a": runs({Mode.off: 1.9, Mode.blend: 2.1}), "b": runs({Mode.skip: -3})}
    assert [(name, mode) for name, mode, _ in beyond(results)] == [("b", Mode.skip), ("a", Mode.blend)]
    tables = parts.markdown(FIRMWARE_TIME.tables(report.told(FIRMWARE_TIME, Scale.small, results, {})))
    assert "| b | `skip` | -3.0 % |" in tables and "| a | `off` |" not in tables and "None." not in tables


def test_the_report_has_every_case_and_mode(tmp_path: Path) -> None:
    wanted = cases(Scale.small)[:2]
    results, failures = running.run(wanted, VARIANTS, tmp_path, Where(1), STAND_IN, lambda _: None)
    assert not failures
    told = report.told(FIRMWARE_TIME, Scale.small, results, {})
    tables = parts.markdown(FIRMWARE_TIME.tables(told))
    assert f"| {wanted[0].key} |" + " +0.0 % |" * len(MODES) in tables and "None." in tables
    assert f"<td>{wanted[1].key}</td>" in report.page(FIRMWARE_TIME, told)
    assert len(FIRMWARE_TIME.summary(results)) == 2 * len(MODES)
    empty = report.page(FIRMWARE_TIME, report.told(FIRMWARE_TIME, Scale.small, {}, {}))
    assert "Scale small" in empty and "None." not in empty
