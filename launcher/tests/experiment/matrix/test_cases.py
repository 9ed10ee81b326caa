# SPDX-License-Identifier: Apache-2.0
"""The cases of `matrix`."""

import pytest

from launcher.bench import bench_options
from launcher.experiment.kvssd.cases import cases as kvssd_cases
from launcher.experiment.matrix.cases import cases
from launcher.experiment.matrix.settings import OVER_PROVISIONING
from launcher.experiment.runner.description import USUAL, Scale


@pytest.mark.parametrize("scale", USUAL)
def test_more_over_provisioning_leaves_the_namespace_as_it_is(scale: Scale) -> None:
    found = cases(scale)
    assert [case.key for case in found] == [f"over-provisioning-{space}%" for space in OVER_PROVISIONING]
    assert [case.options.over_provisioning for case in found] == list(OVER_PROVISIONING)
    offered = [
        bench_options.flash_bytes(case.options) * (100 - case.options.over_provisioning) // 100 for case in found
    ]
    assert max(offered) / min(offered) < 1.01


def test_the_workload_is_kvssds_uniform_one() -> None:
    theirs = next(case for case in kvssd_cases(Scale.small) if case.key == "keys-uniform")
    assert cases(Scale.small)[0].options == theirs.options
