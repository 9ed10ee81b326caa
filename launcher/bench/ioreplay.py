# SPDX-License-Identifier: Apache-2.0
"""`./openremap ioreplay`: traces of pages replayed onto a device, a disk or another FTL."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from launcher.bench import flash_options
from launcher.bench.bench_options import LIMITS, Limit, OptionError, check_file
from launcher.env.paths import RELEASE

PROGRAM = "ioreplay"  # also the CMake target
# The same as the program's.
CHUNK = Limit(1, 2**40)
SPLIT = Limit(0, 2**40)
SUPERBLOCKS = Limit(0, 2**32 - 1)
# db_bench's.
OVER_PROVISIONING = LIMITS["over_provisioning"]
HANDLES = LIMITS["placement_handles"]


class Target(StrEnum):
    """What the traces are replayed onto."""

    model = "model"
    rtl = "rtl"
    soc = "soc"
    hdd = "hdd"
    hybrid = "hybrid"


class Placement(StrEnum):
    """Which placement handles the replayed writes name."""

    recorded = "recorded"
    trace = "trace"
    none = "none"


class Switch(StrEnum):
    """An option that is on or off."""

    on = "on"
    off = "off"


@dataclass(frozen=True)
class Options:
    """Options of the command; its help texts describe them. None: the program's default."""

    traces: tuple[Path, ...] = ()
    device: Target = Target.model
    chunk: int | None = None
    split: int | None = None
    placement: Placement = Placement.recorded
    deallocate: Switch = Switch.on
    geometry: str = ""
    superblocks: int | None = None
    over_provisioning: int | None = None
    placement_handles: int | None = None
    read_back: bool = True
    json: Path | None = None


def arguments(options: Options) -> list[str]:
    """The program's arguments. Raises OptionError for a number out of range, and for files that cannot be used."""
    if options.device in (Target.hdd, Target.hybrid):
        for flag, value in (
            ("--geometry", options.geometry or None),
            ("--superblocks", options.superblocks),
            ("--over-provisioning", options.over_provisioning),
            ("--placement-handles", options.placement_handles),
        ):
            if value is not None:
                raise OptionError(f"{flag}: only with --device model, rtl or soc")
    given = ["--device", options.device, "--placement", options.placement, "--deallocate", options.deallocate]
    for flag, number, limit in (
        ("--chunk", options.chunk, CHUNK),
        ("--split", options.split, SPLIT),
        ("--superblocks", options.superblocks, SUPERBLOCKS),
        ("--over-provisioning", options.over_provisioning, OVER_PROVISIONING),
        ("--placement-handles", options.placement_handles, HANDLES),
    ):
        if number is not None:
            limit.check(flag, number)
            given += [flag, str(number)]
    if options.geometry:
        if wrong := flash_options.wrong_geometry(options.geometry):
            raise OptionError(f"--geometry: {wrong}")
        given += ["--geometry", options.geometry]
    given += [] if options.read_back else ["--no-read-back"]
    if options.json is not None:
        if str(options.json) != "-":
            check_file("--json", options.json)
        given += ["--json", str(options.json)]
    for trace in options.traces:
        if not trace.is_file():
            raise OptionError(f"TRACE: {trace}: no such file")
        if options.json is not None and options.json.exists() and trace.samefile(options.json):
            raise OptionError(f"--json: {options.json} is a trace, which the results would overwrite")
    return [*given, "--", *map(str, options.traces)]


def run(options: Options, program: Path | None = None) -> int:
    """Runs the program, whose output is the result. Returns its exit code."""
    command = [str(program or RELEASE / "bin" / PROGRAM), *arguments(options)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
