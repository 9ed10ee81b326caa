# SPDX-License-Identifier: Apache-2.0
"""Measures of a case's runs: their values, and no value where it is undefined."""

import pytest

from launcher.bench.bench_description import Mode
from launcher.experiment.remapcom.measures import (
    CPU,
    DIVIDED,
    FASTER,
    FOUND,
    FOUND_OVER_BASE,
    KEPT,
    KEPT_INTO,
    SAVED,
    SPACE,
    WA,
    kept,
    kept_into,
)
from launcher.experiment.runner.quantities import Quantity
from launcher.tests.experiment.remapcom_runs import level, runs

ALL = (WA, SAVED, DIVIDED, FASTER, SPACE, FOUND, FOUND_OVER_BASE, KEPT, KEPT_INTO[1], CPU)


def test_values_are_against_stock_leveldb() -> None:
    case = runs(
        {
            Mode.retain: {"device_seconds": 0.25, "used_bytes": 1650, "background_cpu_seconds": 0.1},
            Mode.blend: {"device_seconds": 0.01, "host_cpu_seconds": 0.2},
        }
    )
    assert WA.value(case, Mode.off) == 4 and WA.value(case, Mode.retain) == 3
    assert SAVED.value(case, Mode.retain) == pytest.approx(25)
    assert DIVIDED.value(case, Mode.retain) == pytest.approx(4 / 3)
    assert FASTER.value(case, Mode.retain) == pytest.approx(100)
    assert FASTER.value(case, Mode.blend) == pytest.approx(150), "the CPU takes longer than the device"
    assert SPACE.value(case, Mode.retain) == pytest.approx(50)
    assert SPACE.value(runs(used_bytes=0), Mode.retain) == 0
    assert CPU.value(case, Mode.retain) == pytest.approx(25)


def test_unchanged_blocks_are_of_all_that_compactions_read() -> None:
    levels = [level(1, 100, 20, 10), level(2, 300, 180, 90), level(3, 0, 0, 0)]
    case = runs({Mode.base: {"levels": levels, "unchanged_ratio": 0.25}})
    assert FOUND.value(case, Mode.base) == pytest.approx(50)
    assert KEPT.value(case, Mode.base) == pytest.approx(25)
    assert KEPT_INTO[2].value(case, Mode.base) == pytest.approx(30)
    assert FOUND_OVER_BASE.value(case, Mode.base) == 1
    assert FOUND_OVER_BASE.value(case, Mode.retain) == pytest.approx(0.5)  # 10 of 40


def test_a_level_that_nothing_was_compacted_into_keeps_nothing() -> None:
    run = runs()[Mode.base]
    assert kept_into(run, 1) == pytest.approx(25) and kept(run, 1) == pytest.approx(25)
    for there in (2, 5):  # empty, and absent
        assert kept_into(run, there) is None and kept(run, there) == 0
    nothing = runs(levels=[], unchanged_ratio=0)
    for quantity in (FOUND, FOUND_OVER_BASE, KEPT, KEPT_INTO[1]):
        assert quantity.value(nothing, Mode.retain) is None


def test_what_is_written_while_nothing_is_put_says_nothing() -> None:
    case = runs(user_bytes=0)
    for quantity in (WA, SAVED, DIVIDED):
        assert quantity.value(case, Mode.retain) is None
    assert FASTER.value(case, Mode.retain) == 0
    assert DIVIDED.value(runs({Mode.retain: {"nand_bytes": 0}}), Mode.retain) is None


@pytest.mark.parametrize("quantity", ALL, ids=lambda quantity: quantity.name)
@pytest.mark.parametrize("missing", [Mode.off, Mode.retain])
def test_a_mode_that_was_not_run_has_no_value(quantity: Quantity, missing: Mode) -> None:
    case = runs()
    assert quantity.value(case, Mode.retain) is not None
    del case[missing]
    assert quantity.value(case, Mode.retain) is None
    assert quantity.value({}, Mode.retain) is None


def test_no_time_and_no_bytes_are_not_divided_by() -> None:
    case = runs(device_seconds=0, host_cpu_seconds=0, background_cpu_seconds=0, nand_bytes=0)
    assert FASTER.value(case, Mode.skip) == SAVED.value(case, Mode.skip) == CPU.value(case, Mode.skip) == 0
    case = runs()
    del case[Mode.base]
    assert FOUND_OVER_BASE.value(case, Mode.retain) is None


def test_texts() -> None:
    assert SAVED.text(None) == "-" and SAVED.text(12.345) == "12.3 %" and FASTER.text(5.0) == "+5.0 %"
    assert FOUND_OVER_BASE.text(1.18) == "x1.18" and DIVIDED.text(1.1) == "1.10"
