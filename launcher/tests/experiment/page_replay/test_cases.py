# SPDX-License-Identifier: Apache-2.0
"""The cases and devices of `page-replay`."""

import pytest

from launcher.bench import bench_options, ioreplay
from launcher.bench.bench_options import Device
from launcher.bench.ioreplay import Placement, Target
from launcher.experiment.page_replay.cases import ABOUT, VARIANTS, cases, larger, same
from launcher.experiment.runner.description import USUAL, Scale
from launcher.experiment.runner.steps import Bench, Replay
from launcher.hw import facts


@pytest.mark.parametrize("scale", USUAL)
def test_every_option_is_one_that_the_programs_take(scale: Scale) -> None:
    assert list(ABOUT) == [variant.name for variant in VARIANTS]
    for case in cases(scale):
        assert case.options.device is Device.model
        for variant in VARIANTS:
            run = variant.run(case)
            for one in run.recorded if isinstance(run, Replay) else (run,):
                bench_options.check(one.options)
            if isinstance(run, Replay):
                assert ioreplay.arguments(run.options)[-1] == "--"
            else:
                assert isinstance(run, Bench) and variant is VARIANTS[0]


def test_a_device_of_twice_the_size() -> None:
    small, large = cases(Scale.small)[0].options, cases(Scale.full)[0].options
    assert (same(small).geometry, same(small).superblocks) == (facts.geometry(), 32)
    channels, dies, *_ = facts.geometry().split("x")
    assert larger(small, 2).geometry.startswith(f"{channels}x{dies}x64x")
    assert larger(large, 2, placement=Placement.trace).placement is Placement.trace
    assert ioreplay.flash_bytes(larger(large, 2)) == 2 * ioreplay.flash_bytes(same(large)) > 0
    assert same(large).device is Target.model
