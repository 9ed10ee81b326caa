# SPDX-License-Identifier: Apache-2.0
"""Goals: the paper's figure beside each, and means over all of their cases."""

import pytest

from launcher.bench.bench_description import Mode
from launcher.experiment.remapcom.cases import cases
from launcher.experiment.remapcom.goals import GOALS, measured, table
from launcher.experiment.runner.description import Scale
from launcher.tests.experiment.remapcom_runs import runs


def test_aims_need_all_of_their_cases() -> None:
    results = {"fillrandom-1KB": runs()}
    of = {goal.name: measured(results, goal) for goal in GOALS}
    assert of["NAND bytes saved, uniform, mean of 256 B to 4 KB"] is None, "only 1 KB ran"
    results = {f"fillrandom-{size}": runs() for size in ("256B", "512B", "1KB", "2KB", "4KB")}
    of = {goal.name: measured(results, goal) for goal in GOALS}
    mean = of["NAND bytes saved, uniform, mean of 256 B to 4 KB"]
    assert mean is not None and mean[Mode.blend] == pytest.approx(32.5) and Mode.off not in mean
    cpu = of["host CPU time of flushes and compactions, 1 KB"]
    assert cpu == pytest.approx({Mode.base: 0, Mode.retain: 0, Mode.fill: 0, Mode.skip: -25, Mode.blend: -25})
    assert of["YCSB-C, operations a second, 1 KB"] is None
    assert [row[0] for row in table(results)[1]] == [name for name, ours in of.items() if ours]


def test_the_papers_figures_are_beside_them() -> None:
    assert [goal.paper for goal in GOALS] == ["35.7", "32.8", "-", "52", "-", "-", "30", "about 15", "-3.1", "-"]


@pytest.mark.parametrize("scale", [Scale.medium, Scale.full])
def test_every_aim_can_be_measured(scale: Scale) -> None:
    names = {f"{case.figure}-{case.name}" for case in cases(scale)}
    for goal in GOALS:
        assert names.issuperset(goal.cases), goal.name
