# SPDX-License-Identifier: Apache-2.0
"""The cases and set-ups of `streams`."""

import pytest

from launcher.bench import bench_options, ioreplay
from launcher.bench.bench_options import KIB, MIB, Device
from launcher.bench.ioreplay import Placement, Switch
from launcher.experiment.runner.description import USUAL, Scale
from launcher.experiment.runner.steps import Replay
from launcher.experiment.streams.cases import ABOUT, AMOUNTS, STEPS, VARIANTS, WRITERS, cases, device


@pytest.mark.parametrize("scale", USUAL)
def test_every_option_is_one_that_the_programs_take(scale: Scale) -> None:
    assert list(ABOUT) == [variant.name for variant in VARIANTS]
    for case in cases(scale):
        assert case.options.device is Device.model
        for variant in VARIANTS:
            run = variant.run(case)
            assert isinstance(run, Replay) and len(run.recorded) == case.writers
            for one in run.recorded:
                bench_options.check(one.options)
            assert ioreplay.arguments(run.options)[-1] == "--"


@pytest.mark.parametrize("scale", USUAL)
def test_all_writers_together_have_the_same_data(scale: Scale) -> None:
    found = cases(scale)
    assert [case.writers for case in found] == [*WRITERS, 8]
    for case in found:
        records = case.writers * case.options.num * 1000
        assert 0.99 < records / AMOUNTS[scale].records <= 1
        flash = case.writers * bench_options.flash_bytes(case.options)
        assert 1 < flash / records / AMOUNTS[scale].flash < 1.05


def test_superblocks_of_tables_and_pieces_of_tables() -> None:
    recorded = cases(Scale.full)[-1].options
    table = AMOUNTS[Scale.full].table // bench_options.PAGE_BYTES
    for tables in (1, 4, 16):
        options = device(recorded, 8, tables)
        channels, dies, blocks, pages = map(int, options.geometry.split("x"))
        assert channels * dies * pages == tables * table
        assert blocks * tables >= 2 * 8 * int(recorded.geometry.split("x")[2])
        assert (options.chunk, options.split, options.whole, options.fill) == (1, 51, 20, 100)
    assert recorded.max_file_size == 8 * MIB - 512 * KIB


@pytest.mark.parametrize("scale", USUAL)
def test_a_table_fits_a_unit(scale: Scale) -> None:
    """With the block that it exceeds its size by, an index of 64 bytes a block, and the superblock's summary."""
    table, options = AMOUNTS[scale].table, cases(scale)[-1].options
    index = options.max_file_size // options.block_size * 64
    summary = max(bench_options.PAGE_BYTES, table // 128)
    assert options.max_file_size + options.block_size + index + summary <= table


def test_steps_differ_from_the_posters_set_up_in_what_they_say() -> None:
    case = cases(Scale.small)[-1]
    runs = {step.name: step.variant().run(case) for step in STEPS}
    replays = {name: run.options for name, run in runs.items() if isinstance(run, Replay)}
    assert replays["pieces"].deallocate is Switch.off and replays["deallocate"].deallocate is Switch.on
    assert (replays["pieces"].placement, replays["pieces"].placement_handles) == (Placement.none, 0)
    assert (replays["handles"].placement, replays["handles"].placement_handles) == (Placement.trace, 4)
    assert (replays["pieces"].split, replays["long-pieces"].split) == (1, 4)
    assert (replays["pieces"].fill, replays["spare"].fill) == (100, 80)
    assert (replays["pieces"].over_provisioning, replays["little"].over_provisioning) == (12, 7)
    assert replays["whole"].whole == replays["whole-units"].whole == 100
    assert replays["deallocate-levels"].placement is Placement.recorded
    first, table = runs["first-fit"], runs["table-is-unit"]
    assert isinstance(first, Replay) and isinstance(table, Replay)
    assert (first.recorded[0].options.allocation, table.recorded[0].options.placement) == ("first", "table")
