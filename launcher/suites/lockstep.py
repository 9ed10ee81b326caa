# SPDX-License-Identifier: Apache-2.0
"""`./openremap lockstep`: the same commands on the Verilated controller and on the fast model, compared."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from launcher.bench import flash_options
from launcher.bench.bench_options import LIMITS, Limit, OptionError
from launcher.env.paths import BUILD, RELEASE
from launcher.spread import seeds
from launcher.spread.seeds import Seeds
from launcher.suites import crash
from launcher.suites.crash import Device

PROGRAM = "lockstep"  # also the CMake target
MUTANT_LIST = ("sim/fast/top/mutant.h", "ORM_LOCKSTEP_MUTANT_LIST")  # file, and macro in it
REPRODUCER = BUILD / "reports" / "lockstep.txt"  # a short stream of commands that shows the difference
COMMANDS = Limit(1, 100_000_000)  # the same as the program's


class Mix(StrEnum):
    """How often each kind of command is drawn."""

    usual = "usual"
    quick = "quick"


@dataclass(frozen=True)
class Options:
    """Options of the command; its help texts describe them."""

    commands: int = 10_000
    seed: int = 1
    mix: Mix = Mix.usual
    wide: bool = False
    faults: str = ""
    first: Device = Device.rtl  # whose answers are taken for right
    second: Device = Device.model
    firmware: str = ""  # what runs that of the second


def arguments(options: Options) -> list[str]:
    """The program's arguments. Raises OptionError for a number out of range."""
    COMMANDS.check("--commands", options.commands)
    LIMITS["seed"].check("--seed", options.seed)
    if wrong := flash_options.wrong_faults(options.faults):
        raise OptionError(f"--faults: {wrong}")
    if wrong := flash_options.wrong_firmware(options.firmware):
        raise OptionError(f"--firmware: {wrong}")
    given = ["--commands", str(options.commands), "--seed", str(options.seed), "--mix", options.mix]
    given += ["--wide"] if options.wide else []
    given += ["--faults", options.faults] if options.faults else []
    if options.wide and Device.soc in (options.first, options.second):
        raise OptionError("--wide: the soc has pages of one slot")
    given += ["--first", options.first] if options.first != Device.rtl else []
    given += ["--second", options.second] if options.second != Device.model else []
    given += ["--firmware", options.firmware] if options.firmware else []
    return [*given, "--reproducer", str(REPRODUCER)]


# The runs that show the mutants, with enough commands to find each of them.
MUTANT_RUNS = {
    "usual": Options(commands=10_000),
    "wide": Options(commands=4_000, wide=True),
    "faults": Options(commands=500, faults="bit-errors=150"),  # only the last read-retry level reads that
}


@dataclass(frozen=True)
class Mutant:
    """A seeded defect of the fast model."""

    name: str
    run: str  # of MUTANT_RUNS
    what: str


def mutants() -> list[Mutant]:
    """The mutants of MUTANT_LIST."""
    return [Mutant(*found) for found in crash.listed_mutants(*MUTANT_LIST)]


def run_mutants(options: Options, build: Path = RELEASE) -> int:
    """Compares the RTL with each mutated model. Prints a line each; returns 1 if lockstep misses one."""
    (BUILD / "reports").mkdir(parents=True, exist_ok=True)
    found = 0
    for mutant in mutants():
        given = replace(MUTANT_RUNS[mutant.run], seed=options.seed)
        command = [str(build / "bin" / PROGRAM), *arguments(given), "--shrink-runs", "0"]
        env = os.environ | {"OPENREMAP_MUTANT": mutant.name, "LD_LIBRARY_PATH": str(build / "sim" / "mutants")}
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=env,
            text=True,
            check=False,
        )
        different = re.search(r"^different after (\d+) commands$", done.stdout, re.MULTILINE)
        equal = re.search(r"^equal: .* with (\d+) commands", done.stdout, re.MULTILINE)
        if different and done.returncode == 1:
            found += 1
            outcome = f"found after {different[1]} commands"
        elif equal and done.returncode == 0:
            outcome = f"NOT found in {equal[1]} commands"
        else:
            print(f"{mutant.name}: lockstep failed (exit code {done.returncode})", flush=True)
            continue
        print(f"{mutant.name}: {mutant.what}: {outcome}", flush=True)
    print(f"{len(mutants())} mutants, {found} found")
    return 0 if found == len(mutants()) else 1


def run_seeds(options: Options, chosen: Seeds, program: Path | None = None) -> int:
    """Runs the program with each seed and prints how many found a difference. Returns the exit code."""

    def of(seed: int) -> list[str]:
        return arguments(replace(options, seed=seed))

    return seeds.run(PROGRAM, of, chosen, seeds.findings, REPRODUCER, program)


def run(options: Options, program: Path | None = None) -> int:
    """Runs the program, whose output is the result. Returns its exit code."""
    (BUILD / "reports").mkdir(parents=True, exist_ok=True)
    command = [str(program or RELEASE / "bin" / PROGRAM), *arguments(options)]
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
