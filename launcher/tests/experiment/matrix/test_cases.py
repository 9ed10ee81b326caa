# SPDX-License-Identifier: Apache-2.0
"""The cases of `matrix`."""

import pytest

from launcher.bench import bench_options
from launcher.experiment.kvssd.cases import cases as kvssd_cases
from launcher.experiment.matrix.cases import cases, key
from launcher.experiment.matrix.settings import FILL, OVER_PROVISIONING, SPACE
from launcher.experiment.runner.description import USUAL, Case, Scale


def offered(case: Case) -> float:
    """Bytes of the namespace, about."""
    return bench_options.flash_bytes(case.options) * (100 - case.options.over_provisioning) / 100


@pytest.mark.parametrize("scale", USUAL)
def test_more_over_provisioning_leaves_the_namespace_as_it_is(scale: Scale) -> None:
    found = cases(scale)
    assert [case.key for case in found] == [
        key(fill.word, space.word) for fill in FILL.levels for space in SPACE.levels
    ]
    sizes = {}
    for fill in FILL.levels:
        of_fill = [case for case in found if case.figure == fill.word]
        assert [case.options.over_provisioning for case in of_fill] == list(OVER_PROVISIONING)
        assert max(map(offered, of_fill)) / min(map(offered, of_fill)) < 1.01
        sizes[fill.word] = offered(of_fill[0])
    assert sizes["roomy"] / sizes["full"] == pytest.approx(1.2, abs=0.01)


@pytest.mark.parametrize(("scale", "fill"), [(Scale.small, "roomy"), (Scale.medium, "full"), (Scale.full, "full")])
def test_the_workload_is_kvssds_uniform_one(scale: Scale, fill: str) -> None:
    theirs = next(case for case in kvssd_cases(scale) if case.key == "keys-uniform")
    ours = next(case for case in cases(scale) if case.key == key(fill, "5%"))
    assert ours.options == theirs.options
