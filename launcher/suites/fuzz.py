# SPDX-License-Identifier: Apache-2.0
"""`./openremap fuzz`: submission entries and register accesses that are mostly wrong, and a check of what must stay."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from launcher.bench import flash_options
from launcher.bench.bench_options import LIMITS, Limit, OptionError
from launcher.env.paths import RELEASE
from launcher.spread import seeds
from launcher.spread.seeds import Seeds
from launcher.suites.crash import Device

PROGRAM = "fuzz"  # also the CMake target
ENTRIES = Limit(1, 1_000_000_000)  # the same as the program's


@dataclass(frozen=True)
class Options:
    """Options of the command; its help texts describe them."""

    device: Device = Device.model
    entries: int = 10_000
    seed: int = 1
    geometry: str = ""
    stalls: bool = False
    cache: str = ""  # of the firmware
    firmware: str = ""  # what runs it


def arguments(options: Options) -> list[str]:
    """The program's arguments. Raises OptionError for a number out of range, and for stalls of a model."""
    ENTRIES.check("--entries", options.entries)
    LIMITS["seed"].check("--seed", options.seed)
    if options.geometry and (wrong := flash_options.wrong_geometry(options.geometry)):
        raise OptionError(f"--geometry: {wrong}")
    if wrong := flash_options.wrong_cache(options.cache):
        raise OptionError(f"--cache: {wrong}")
    if wrong := flash_options.wrong_firmware(options.firmware):
        raise OptionError(f"--firmware: {wrong}")
    if options.geometry and options.device is Device.soc:
        raise OptionError("--geometry: the soc has that of the rtl without a geometry")
    if options.cache and options.device is Device.soc:
        raise OptionError("--cache: the soc has a cache of its own")
    if options.firmware not in ("", "native") and options.device is Device.soc:
        raise OptionError("--firmware: the soc has a processor of its own")
    if options.stalls and options.device is Device.model:
        raise OptionError("--stalls: requires --device rtl or soc, which have buses")
    given = ["--device", options.device, "--entries", str(options.entries), "--seed", str(options.seed)]
    given += ["--geometry", options.geometry] if options.geometry else []
    given += ["--cache", options.cache] if options.cache else []
    given += ["--firmware", options.firmware] if options.firmware else []
    return [*given, *(["--stalls"] if options.stalls else [])]


def run_seeds(options: Options, chosen: Seeds, program: Path | None = None) -> int:
    """Runs the program with each seed and prints how many found something. Returns the exit code."""

    def of(seed: int) -> list[str]:
        return arguments(replace(options, seed=seed))

    return seeds.run(PROGRAM, of, chosen, seeds.findings, path=program)


def run(options: Options, program: Path | None = None) -> int:
    """Runs the program, whose output is the result. Returns its exit code."""
    command = [str(program or RELEASE / "bin" / PROGRAM), *arguments(options)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
