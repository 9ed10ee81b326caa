# SPDX-License-Identifier: Apache-2.0
"""The systems of `noftl`: how a database's files get onto flash, and which flash translation layer is below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import BenchOptions
from launcher.bench.ioreplay import Options, Target
from launcher.experiment.runner.description import Variant

LOG = 14  # percent: the paper's over-provisioning, log blocks of FASTer
JOURNALS = ("data", "metadata", "off")

# A file system as the paper's ext3 is: nothing is deallocated, writes go everywhere, files begin anywhere. All files
# but tables lie on a second device, in all systems, as in the paper.
_FILE_SYSTEM: dict[str, Any] = {
    "placement": "off",
    "deallocate": "off",
    "allocation": "next",
    "align": "off",
    "side": "files",
}
_DEALLOCATE: dict[str, Any] = {"placement": "off", "side": "files"}
_LEVELS: dict[str, Any] = {"placement": "level", "side": "files"}
_NATIVE: dict[str, Any] = {"placement": "table", "side": "all"}


def faster(recorded: BenchOptions, traces: int) -> Options:
    """The hybrid mapping, with the flash blocks of the recording's geometry."""
    del traces
    return Options(device=Target.hybrid, hybrid_block=block_pages(recorded), hybrid_log=LOG)


def controller(recorded: BenchOptions, traces: int) -> Options:
    """The device that the trace was recorded on, from its first write on."""
    del traces
    return Options(
        geometry=recorded.geometry,
        over_provisioning=recorded.over_provisioning,
        placement_handles=recorded.placement_handles,
        firmware_cpu=recorded.firmware_cpu,
    )


def block_pages(options: BenchOptions) -> int:
    """Pages of 4 KiB of a flash block, which is what an erase erases."""
    pages, *slots = map(int, options.geometry.split("x")[3:])
    return pages * (slots[0] if slots else 1)


def block_pages_of(geometry: dict[str, Any]) -> int:
    """The same, of what a result says."""
    return int(geometry["pages_per_block"]) * int(geometry.get("slots_per_page", 1))


@dataclass(frozen=True)
class System:
    """A variant, what it is, and how the database's files get to the device."""

    name: str
    about: str
    changes: dict[str, Any]
    replay: Callable[[BenchOptions, int], Options]

    def variant(self) -> Variant:
        return Variant(self.name, Mode.off, changes=self.changes, replay=self.replay)

    @property
    def on_faster(self) -> bool:
        return self.replay is faster


def _journal(kind: str) -> str:
    return "without a journal" if kind == "off" else f"with a journal of {'all pages' if kind == 'data' else kind}"


SYSTEMS = (
    *(
        System(f"faster-{kind}", f"file system {_journal(kind)}, FASTer", {**_FILE_SYSTEM, "journal": kind}, faster)
        for kind in JOURNALS
    ),
    System("faster-trim", "the last one with Deallocate and first fit, FASTer", _DEALLOCATE, faster),
    *(
        System(
            f"ssd-{kind}",
            f"file system {_journal(kind)}, the controller",
            {**_FILE_SYSTEM, "journal": kind},
            controller,
        )
        for kind in JOURNALS
    ),
    System("ssd-trim", "the last one with Deallocate and first fit", _DEALLOCATE, controller),
    System(
        "levels",
        "the same with a placement handle for each level: the best that a file system gets",
        _LEVELS,
        controller,
    ),
    System(
        "noftl", "native: each table is an erase unit, its file system's metadata lies beside, too", _NATIVE, controller
    ),
)
VARIANTS = tuple(system.variant() for system in SYSTEMS)
ABOUT = {system.name: system.about for system in SYSTEMS}
FIRST = SYSTEMS[0].name  # the reference: the paper's RocksDB
NATIVE = SYSTEMS[-1].name
BEST = "levels"
ON_CONTROLLER = tuple(system.name for system in SYSTEMS if not system.on_faster)
ON_FASTER = tuple(system.name for system in SYSTEMS if system.on_faster)
