# SPDX-License-Identifier: Apache-2.0
"""The report of `matrix`: of chosen results, and of runs of the stand-in."""

import sys
from pathlib import Path

from launcher.experiment.matrix.cases import cases
from launcher.experiment.matrix.matrix import MATRIX
from launcher.experiment.matrix.measures import COLLECTION, EXPLAINED
from launcher.experiment.matrix.settings import VARIANTS, Words
from launcher.experiment.runner import parts, report, running
from launcher.experiment.runner.description import Scale
from launcher.spread.cluster import Where
from launcher.tests.experiment.matrix.runs import results

STAND_IN = [sys.executable, str(Path(__file__).parents[2] / "bench" / "db_bench_stand_in.py")]


def collection(words: Words) -> float:
    """Deallocate gains 4 with next fit, and 1.5 with first fit."""
    return (4.0 if "next" in words else 1.5) if "untold" in words else 1.0


def test_the_report_tells_the_factor_of_each_step_and_on_what_it_depends() -> None:
    told = report.told(MATRIX, Scale.small, results(collection), {})
    page, tables = report.page(MATRIX, told), parts.markdown(MATRIX.tables(told))
    assert page.count("data:image/png") == 6
    step = "| Deallocate: untold to told " + 2 * "| 1.00 (1.00 to 1.00) " + 3 * "| 2.45 (1.50 to 4.00) " + "|"
    assert step in tables, "compaction, mapping; GC, with the mapping, with both"
    # Mean, alone, last, least and most with the first setting of each, pairs.
    whole = (
        "| Deallocate: untold to told | 2.45 | 4.00 | 1.50 "
        "| 1.50 | told, first, anywhere, mixed, full, 5% over-provisioning "
        "| 4.00 | told, next, anywhere, mixed, full, 5% over-provisioning | 108 |"
    )
    assert whole in tables
    depends = "| Deallocate: untold to told | - | - | 4.00 | 1.50 | 2.45 | 2.45 | 2.45 | 2.45 |"
    assert depends in tables, "on the allocator alone"
    setting = (
        "| roomy | 25% | told | first | pages | tables | 8.00 | 1.00 | 1.00 | 1.00 | 8.00 | 90 | 900 | 500 | 3,000"
    )
    assert f"{setting} | 15 |" in tables
    assert "| mapping: anywhere to aligned |" in tables.split("## Mode rlsm")[0]
    assert "| mapping: anywhere to aligned |" not in tables.split("## Mode rlsm", 1)[1]
    assert "| no Deallocate and next fit make the papers' factors |" in tables


def test_programs_get_all_settings_and_effects() -> None:
    summary = MATRIX.summary(results(collection))
    runs, found = summary[: 60 * 6], summary[60 * 6 :]
    assert {one["variant"] for one in runs} == {variant.name for variant in VARIANTS}
    assert len(found) == (12 + 9 + 9) * len(EXPLAINED)
    (told,) = [
        one for one in found if (one["mode"], one["quantity"], one["switch"]) == ("rlsm", COLLECTION.name, "Deallocate")
    ]
    assert (told["from"], told["to"], told["pairs"], told["least"], told["most"]) == ("untold", "told", 36, 1.5, 4)
    assert told["most_at"] == ["told", "next", "pages", "mixed", "full", "5%"]
    assert MATRIX.summary({}) == []


def test_runs_of_db_bench_fill_it(tmp_path: Path) -> None:
    wanted = cases(Scale.small)[:1]
    # Those of one mode, and the reference: the stand-in's start takes a while.
    some = [variant for variant in VARIANTS if variant.name.startswith("rlsm-") or variant is VARIANTS[0]]
    found, failures = running.run(wanted, tuple(some), tmp_path, Where(1), STAND_IN, lambda _: None)
    assert not failures and len(found["full-5%"]) == 13
    tables = parts.markdown(MATRIX.tables(report.told(MATRIX, Scale.small, found, {})))
    assert "| Deallocate: untold to told | 1.00 (1.00 to 1.00) |" in tables
    assert "over-provisioning: 5% to 12%" not in tables, "one case is there"
    empty = report.page(MATRIX, report.told(MATRIX, Scale.small, {}, {}))
    assert "data:image" not in empty and "Scale small" in empty
