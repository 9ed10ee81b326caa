# SPDX-License-Identifier: Apache-2.0
"""The cases of `tight`."""

import pytest

from launcher.bench import bench_options
from launcher.experiment.runner.description import USUAL, Scale
from launcher.experiment.tight.cases import MODES, RATIOS, VARIANTS, cases, figure, ratio


@pytest.mark.parametrize("scale", USUAL)
def test_the_sweep_has_the_flash_that_it_says(scale: Scale) -> None:
    assert [variant.name for variant in VARIANTS] == list(MODES)
    assert all(variant.may_be_full for variant in VARIANTS)
    found = cases(scale)
    assert [case.name for case in found] == [f"{wanted:g}" for ratios in RATIOS.values() for wanted in ratios]
    for case in found:
        bench_options.check(case.options)
        assert ratio(case.options) == pytest.approx(float(case.name), abs=0.015)
        assert case.figure == figure(case.options.over_provisioning)
    assert {case.figure for case in found} == {"spare12", "spare5"}
    assert max(RATIOS[12]) == 4 and min(RATIOS[5]) == 1.2


def test_there_are_about_as_many_superblocks_at_each_scale() -> None:
    blocks = [[int(case.options.geometry.split("x")[2]) for case in cases(scale)] for scale in USUAL]
    for few in blocks:
        assert 55 < min(few) < max(few) < 250
