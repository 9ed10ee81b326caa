# SPDX-License-Identifier: Apache-2.0
"""The cases of `cascaded`: the paper's workloads in its sizes, divided."""

from dataclasses import fields

import pytest

from launcher.bench import bench_options, ioreplay
from launcher.bench.bench_description import Workload
from launcher.bench.bench_options import GIB, KIB, MIB, Device
from launcher.experiment.cascaded.cases import AMOUNTS, BASE_OF, CELLS, FIGURES, FLASH, MOST, Cell, cases, value_bytes
from launcher.experiment.cascaded.systems import VARIANTS
from launcher.experiment.runner.description import Scale
from launcher.experiment.runner.steps import Bench, Replay, recordings


@pytest.mark.parametrize("scale", Scale)
def test_every_option_is_one_that_the_programs_take(scale: Scale) -> None:
    found = cases(scale)
    assert len({case.key for case in found}) == len(found) == len(CELLS)
    for case in found:
        assert case.options.device is Device.model
        for variant in VARIANTS:
            run = variant.run(case)
            for one in recordings(run):
                bench_options.check(one.options)
            if isinstance(run, Replay):
                assert ioreplay.arguments(run.options)[-1] == "--"


def test_full_has_the_papers_sizes_and_quarter_all_of_them_divided_alike() -> None:
    full, quarter = ({case.key: case.options for case in cases(scale)} for scale in (Scale.full, Scale.quarter))
    usual = full["fig7-4MB"]
    assert (usual.write_buffer, usual.max_file_size, usual.level1_bytes) == (4 * MIB, 2 * MIB, 10 * MIB)
    assert (usual.block_size, usual.key_size, usual.value_size) == (4 * KIB, 16, 100)
    assert usual.num * 116 <= 30 * GIB < (usual.num + 1) * 116
    assert bench_options.flash_bytes(usual) == FLASH
    for key, options in quarter.items():
        if options.value_size == full[key].value_size:
            assert options.num == full[key].num // 64 or full[key].num == MOST
        assert options.level1_bytes * 64 == full[key].level1_bytes
        assert options.write_buffer * 64 == full[key].write_buffer
        assert options.max_file_size == max(16 * KIB, full[key].max_file_size // 64)
        assert bench_options.flash_bytes(options) * 64 == FLASH


def test_small_has_less_data_for_the_same_levels() -> None:
    small, quarter = AMOUNTS[Scale.small], AMOUNTS[Scale.quarter]
    assert small.sizes == quarter.sizes and small.data == 10 * quarter.data


@pytest.mark.parametrize(("value", "size"), [(100, 100), (16 * KIB, 16 * KIB), (64 * KIB, 64 * KIB), (MIB, 64 * KIB)])
def test_a_value_is_no_more_than_a_quarter_of_the_memtable(value: int, size: int) -> None:
    assert value_bytes(Cell("fig6", "x", value=value), AMOUNTS[Scale.medium]) == size


def test_the_papers_workloads_are_all_there() -> None:
    fills = {(c.workload, c.data, c.value, c.buffer, c.table, c.block) for c in CELLS if c.workload != Workload.mix}
    for of in (
        {"workload": Workload.fillseq, "data": 54 * GIB},
        *({"data": n * GIB} for n in (9, 18, 27, 54, 63)),
        *({"value": size} for size in (16, 100, 16 * KIB, 64 * KIB, MIB)),
        *({"buffer": n * MIB} for n in (4, 16, 32, 64)),
        *({"table": size} for size in (MIB // 2, 2 * MIB, 8 * MIB, 16 * MIB)),
        *({"block": n * KIB} for n in (4, 9, 18, 24, 36)),
    ):
        one = Cell("", "", **of)  # type: ignore[arg-type]
        assert (one.workload, one.data, one.value, one.buffer, one.table, one.block) in fills, of
    mixes = [cell for cell in CELLS if cell.workload == Workload.mix]
    assert len(mixes) == 11 and {cell.reads for cell in mixes} == {0, 20, 40, 60}
    assert {cell.name for cell in CELLS if cell.steady} == {"4MB", "16MB", "32MB", "64MB"}


def test_steady_cases_differ_from_those_that_they_are_compared_with_in_the_device_alone() -> None:
    options = {case.key: case.options for case in cases(Scale.quarter)}
    for cell in CELLS:
        assert BASE_OF[cell.key] is None or BASE_OF[cell.key] in options
        if cell.steady:
            here, there = options[cell.key], options[cell.base]
            differ = [one.name for one in fields(here) if getattr(here, one.name) != getattr(there, one.name)]
            assert differ == ["mkfs_discard", "precondition"]


def test_compactions_are_late_where_the_writer_is_as_fast_as_it_can_be() -> None:
    eager = [case.key for case in cases(Scale.medium) if case.options.compactions == "eager"]
    assert eager == ["fig12-20%", "fig12-40%", "fig12-60%"]


def test_figures_are_three_to_thirteen_and_ours() -> None:
    assert (*(f"fig{n}" for n in range(3, 14)), "values") == FIGURES


def test_the_disk_is_a_replay_of_what_is_recorded_until_all_is_put() -> None:
    case = cases(Scale.small)[0]
    runs = {variant.name: variant.run(case) for variant in VARIANTS}
    assert isinstance(runs["leveldb"], Replay) and isinstance(runs["leveldb-s"], Bench)
    assert runs["leveldb"].recorded[0].options.trace_verify == "off"
