# SPDX-License-Identifier: Apache-2.0
"""The databases and the devices of `cascaded`: which runs there are of each case, and what they are measured as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from launcher.bench.bench_description import Mode, Workload
from launcher.bench.bench_options import MIB
from launcher.bench.ioreplay import Options, Target
from launcher.experiment.runner.description import Variant
from launcher.experiment.runner.quantities import Results, Runs

SSD_I, SSD_S, HDD = "I", "S", "HDD"
DEVICES = (SSD_I, SSD_S, HDD)
I_SPACE, S_SPACE = 12, 7  # percent of over-provisioning
LEVEL1 = 10 * MIB  # of LevelDB; a scale divides it as it divides what is written at once
SEEK = 12.7e-3  # seconds that ioreplay's disk takes for a discontinuity

# SSD-S does not learn what is free, and its host writes everywhere in turn. Neither have the paper's SSDs placement
# handles: SSD-I has them here because it is PageFS as it is by default.
_S: dict[str, Any] = {
    "over_provisioning": S_SPACE,
    "deallocate": "off",
    "allocation": "next",
    "placement": "off",
}


@dataclass(frozen=True)
class System:
    """A database, and how it differs from LevelDB."""

    name: str
    about: str
    mode: Mode
    changes: dict[str, Any]


# The collector of WiscKey is the paper's. It never begins: the SSD has room for what is dead, and the paper's factor of
# 1 for large values leaves none for a collector either.
SYSTEMS = (
    System("leveldb", "LevelDB", Mode.off, {}),
    System(
        "wisckey",
        "WiscKey: values in a log of their own, which is not collected in a run",
        Mode.off,
        {"separate": "on", "value_log_collector": "copy", "value_log_dead": 0},
    ),
    System("blend", "LevelDB with compactions that remap (`blend`)", Mode.blend, {}),
    System("blend+", "the same with values in a log, collected as costs least", Mode.blend, {"separate": "on"}),
)
ABOUT = {system.name: system.about for system in SYSTEMS}


def column(system: str, device: str) -> str:
    """What a report calls a system on a device."""
    return f"{system} {device}"


COLUMNS = tuple(column(system.name, device) for system in SYSTEMS for device in DEVICES)
PAPERS = COLUMNS[:6]  # those of LevelDB and WiscKey
FIRST = COLUMNS[0]  # the reference


def _disk(*_: object) -> Options:
    return Options(device=Target.hdd)


def _on_s(system: System) -> str:
    """The variant on SSD-S; the one on SSD-I has the system's name."""
    return f"{system.name}-s"


def _variants(system: System) -> tuple[Variant, Variant]:
    """On SSD-I, whose trace of pages is replayed onto the disk; and on SSD-S, where PageFS allocates otherwise.

    The trace ends with the workload: the disk's time is without what is read back.
    """
    there: dict[str, Any] = {"over_provisioning": I_SPACE, "trace_verify": "off"}
    return (
        Variant(system.name, system.mode, changes={**system.changes, **there}, replay=_disk),
        Variant(_on_s(system), system.mode, changes={**system.changes, **_S}),
    )


VARIANTS = tuple(variant for system in SYSTEMS for variant in _variants(system))


def _with_puts(run: dict[str, Any]) -> dict[str, Any]:
    return run | {"put_bytes": run["user_bytes"]}


def _on_disk(run: dict[str, Any]) -> dict[str, Any]:
    """As a run on the disk, which writes what the host writes. Its time has the load of YCSB, too.

    A seek takes as many times less as what is written between two seeks is smaller, so that their share of the time is
    that of the paper's sizes.
    """
    recorded: dict[str, Any] = run["recordings"][0]
    replay = run["replay"]
    parameters = recorded["parameters"]
    seeks, divisor = replay["figures"]["discontinuities"], LEVEL1 // parameters["level1_bytes"]
    loaded = parameters["num"] if recorded["workload"] == Workload.mix else 0
    return recorded | {
        "wa2": 1.0,
        "wa": recorded["wa1"],
        "device_seconds": replay["figures"]["device_seconds"] - seeks * SEEK * (1 - 1 / divisor),
        "operations": recorded["operations"] + loaded,
        "put_bytes": recorded["user_bytes"] + loaded * (parameters["key_size"] + parameters["value_size"]),
        "discontinuities": seeks,
        "nand_bytes": recorded["host_bytes"],
    }


def by_column(runs: Runs) -> Runs:
    """The results of a case by column instead of by variant."""
    found: Runs = {}
    for system in SYSTEMS:
        on_i, on_s = runs[system.name], runs[_on_s(system)]
        found[column(system.name, SSD_I)] = _with_puts(on_i["recordings"][0])
        found[column(system.name, SSD_S)] = _with_puts(on_s)
        found[column(system.name, HDD)] = _on_disk(on_i)
    return found


def compared(results: Results, base_of: Mapping[str, str | None]) -> Results:
    """The same of all cases. A run has, as `against`, that of the case which its own is compared with, if finished."""
    columns = {case: by_column(runs) for case, runs in results.items()}
    found: Results = {}
    for case, runs in columns.items():
        base = columns.get(base_of.get(case) or "", {})
        found[case] = {name: run | ({"against": base[name]} if name in base else {}) for name, run in runs.items()}
    return found
