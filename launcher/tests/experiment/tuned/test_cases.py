# SPDX-License-Identifier: Apache-2.0
"""The cases of `tuned`."""

import pytest

from launcher.bench import bench_options
from launcher.bench.bench_options import KIB, MIB
from launcher.experiment.runner.description import Scale
from launcher.experiment.tuned.cases import AMOUNTS, LAWS, SIZES, cases, key
from launcher.experiment.tuned.tuned import TUNED

SCALES = TUNED.scales


@pytest.mark.parametrize("scale", SCALES)
def test_each_law_with_each_size(scale: Scale) -> None:
    found = cases(scale)
    assert [case.key for case in found] == [key(law, size) for law in LAWS for size in SIZES]
    for case in found:
        options = case.options
        bench_options.check(options)
        put = options.num * (options.key_size + options.value_size)
        assert 0.99 * AMOUNTS[scale].put < put <= AMOUNTS[scale].put
        assert 2.5 <= bench_options.flash_bytes(options) / put < 2.55
        assert options.workload is LAWS[case.figure]


def test_full_has_the_sizes_of_leveldb_and_the_others_a_part_of_all_of_them() -> None:
    full = AMOUNTS[Scale.full]
    assert [full.write_buffer, full.table, full.level1] == [4 * MIB, 2 * MIB, 10 * MIB]
    for scale, parts in ((Scale.medium, 4), (Scale.quarter, 16)):
        of = AMOUNTS[scale]
        assert full.put == parts * of.put and full.level1 == parts * of.level1 and of.table >= 256 * KIB


def test_there_are_about_as_many_superblocks_at_each_scale() -> None:
    blocks = {int(case.options.geometry.split("x")[2]) for scale in SCALES for case in cases(scale)}
    assert min(blocks) >= 100 and max(blocks) <= 320
