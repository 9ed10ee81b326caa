# SPDX-License-Identifier: Apache-2.0
"""The cases of `firmware-time` and the processors of its variants."""

import pytest

from launcher.bench import bench_options
from launcher.experiment.firmware_time.cases import MODES, VARIANTS, WITH, WITHOUT, cases
from launcher.experiment.remapcom import cases as remapcom
from launcher.experiment.runner.description import USUAL, Scale
from launcher.experiment.runner.steps import Bench


@pytest.mark.parametrize("scale", USUAL)
def test_each_case_of_remapcom_runs_with_and_without_time(scale: Scale) -> None:
    found = cases(scale)
    assert [case.key for case in found] == [case.key for case in remapcom.cases(scale)]
    runs = [variant.run(found[0]) for variant in VARIANTS]
    assert all(isinstance(run, Bench) for run in runs)
    ways = {(run.mode, run.options.firmware_cpu) for run in runs if isinstance(run, Bench)}
    assert ways == {(mode, cpu) for mode in MODES for cpu in (WITHOUT, WITH)} and len(runs) == len(ways)
    for case in found:
        bench_options.check(case.options)
