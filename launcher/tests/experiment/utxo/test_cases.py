# SPDX-License-Identifier: Apache-2.0
"""The cases of `utxo`."""

import pytest

from launcher.bench import bench_options
from launcher.bench.bench_description import Workload
from launcher.experiment.runner.description import Scale
from launcher.experiment.utxo.cases import ABOUT, COINS, FLASH, KEY, MODES, OUTPUTS, VALUE, VARIANTS, cases
from launcher.experiment.utxo.utxo import UTXO


@pytest.mark.parametrize("scale", UTXO.scales)
def test_every_option_is_one_that_db_bench_takes(scale: Scale) -> None:
    assert [variant.name for variant in VARIANTS] == list(MODES)
    found = cases(scale)
    assert [case.key for case in found] == list(ABOUT)
    for case in found:
        bench_options.check(case.options)
        assert case.options.workload is Workload.utxo and case.options.seek_compactions == (
            "on" if case.name.endswith("seeks") else "off"
        )
    assert {case.options.utxo_flush for case in found} == {1, 6}
    assert len({case.options.num for case in found}) == 1


def test_blocks_shrink_with_the_set() -> None:
    for scale in (Scale.quarter, Scale.medium, Scale.full):
        options = cases(scale)[0].options
        assert options.utxo_outputs / options.num == pytest.approx(OUTPUTS / COINS, rel=0.02)
        flash = bench_options.flash_bytes(options) / (options.num * (KEY + VALUE))
        assert FLASH <= flash < FLASH * 1.07
