# SPDX-License-Identifier: Apache-2.0
"""`./openremap crash`: power cuts at events of flash and NVRAM, and what each page holds after the recovery."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from launcher.bench_options import LIMITS, Limit, Mode, OptionError
from launcher.paths import BUILD, RELEASE, ROOT

PROGRAM = "crash"  # CMake target, too
LEVELDB = "crash-leveldb"  # the same
MUTANTS = "orm_device_mutants"  # CMake target: the device with the defects of sim/fast/mutant.h
MUTANT_EVERY = 3  # each is looked for at every so manieth event of its script: it does harm at three in a row at least
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
    leveldb: bool = False
    modes: tuple[Mode, ...] = tuple(Mode)  # of LevelDB

    @property
    def program(self) -> str:
        return LEVELDB if self.leveldb else PROGRAM


def arguments(options: Options, scripts: tuple[Path, ...] = ()) -> list[str]:
    """Of the program; without `scripts` an exhaustive run has all of them.

    Raises OptionError for what is out of range or has no meaning together.
    """
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
    if options.leveldb:
        return _leveldb_arguments(options)
    if options.modes != Options.modes:
        raise OptionError("--mode: only with --leveldb")
    reproducer = BUILD / "reports" / "crash.txt"
    common = ["--device", options.device, "--seed", str(options.seed), "--reproducer", str(reproducer)]
    if options.exhaustive:
        given = [str(script) for script in scripts or sorted(SCRIPTS.glob("*.txt"))]
        return [*common, "--exhaustive", "--every", str(options.every), "--script", *given]
    more = ["--wide"] if options.wide else []
    return [*common, "--cuts", str(options.cuts), "--start-cuts", "3", "--commands", str(options.commands), *more]


def _leveldb_arguments(options: Options) -> list[str]:
    for flag, given in (
        ("--exhaustive", options.exhaustive),
        ("--wide", options.wide),
        ("--commands", options.commands != Options.commands),
    ):
        if given:
            raise OptionError(f"{flag}: not with --leveldb")
    modes = [word for mode in options.modes for word in ("--mode", str(mode))]
    return ["--device", options.device, "--seed", str(options.seed), "--cuts", str(options.cuts), *modes]


@dataclass(frozen=True)
class Mutant:
    """A defect of the model, made on purpose."""

    name: str
    script: Path  # that shows it
    what: str


def mutants() -> list[Mutant]:
    """Those that sim/fast/mutant.h lists."""
    text = (ROOT / "sim" / "fast" / "mutant.h").read_text().replace("\\\n", " ")
    found = re.findall(r'X\(k\w+,\s*"([^"]+)",\s*"([^"]+)",\s*"([^"]+)"\)', text)
    return [Mutant(name, SCRIPTS / f"{script}.txt", what) for name, script, what in found]


def run_mutants(options: Options, build: Path = RELEASE) -> int:
    """Looks for each mutant with its script until it is found; prints a line each. Exit code 1 when one is not."""
    sampled = replace(options, exhaustive=True, every=MUTANT_EVERY, device=Device.model)
    found = 0
    for mutant in mutants():
        command = [str(build / "bin" / PROGRAM), *arguments(sampled, (mutant.script,)), "--violations", "1"]
        env = os.environ | {"OPENREMAP_MUTANT": mutant.name, "LD_LIBRARY_PATH": str(build / "sim" / "mutants")}
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=env, text=True, check=False
        )
        lines = done.stdout.strip().splitlines() or [""]
        # A program that ends for another reason has no such line, whatever its exit code.
        if not re.fullmatch(r".*\d+ cuts, \d+ violations", lines[-1]) or done.returncode not in (0, 1):
            print(f"{mutant.name}: the explorer failed (exit code {done.returncode})")
            continue
        found += done.returncode
        outcome = "found" if done.returncode else "NOT found"
        print(f"{mutant.name}: {mutant.what}: {outcome} with {mutant.script.name} ({lines[-1]})", flush=True)
    print(f"{len(mutants())} mutants, {found} found")
    return 0 if found == len(mutants()) else 1


def run(options: Options, program: Path | None = None) -> int:
    """Runs the program, whose output is the result; its exit code."""
    command = [str(program or RELEASE / "bin" / options.program), *arguments(options)]
    (BUILD / "reports").mkdir(parents=True, exist_ok=True)
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
