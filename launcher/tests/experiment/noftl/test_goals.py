# SPDX-License-Identifier: Apache-2.0
"""The aims of `noftl` are told as met or missed."""

from launcher.experiment.noftl import goals
from launcher.experiment.noftl.systems import BEST, FIRST, NATIVE
from launcher.tests.experiment.noftl.runs import on_controller, on_faster


def _told(moved: int) -> dict[str, str]:
    runs = {
        FIRST: on_faster(),
        "ssd-data": on_controller(500, 20, 60, 1.0),
        BEST: on_controller(erases=41),
        NATIVE: on_controller(moved),
    }
    _, rows = goals.table({"linkbench-rocksdb": runs})
    return {row[1]: row[-1] for row in rows}


def test_aims_are_met_or_missed() -> None:
    told = _told(0)
    assert set(told.values()) == {"met"} and len(told) == len(goals.GOALS)
    missed = {name for name, met in _told(3).items() if met == "missed"}
    assert missed == {"GC page writes", "erases that make room for GC"}


def test_without_results_there_are_none() -> None:
    assert goals.table({})[1] == []
