# SPDX-License-Identifier: Apache-2.0
"""What `matrix` measures."""

import pytest

from launcher.experiment.matrix.measures import (
    COLLECTION,
    COMPACTION,
    ERASES,
    FLASH,
    LATENCIES,
    MEAN_ERASES,
    QUANTITIES,
    READ_99,
    READ_MODIFY_WRITE,
    SPREAD,
    WHOLE,
    WRITE_999,
)
from launcher.experiment.matrix.settings import FIRST
from launcher.tests.experiment.matrix.runs import run


def test_the_flash_level_factor_is_that_of_mapping_and_gc() -> None:
    runs = {FIRST: run(3.6, bytes_by_cause={"log": 1, "mapping_unit": 300_000})}
    assert COMPACTION.value(runs, FIRST) == pytest.approx(5)
    assert READ_MODIFY_WRITE.value(runs, FIRST) == pytest.approx(1.6)
    assert COLLECTION.value(runs, FIRST) == pytest.approx(3.6)
    assert FLASH.value(runs, FIRST) == pytest.approx(1.6 * 3.6)
    assert WHOLE.value(runs, FIRST) == pytest.approx(28.8)


def test_latencies_and_wear_stand_beside() -> None:
    runs = {FIRST: run()}
    assert (READ_99.value(runs, FIRST), WRITE_999.value(runs, FIRST)) == (90, 3000)
    assert ERASES.value(runs, FIRST) == 15, "60 blocks of 4 dies"
    assert MEAN_ERASES.value(runs, FIRST) == 1.5
    assert SPREAD.value(runs, FIRST) == 5


def test_what_a_run_does_not_tell_has_no_figure() -> None:
    old = run(device_latency_us={"flush": {"p99": 1.0, "p999": 1.0}})
    del old["erases"], old["erase_counts"]
    assert all(one.value({FIRST: old}, FIRST) is None for one in (*LATENCIES, ERASES, MEAN_ERASES, SPREAD))
    assert all(one.value({}, FIRST) is None for one in QUANTITIES)
