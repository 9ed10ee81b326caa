# SPDX-License-Identifier: Apache-2.0
"""`./openremap crash`: power cuts at events of flash and NVRAM, and what each page holds after the recovery."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from launcher.bench_options import LIMITS, Limit, OptionError
from launcher.paths import BUILD, RELEASE, ROOT

PROGRAM = "crash"  # CMake target, too
MUTANTS = "orm_device_mutants"  # CMake target: the device with the defects of sim/fast/mutant.h
MUTANT_EVERY = 5  # each mutant is looked for at every so manieth event of the scripts: all of them would take hours
SCRIPTS = ROOT / "sim" / "crash" / "scripts"
CUTS = Limit(1, 100_000_000)  # the program checks the same
EVERY = Limit(1, 1_000_000)
COMMANDS = Limit(1, 1_000_000)


class Device(StrEnum):
    """What loses its power."""

    model = "model"
    rtl = "rtl"


@dataclass(frozen=True)
class Options:
    """See the help texts of the command."""

    device: Device = Device.model
    exhaustive: bool = False
    every: int = 1
    cuts: int = 2000
    commands: int = 150
    seed: int = 1
    wide: bool = False


def arguments(options: Options) -> list[str]:
    """Of the program. Raises OptionError for what is out of range or has no meaning together."""
    for flag, number, limit in (
        ("--every", options.every, EVERY),
        ("--cuts", options.cuts, CUTS),
        ("--commands", options.commands, COMMANDS),
        ("--seed", options.seed, LIMITS["seed"]),
    ):
        if not limit.low <= number <= limit.high:
            raise OptionError(f"{flag}: {number} is not between {limit.low} and {limit.high}")
    if options.exhaustive and options.wide:
        raise OptionError("--wide: the scripts of --exhaustive name their devices themselves")
    if not options.exhaustive and options.every != 1:
        raise OptionError("--every: only with --exhaustive")
    reproducer = BUILD / "reports" / "crash.txt"
    common = ["--device", options.device, "--seed", str(options.seed), "--reproducer", str(reproducer)]
    if options.exhaustive:
        scripts = [str(script) for script in sorted(SCRIPTS.glob("*.txt"))]
        return [*common, "--exhaustive", "--every", str(options.every), "--script", *scripts]
    more = ["--wide"] if options.wide else []
    return [*common, "--cuts", str(options.cuts), "--start-cuts", "3", "--commands", str(options.commands), *more]


def mutants() -> dict[str, str]:
    """Name and defect of each mutant, as sim/fast/mutant.h lists them."""
    text = (ROOT / "sim" / "fast" / "mutant.h").read_text()
    found = re.findall(r'X\(k\w+, "([^"]+)",\s*\\?\s*"([^"]+)"\)', text)
    return dict(found)


def run_mutants(options: Options, build: Path = RELEASE) -> int:
    """Looks for each mutant until it is found; prints a line each. Exit code 1 when one is not."""
    sampled = replace(options, exhaustive=True, every=MUTANT_EVERY, device=Device.model)
    found = 0
    for name, what in mutants().items():
        command = [str(build / "bin" / PROGRAM), *arguments(sampled), "--violations", "1"]
        env = os.environ | {"OPENREMAP_MUTANT": name, "LD_LIBRARY_PATH": str(build / "sim" / "mutants")}
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=env, text=True, check=False
        )
        lines = done.stdout.strip().splitlines() or [""]
        # A program that ends for another reason has no such line, whatever its exit code.
        if not re.fullmatch(r".*\d+ cuts, \d+ violations", lines[-1]) or done.returncode not in (0, 1):
            print(f"{name}: the explorer failed (exit code {done.returncode})")
            continue
        found += done.returncode
        print(f"{name}: {what}: {'found' if done.returncode else 'NOT found'} ({lines[-1]})", flush=True)
    print(f"{len(mutants())} mutants, {found} found")
    return 0 if found == len(mutants()) else 1


def run(options: Options, program: Path = RELEASE / "bin" / PROGRAM) -> int:
    """Runs the program, whose output is the result; its exit code."""
    command = [str(program), *arguments(options)]
    (BUILD / "reports").mkdir(parents=True, exist_ok=True)
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
