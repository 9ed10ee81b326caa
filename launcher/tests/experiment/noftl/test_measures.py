# SPDX-License-Identifier: Apache-2.0
"""What `noftl` measures."""

import re

import pytest

from launcher.env.paths import ROOT
from launcher.experiment.noftl.measures import (
    BY_OWNER,
    CALLS,
    DEAD,
    ERASE,
    ERASES,
    FASTER,
    FILLED,
    FLASH_SECONDS,
    LESS_BUSY,
    MEANS,
    MOVED,
    OF_FASTER,
    OPERATIONS,
    PER_BYTE,
    PROGRAM,
    RATE,
    READ,
    SPARED,
    SPARED_PER_BYTE,
    SYSTEM_SHARE,
    TRANSLATION_SHARE,
    WEAR,
)
from launcher.experiment.noftl.systems import FIRST, NATIVE
from launcher.tests.experiment.noftl.runs import on_controller, on_faster

SOURCE = ROOT / "rocksdb-host" / "rocksbench" / "link_source.cc"
HYBRID = ROOT / "leveldb-host" / "ioreplay" / "hybrid_target.h"
RUNS = {FIRST: on_faster(), "ssd-data": on_controller(500, 20, 60, 1.0), NATIVE: on_controller()}


def test_operations_are_all_that_the_program_has() -> None:
    told = re.findall(r'^ +\{"(\w+)", \d+, OperationKind::', SOURCE.read_text(), re.MULTILINE)
    assert sorted(told) == sorted(OPERATIONS)


def test_times_of_flash_are_those_of_the_hybrid_target() -> None:
    told = re.findall(r"kHybrid(Read|Program|Erase)Seconds = ([\d.e-]+)", HYBRID.read_text())
    assert {name: float(value) for name, value in told} == {"Read": READ, "Program": PROGRAM, "Erase": ERASE}


def test_counts_of_faster() -> None:
    assert [one.value(RUNS, FIRST) for one in (CALLS, MOVED, WEAR, ERASES, DEAD)] == [30, 400, 0, 80, 5]
    causes = [one.value(RUNS, FIRST) for one in OF_FASTER]
    assert causes[0] == sum(cause or 0 for cause in causes[1:])
    assert [one.value(RUNS, NATIVE) for one in OF_FASTER[1:]] == [None] * 5


def test_counts_of_the_controller_keep_wear_levelling_apart() -> None:
    assert [one.value(RUNS, "ssd-data") for one in (CALLS, MOVED, WEAR, ERASES)] == [10, 500, 20, 60]
    owners = [one.value(RUNS, "ssd-data") or 0 for one in BY_OWNER]
    assert owners[0] == pytest.approx(sum(owners[1:]))
    assert MOVED.value(RUNS, NATIVE) == 0


def test_fasters_blocks_in_use_are_still_to_be_erased() -> None:
    assert (FILLED.value(RUNS, FIRST), FILLED.value(RUNS, NATIVE)) == (100, 40)
    assert PER_BYTE.value(RUNS, FIRST) == pytest.approx(100 * 32 / 1000)
    assert (SPARED.value(RUNS, NATIVE), SPARED_PER_BYTE.value(RUNS, NATIVE)) == (2, 2.5)


def test_layers_and_times() -> None:
    assert SYSTEM_SHARE.value(RUNS, FIRST) == pytest.approx(1.1)
    assert TRANSLATION_SHARE.value(RUNS, FIRST) == pytest.approx(0.4)
    assert TRANSLATION_SHARE.value(RUNS, NATIVE) == pytest.approx(0.024)
    busy = 2000 * 25e-6 + 1024 * 200e-6 + 40 * 1.5e-3
    assert FLASH_SECONDS.value(RUNS, NATIVE) == pytest.approx(busy)
    assert LESS_BUSY.value(RUNS, NATIVE) == pytest.approx(2 / busy)
    assert (RATE.value(RUNS, FIRST), RATE.value(RUNS, NATIVE)) == (None, 200)
    assert FASTER.value(RUNS, NATIVE) == pytest.approx(100)
    assert (MEANS[0].value(RUNS, FIRST), MEANS[0].value(RUNS, NATIVE)) == (None, 5)
