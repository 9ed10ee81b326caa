# SPDX-License-Identifier: Apache-2.0
"""`./openremap crash`: power cuts at events of flash and NVRAM, and what each page holds after the recovery."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import LIMITS, Limit, OptionError
from launcher.env.paths import BUILD, RELEASE, ROOT

PROGRAM = "crash"  # CMake target, too
LEVELDB = "crash-leveldb"  # the same
MUTANTS = "orm_device_mutants"  # CMake target: the device with the defects of MUTANT_LISTS
MUTANT_LISTS = ("sim/fast/top/mutant.h", "firmware/include/fw_mutant.h")
MUTANT_EVERY = (
    3  # cuts only at every third event of a script: each mutant does harm at three consecutive events or more
)
SCRIPTS = ROOT / "sim" / "crash" / "scripts"
CUTS = Limit(1, 100_000_000)  # the program checks the same
EVERY = Limit(1, 1_000_000)
COMMANDS = Limit(1, 1_000_000)
SESSIONS = Limit(1, 10_000)
ORDERS = Limit(1, 4)  # operations in each
ORDERS_WITH_SCRIPTS = 2
SUPERBLOCKS = Limit(8, 64)
SEGMENTS = Limit(1, 2**32 - 1)  # the device knows how few are too few


class Device(StrEnum):
    """The device whose power is cut."""

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
    geometry: str = ""
    leveldb: bool = False
    modes: tuple[Mode, ...] = tuple(Mode)  # of LevelDB
    orders: int | None = None  # None: none, but with the scripts of an exhaustive run ORDERS_WITH_SCRIPTS
    sessions: int = 1
    shutdowns: bool = False
    faults: str = ""
    superblocks: int | None = None  # None, here and below: the program's
    segments: int | None = None

    @property
    def program(self) -> str:
        return LEVELDB if self.leveldb else PROGRAM


def arguments(options: Options, scripts: tuple[Path, ...] = ()) -> list[str]:
    """The program's command line. Without `scripts`, an exhaustive run takes all scripts, and the orders as well.

    Raises OptionError for a number out of range and for options that cannot be combined.
    """
    for flag, number, limit in (
        ("--every", options.every, EVERY),
        ("--cuts", options.cuts, CUTS),
        ("--commands", options.commands, COMMANDS),
        ("--sessions", options.sessions, SESSIONS),
        ("--seed", options.seed, LIMITS["seed"]),
    ):
        limit.check(flag, number)
    for flag, wanted, limit in (
        ("--orders", options.orders, ORDERS),
        ("--superblocks", options.superblocks, SUPERBLOCKS),
        ("--segments", options.segments, SEGMENTS),
    ):
        if wanted is not None:
            limit.check(flag, wanted)
    if options.geometry and (options.wide or options.device is not Device.model):
        raise OptionError("--geometry: needs --device model, and cannot be combined with --wide, which sets a geometry")
    random = _random_arguments(options)
    if (options.exhaustive or options.orders is not None) and random:
        raise OptionError(
            f"{random[0]}: cannot be combined with --exhaustive or --orders, which set their own devices and commands"
        )
    if not options.exhaustive and options.orders is None and options.every != 1:
        raise OptionError("--every: needs --exhaustive or --orders")
    if options.leveldb:
        return _leveldb_arguments(options)
    if options.modes != Options.modes:
        raise OptionError("--mode: needs --leveldb")
    reproducer = BUILD / "reports" / "crash.txt"
    common = ["--device", options.device, "--seed", str(options.seed), "--reproducer", str(reproducer)]
    if options.exhaustive:
        given = [str(script) for script in scripts or sorted(SCRIPTS.glob("*.txt"))]
        orders = [] if scripts else ["--orders", str(options.orders or ORDERS_WITH_SCRIPTS)]
        return [*common, "--exhaustive", "--every", str(options.every), *orders, "--script", *given]
    if options.orders is not None:
        return [*common, "--orders", str(options.orders), "--every", str(options.every)]
    return [*common, "--cuts", str(options.cuts), "--start-cuts", "3", "--commands", str(options.commands), *random]


def _random_arguments(options: Options) -> list[str]:
    """The options that only random commands take."""
    given = ["--wide"] if options.wide else []
    given += ["--geometry", options.geometry] if options.geometry else []
    given += ["--sessions", str(options.sessions)] if options.sessions != Options.sessions else []
    given += ["--shutdowns"] if options.shutdowns else []
    given += ["--faults", options.faults] if options.faults else []
    given += ["--superblocks", str(options.superblocks)] if options.superblocks is not None else []
    given += ["--segments", str(options.segments)] if options.segments is not None else []
    return given


def _leveldb_arguments(options: Options) -> list[str]:
    for flag, given in (
        ("--exhaustive", options.exhaustive),
        ("--orders", options.orders is not None),
        ("--commands", options.commands != Options.commands),
    ):
        if given:
            raise OptionError(f"{flag}: cannot be combined with --leveldb")
    if random := _random_arguments(options):
        raise OptionError(f"{random[0]}: cannot be combined with --leveldb")
    modes = [word for mode in options.modes for word in ("--mode", str(mode))]
    return ["--device", options.device, "--seed", str(options.seed), "--cuts", str(options.cuts), *modes]


# In place of a script: random commands, on devices that lose their power many times. Each mutant is found in fewer cuts.
MUTANT_SESSIONS = {
    "sessions": Options(cuts=20_000, sessions=40, commands=1500, superblocks=8),
    "sessions-shutdowns": Options(cuts=20_000, sessions=40, commands=1500, superblocks=16, segments=68, shutdowns=True),
}


@dataclass(frozen=True)
class Mutant:
    """A defect of the model or of firmware, made on purpose."""

    name: str
    shown_by: str  # a script, or MUTANT_SESSIONS
    what: str

    @property
    def script(self) -> Path | None:
        return None if self.shown_by in MUTANT_SESSIONS else SCRIPTS / f"{self.shown_by}.txt"

    def arguments(self, options: Options) -> list[str]:
        """Of the program that looks for it."""
        if self.script is None:
            return arguments(replace(MUTANT_SESSIONS[self.shown_by], seed=options.seed))
        return arguments(replace(options, exhaustive=True, every=MUTANT_EVERY), (self.script,))


def mutants() -> list[Mutant]:
    """Those that MUTANT_LISTS list."""
    text = "".join((ROOT / name).read_text().replace("\\\n", " ") for name in MUTANT_LISTS)
    return [Mutant(*found) for found in re.findall(r'X\(\w+,\s*"([^"]+)",\s*"([^"]+)",\s*"([^"]+)"\)', text)]


def run_mutants(options: Options, build: Path = RELEASE) -> int:
    """Tests each mutant until it is found and prints one line for each. Exit code 1 if one is not found."""
    sampled = replace(options, exhaustive=False, orders=None, device=Device.model)
    found = 0
    for mutant in mutants():
        command = [str(build / "bin" / PROGRAM), *mutant.arguments(sampled), "--violations", "1"]
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
        print(f"{mutant.name}: {mutant.what}: {outcome} with {mutant.shown_by} ({lines[-1]})", flush=True)
    print(f"{len(mutants())} mutants, {found} found")
    return 0 if found == len(mutants()) else 1


def run(options: Options, program: Path | None = None) -> int:
    """Runs the program, which prints the result. Returns its exit code."""
    command = [str(program or RELEASE / "bin" / options.program), *arguments(options)]
    (BUILD / "reports").mkdir(parents=True, exist_ok=True)
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
