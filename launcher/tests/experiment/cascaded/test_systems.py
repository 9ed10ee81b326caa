# SPDX-License-Identifier: Apache-2.0
"""Runs become columns of the report."""

from typing import Any

import pytest

from launcher.bench.ioreplay import Target
from launcher.experiment.cascaded.cases import cases
from launcher.experiment.cascaded.systems import ABOUT, COLUMNS, LEVEL1, PAPERS, SYSTEMS, VARIANTS, by_column, compared
from launcher.experiment.runner.description import Scale
from launcher.experiment.runner.quantities import Runs
from launcher.experiment.runner.steps import Replay, recordings


def run(workload: str = "fillrandom", **changes: Any) -> dict[str, Any]:
    """A result of db_bench."""
    return {
        "workload": workload,
        "parameters": {"num": 50, "key_size": 16, "value_size": 84, "level1_bytes": LEVEL1 // 16},
        "user_bytes": 1000,
        "host_bytes": 4000,
        "nand_bytes": 8000,
        "wa1": 4.0,
        "wa2": 2.0,
        "wa": 8.0,
        "operations": 10,
        "device_seconds": 0.5,
        "keys_verified": 7,
        "bytes_by_cause": {"log": 1100, "flush": 1000, "size_compaction": 1500, "seek_compaction": 300, "other": 60}
        | {"file_system": 40},
    } | changes


def runs_of(workload: str = "fillrandom", **changes: Any) -> Runs:
    """Results of all variants of a case; `changes`: of those on SSD-S."""
    replay = {"figures": {"device_seconds": 4.0, "discontinuities": 100}}
    return {
        name: one
        for system in SYSTEMS
        for name, one in (
            (system.name, {"recordings": [run(workload)], "replay": replay}),
            (f"{system.name}-s", run(workload, **changes)),
        )
    }


def test_variants_are_each_system_on_both_ssds() -> None:
    assert [variant.name for variant in VARIANTS] == list(runs_of())
    assert list(ABOUT) == ["leveldb", "wisckey", "blend", "blend+"]
    assert tuple(f"{name} {device}" for name in ("leveldb", "wisckey") for device in ("I", "S", "HDD")) == PAPERS
    for variant in VARIANTS:
        made = variant.run(cases(Scale.small)[0])
        (recorded,) = recordings(made)
        on_s = variant.name.endswith("-s")
        assert isinstance(made, Replay) != on_s
        if isinstance(made, Replay):
            assert made.options.device is Target.hdd
        seen = recorded.options
        of_s = (7, "off", "next", "off") if on_s else (12, "on", "first", "level")
        assert (seen.over_provisioning, seen.deallocate, seen.allocation, seen.placement) == of_s
        assert seen.seek_compactions == "on"


def test_columns_are_the_recording_the_run_on_the_other_ssd_and_the_disk() -> None:
    columns = by_column(runs_of(wa2=3.0))
    assert tuple(columns) == COLUMNS
    i, s, disk = (columns[f"wisckey {device}"] for device in ("I", "S", "HDD"))
    assert (i["wa2"], s["wa2"], disk["wa2"], disk["wa"]) == (2.0, 3.0, 1.0, 4.0)
    assert (i["device_seconds"], disk["device_seconds"], disk["discontinuities"]) == (0.5, 4 - 1.27 * 15 / 16, 100)
    assert (i["put_bytes"], disk["put_bytes"], disk["nand_bytes"]) == (1000, 1000, 4000)


def test_the_disks_time_of_ycsb_has_its_load() -> None:
    disk = by_column(runs_of("mix"))["leveldb HDD"]
    assert (disk["operations"], disk["put_bytes"]) == (60, 6000)


@pytest.mark.parametrize("finished", [True, False])
def test_a_run_has_the_one_that_it_is_compared_with_if_that_is_finished(finished: bool) -> None:
    results = {"b": runs_of(wa1=5.0)} | ({"a": runs_of(wa1=2.5)} if finished else {})
    found = compared(results, {"b": "a"})
    one = found["b"]["leveldb S"]
    assert one["wa1"] == 5.0 and ("against" in one) == finished
    if finished:
        assert one["against"]["wa1"] == 2.5 and "against" not in found["a"]["leveldb S"]
