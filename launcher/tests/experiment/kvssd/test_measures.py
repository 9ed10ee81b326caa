# SPDX-License-Identifier: Apache-2.0
"""What `kvssd` measures."""

from typing import Any

import pytest

from launcher.experiment.kvssd.measures import (
    ALL,
    COLLECTION,
    COMPACTION,
    FASTER,
    MORE_READS,
    QUANTITIES,
    READ_MODIFY_WRITE,
    READS,
    SAVED,
    THROUGHPUT,
    WHOLE,
)


def run(**changes: Any) -> dict[str, Any]:
    return {
        "user_bytes": 100,
        "host_bytes": 2700,
        "nand_bytes": 9720 + 5 * 4096,
        "wear_pages": 3,
        "metadata_pages": 2,
        "wa": 302.0,
        "bytes_by_cause": {"log": 100, "size_compaction": 1700, "mapping_unit": 900},
        "operations": 50,
        "device_seconds": 2.0,
        "get_bytes": 10,
        "get_read_bytes_of_spans": 320,
        "space_amplification": 1.25,
        "keys_verified": 7,
    } | changes


def test_the_factors_multiply_to_the_whole() -> None:
    runs = {"lsm": run()}
    factors = [one.value(runs, "lsm") for one in (COMPACTION, READ_MODIFY_WRITE, COLLECTION)]
    assert factors == [18, 1.5, 3.6]
    assert WHOLE.value(runs, "lsm") == pytest.approx(18 * 1.5 * 3.6)
    assert ALL.value(runs, "lsm") == 302, "with what the device does by itself"
    assert (THROUGHPUT.value(runs, "lsm"), READS.value(runs, "lsm")) == (25, 32)


def test_a_device_that_maps_pages_adds_nothing() -> None:
    runs = {"lsm": run(), "nlsm": run(bytes_by_cause={"log": 100}, device_seconds=0.5, get_read_bytes_of_spans=352)}
    assert READ_MODIFY_WRITE.value(runs, "nlsm") == 1
    assert FASTER.value(runs, "nlsm") == 4
    assert MORE_READS.value(runs, "nlsm") == pytest.approx(10)
    runs["nlsm"]["nand_bytes"] = 9720 // 4 + 5 * 4096
    assert SAVED.value(runs, "nlsm") == pytest.approx(75)


def test_what_was_not_measured_has_no_figure() -> None:
    runs = {"lsm": run(user_bytes=0, get_bytes=0, device_seconds=0)}
    assert [one.value(runs, "lsm") for one in (COMPACTION, READS, THROUGHPUT, FASTER, MORE_READS)] == [None] * 5
    assert all(one.value({"nlsm": run()}, "nlsm") is None for one in QUANTITIES), "without the reference"
