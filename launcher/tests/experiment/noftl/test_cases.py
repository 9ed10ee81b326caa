# SPDX-License-Identifier: Apache-2.0
"""The cases of `noftl`."""

import pytest

from launcher.bench import bench_options, ioreplay
from launcher.bench.rocks_options import Database, LinkOptions
from launcher.experiment.noftl.cases import AMOUNTS, DATABASES, cases
from launcher.experiment.noftl.systems import LOG, VARIANTS
from launcher.experiment.runner.description import USUAL, Scale
from launcher.experiment.runner.steps import Replay


@pytest.mark.parametrize("scale", USUAL)
def test_every_option_is_one_that_the_programs_take(scale: Scale) -> None:
    found = cases(scale)
    assert [case.name for case in found] == list(DATABASES)
    for case in found:
        assert isinstance(case.options, LinkOptions) and case.options.over_provisioning == LOG
        for variant in VARIANTS:
            run = variant.run(case)
            assert isinstance(run, Replay)
            for one in run.recorded:
                bench_options.check(one.options)
            assert ioreplay.arguments(run.options)[-1] == "--"


@pytest.mark.parametrize("scale", USUAL)
def test_a_table_fits_a_superblock_and_the_graph_the_flash(scale: Scale) -> None:
    amounts = AMOUNTS[scale]
    for case in cases(scale):
        options = case.options
        assert options.max_file_size == amounts.superblock * 15 // 16
        # With a block more, an index of 64 bytes a block, and the superblock's summary. There are no filters.
        index = options.max_file_size // options.block_size * 64
        summary = max(bench_options.PAGE_BYTES, amounts.superblock // 128)
        assert options.max_file_size + options.block_size + index + summary <= amounts.superblock
        assert options.bloom_bits == 0
    flash = amounts.blocks * amounts.superblock
    graph = amounts.nodes * 300  # a node with five links and their count
    assert 0.4 < graph / flash < 0.65


def test_full_has_the_papers_flash_and_tables() -> None:
    amounts = AMOUNTS[Scale.full]
    assert amounts.blocks * amounts.superblock == 24 << 30
    assert amounts.superblock == 64 << 20 and amounts.pages == 256


def test_leveldb_is_there_with_and_without_compactions_of_reads() -> None:
    by_name = {case.name: case.options for case in cases(Scale.small)}
    assert by_name["leveldb"].seek_compactions == "off" and by_name["leveldb-seeks"].seek_compactions == "on"
    assert {getattr(options, "database", None) for options in by_name.values()} == set(Database)
