# SPDX-License-Identifier: Apache-2.0
"""The report of `tuned`, of runs of the stand-in."""

import sys
from pathlib import Path

from launcher.experiment.runner import parts, report, running
from launcher.experiment.runner.description import Scale
from launcher.experiment.tuned.cases import cases
from launcher.experiment.tuned.settings import SETTINGS
from launcher.experiment.tuned.tuned import TUNED
from launcher.spread.cluster import Where

STAND_IN = [sys.executable, str(Path(__file__).parents[2] / "bench" / "db_bench_stand_in.py")]
FEW = [case for case in cases(Scale.small) if case.key in ("uniform-256B", "uniform-1KB", "uniform-4KB")]


def test_the_default_stands_beside_the_best_stock(tmp_path: Path) -> None:
    results, failures = running.run(FEW, SETTINGS, tmp_path, Where(1), STAND_IN, lambda _: None)
    assert not failures and len(results) == len(FEW)
    told = report.told(TUNED, Scale.small, results, {})
    tables = parts.markdown(TUNED.tables(told))
    # The stand-in gives all of a mode the same figures: blend saves 1 - 2700/4000 of those of stock.
    assert "| saved against the best at equal space, uniform | at least 50.0 % | 32.5 % | not reached |" in tables
    assert "| uniform-1KB | `off` | `off` | `off` | 32.5 % | 32.5 % |" in tables
    assert "| uniform-4KB | `blend` | +0.0 % | 32.5 % | 32.5 % | x1.00 |" in tables
    assert "| all variants, uniform-1KB | WA1 | WA2 | WA |" in tables
    assert "| `blend-10` | 32.5 % | 32.5 % | +0.0 % | +0.0 % | x1.00 |" in tables
    assert "| saved against plain, by what is remapped | nothing | what stays | all |" in tables
    assert report.page(TUNED, told).count("data:image/png") == 1
    (one,) = [row for row in TUNED.summary(results) if (row["case"], row["variant"]) == ("uniform-1KB", "blend")]
    assert one["best at equal space"] == one["tightest"] == "off" and one["saved against plain"] == 32.5


def test_nothing_is_finished() -> None:
    empty = report.told(TUNED, Scale.small, {}, {})
    assert "data:image" not in report.page(TUNED, empty) and "Scale small" in report.page(TUNED, empty)


def test_a_case_of_another_law_has_no_means(tmp_path: Path) -> None:
    few = [case for case in cases(Scale.small) if case.key == "zipfian-1KB"]
    results, _ = running.run(few, SETTINGS, tmp_path, Where(1), STAND_IN, lambda _: None)
    tables = parts.markdown(TUNED.tables(report.told(TUNED, Scale.small, results, {})))
    assert "## Aims" not in tables and "Space and savings" not in tables and "| zipfian-1KB |" in tables
