# SPDX-License-Identifier: Apache-2.0
"""`./openremap crash`: power cuts at events of flash and NVRAM, with a check of every page after recovery."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from launcher.bench import flash_options
from launcher.bench.bench_description import Mode
from launcher.bench.bench_options import CHOICES, LIMITS, Limit, OptionError
from launcher.env import steps
from launcher.env.paths import BUILD, CRASH_SCRIPTS, RELEASE, ROOT
from launcher.hw import facts
from launcher.spread import seeds
from launcher.spread.seeds import Seeds

PROGRAM = "crash"  # also the CMake target
LEVELDB = "crash-leveldb"  # also the CMake target
ROCKSDB = "crash-rocksdb"  # also the CMake target
MUTANTS = "orm_device_mutants"  # CMake target: the device with the seeded defects of MUTANT_LISTS
# File and macro of each list. The other macro of mutant.h lists those that lockstep must find.
MUTANT_LISTS = {"sim/fast/top/mutant.h": "ORM_MUTANT_LIST", "firmware/include/fw_mutant.h": "FW_MUTANT_LIST"}
MUTANT_EVERY = 3  # power is cut at every 3rd event of a mutant's script: each defect shows at three successive events
SCRIPTS = CRASH_SCRIPTS
REPRODUCER = BUILD / "reports" / "crash.txt"  # commands of the first violation
CUTS = Limit(1, 100_000_000)  # the same as the program's
EVERY = Limit(1, 1_000_000)
COMMANDS = Limit(1, 1_000_000)
SESSIONS = Limit(1, 10_000)
CUTS_A_RUN = Limit(1, 1_000_000)
CUTS_A_RUN_DEFAULT = "1; 20 on the soc"
ORDERS = Limit(1, 4)  # operations per sequence
ORDERS_WITH_SCRIPTS = 2
RUNS = LIMITS["blend_runs"]
SUPERBLOCKS = Limit(8, 64)
# Twice GC's reserve on the RTL; larger flash has a larger one, which the device checks.
SEGMENTS = Limit(2 * facts.params()["gcReserveSegments"], 2**32 - 1)


class Device(StrEnum):
    """The device whose power is cut."""

    model = "model"
    rtl = "rtl"
    soc = "soc"


class ValueLog(StrEnum):
    """Whether LevelDB's databases have a value log."""

    off = "off"
    on = "on"
    both = "both"


COLLECTORS = CHOICES["value_log_collector"]  # of a value log


@dataclass(frozen=True)
class Options:
    """Options of the command; its help texts describe them."""

    device: Device = Device.model
    exhaustive: bool = False
    every: int = 1
    cuts: int = 2000
    commands: int = 150
    seed: int = 1
    wide: bool = False
    geometry: str = ""
    leveldb: bool = False
    modes: tuple[Mode, ...] = tuple(Mode)  # LevelDB's
    value_log: ValueLog = ValueLog.both  # of LevelDB's databases
    collectors: tuple[str, ...] = ()  # of COLLECTORS, of its value logs, each in every mode; none: as the seed has it
    table_units: bool = False  # LevelDB's tables begin reclaim units, and it has no value log
    tight: bool = False  # LevelDB's devices are so small that space is short
    runs_rule: int | None = None  # mode blend has KVSSD's rule, with up to so many runs; None: its own
    rocksdb: bool = False
    orders: int | None = None  # None: no sequences; in an exhaustive run of all scripts ORDERS_WITH_SCRIPTS
    sessions: int = 1
    cuts_a_run: int | None = None  # None: the program's default
    shutdowns: bool = False
    stores: bool = False  # cut at the writes of the soc's CPU
    faults: str = ""
    cache: str = ""  # of the firmware
    firmware: str = ""  # what runs it
    superblocks: int | None = None  # None, here and below: the program's default
    segments: int | None = None

    @property
    def program(self) -> str:
        return LEVELDB if self.leveldb else ROCKSDB if self.rocksdb else PROGRAM


def arguments(options: Options, scripts: tuple[Path, ...] = ()) -> list[str]:
    """The program's arguments. Without `scripts`, an exhaustive run takes all scripts and sequences of operations.

    Raises OptionError for a number out of range and for options that exclude each other.
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
        ("--cuts-a-run", options.cuts_a_run, CUTS_A_RUN),
        ("--superblocks", options.superblocks, SUPERBLOCKS),
        ("--segments", options.segments, SEGMENTS),
        ("--runs-rule", options.runs_rule, RUNS),
    ):
        if wanted is not None:
            limit.check(flag, wanted)
    if options.geometry and (options.wide or options.device is not Device.model):
        raise OptionError("--geometry: requires --device model and excludes --wide, which sets a geometry")
    if options.device is Device.soc:
        if options.wide:
            raise OptionError("--wide: the soc has pages of one slot")
        if options.cache:
            raise OptionError("--cache: the soc has a cache of its own")
        if options.firmware not in ("", "native"):
            raise OptionError("--firmware: the soc has a processor of its own")
    elif options.stores:
        raise OptionError("--stores: requires --device soc, which has a CPU")
    if options.stores and (options.exhaustive or options.orders is not None):
        raise OptionError("--stores: only with random commands")
    if options.cuts_a_run is not None and options.sessions != Options.sessions:
        raise OptionError("--cuts-a-run: cannot be combined with --sessions")
    for flag, wrong in (
        ("--geometry", flash_options.wrong_geometry(options.geometry) if options.geometry else ""),
        ("--faults", flash_options.wrong_faults(options.faults)),
        ("--cache", flash_options.wrong_cache(options.cache)),
        ("--firmware", flash_options.wrong_firmware(options.firmware)),
    ):
        if wrong:
            raise OptionError(f"{flag}: {wrong}")
    random = _random_arguments(options)
    if (options.exhaustive or options.orders is not None) and random:
        raise OptionError(
            f"{random[0]}: not with --exhaustive or --orders, which choose the device and its commands themselves"
        )
    if not options.exhaustive and options.orders is None and options.every != 1:
        raise OptionError("--every: requires --exhaustive or --orders")
    for flag, changed in (
        ("--mode", options.modes != Options.modes),
        ("--value-log", options.value_log != Options.value_log),
        ("--collector", bool(options.collectors)),
        ("--table-units", options.table_units),
        ("--tight", options.tight),
        ("--runs-rule", options.runs_rule is not None),
    ):
        if changed and not options.leveldb:
            raise OptionError(f"{flag}: requires --leveldb")
    if options.collectors and options.value_log is ValueLog.off:
        raise OptionError("--collector: not with --value-log off")
    # The flash of tables' units has no room for a value log beside them.
    if options.table_units and (options.collectors or options.value_log is ValueLog.on):
        raise OptionError("--table-units: there is no value log then")
    if options.tight and options.table_units:
        raise OptionError("--tight: not with --table-units")
    if options.runs_rule is not None and Mode.blend not in options.modes:
        raise OptionError("--runs-rule: is of mode blend, which --mode leaves out")
    if options.leveldb and options.rocksdb:
        raise OptionError("--rocksdb: cannot be combined with --leveldb")
    if options.leveldb or options.rocksdb:
        return _database_arguments(options, "--leveldb" if options.leveldb else "--rocksdb")
    common = ["--device", options.device, "--seed", str(options.seed), "--reproducer", str(REPRODUCER)]
    common += ["--cache", options.cache] if options.cache else []
    common += ["--firmware", options.firmware] if options.firmware else []
    common += ["--stores"] if options.stores else []
    if options.exhaustive:
        given = [str(script) for script in scripts or sorted(SCRIPTS.glob("*.txt"))]
        orders = [] if scripts else ["--orders", str(options.orders or ORDERS_WITH_SCRIPTS)]
        return [*common, "--exhaustive", "--every", str(options.every), *orders, "--script", *given]
    if options.orders is not None:
        return [*common, "--orders", str(options.orders), "--every", str(options.every)]
    return [*common, "--cuts", str(options.cuts), "--start-cuts", "3", "--commands", str(options.commands), *random]


def _random_arguments(options: Options) -> list[str]:
    """Arguments that apply to random commands only."""
    given = ["--wide"] if options.wide else []
    given += ["--geometry", options.geometry] if options.geometry else []
    given += ["--sessions", str(options.sessions)] if options.sessions != Options.sessions else []
    given += ["--cuts-a-run", str(options.cuts_a_run)] if options.cuts_a_run is not None else []
    given += ["--shutdowns"] if options.shutdowns else []
    given += ["--faults", options.faults] if options.faults else []
    given += ["--superblocks", str(options.superblocks)] if options.superblocks is not None else []
    given += ["--segments", str(options.segments)] if options.segments is not None else []
    return given


def _database_arguments(options: Options, database: str) -> list[str]:
    """Arguments of the program that runs a database; `database`: the option that asked for it."""
    for flag, given in (
        ("--exhaustive", options.exhaustive),
        ("--orders", options.orders is not None),
        ("--commands", options.commands != Options.commands),
        ("--cache", bool(options.cache)),
        ("--firmware", bool(options.firmware)),
        ("--stores", options.stores),
    ):
        if given:
            raise OptionError(f"{flag}: cannot be combined with {database}")
    if random := _random_arguments(options):
        raise OptionError(f"{random[0]}: cannot be combined with {database}")
    words = ["--device", options.device, "--seed", str(options.seed), "--cuts", str(options.cuts)]
    if options.leveldb:
        value_log = ValueLog.off if options.table_units else options.value_log
        words += [word for mode in options.modes for word in ("--mode", str(mode))]
        words += ["--table-units"] if options.table_units else []
        words += ["--tight"] if options.tight else []
        words += ["--value-log", value_log] if value_log != Options.value_log else []
        words += [word for name in options.collectors for word in ("--collector", name)]
        words += ["--runs-rule", "--blend-runs", str(options.runs_rule)] if options.runs_rule is not None else []
    return words


def parse_collectors(text: str) -> tuple[str, ...]:
    """The collectors of `copy,punch`, in that order; `each`: all. Raises OptionError for another name, or one twice."""
    if text == "each":
        return COLLECTORS
    names = tuple(name.strip() for name in text.split(",")) if text else ()
    for name in names:
        if name not in COLLECTORS:
            raise OptionError(f"--collector: '{name}' is none of each, {', '.join(COLLECTORS)}")
    if len(set(names)) != len(names):
        raise OptionError(f"--collector: '{text}' has a collector twice")
    return names


# In place of a script: random commands on devices with many power cuts. These cuts suffice to find each mutant.
MUTANT_SESSIONS = {
    "sessions": Options(cuts=20_000, sessions=40, commands=1500, superblocks=8),
    "sessions-shutdowns": Options(cuts=20_000, sessions=40, commands=1500, superblocks=16, segments=68, shutdowns=True),
}


@dataclass(frozen=True)
class Mutant:
    """A seeded defect of the model or the firmware."""

    name: str
    shown_by: str  # the script that reveals it, or MUTANT_SESSIONS
    what: str

    @property
    def script(self) -> Path | None:
        return None if self.shown_by in MUTANT_SESSIONS else SCRIPTS / f"{self.shown_by}.txt"

    def arguments(self, options: Options) -> list[str]:
        """Arguments of the program to find it."""
        if self.script is None:
            return arguments(replace(MUTANT_SESSIONS[self.shown_by], seed=options.seed))
        return arguments(replace(options, exhaustive=True, every=MUTANT_EVERY), (self.script,))


def mutants() -> list[Mutant]:
    """The mutants of MUTANT_LISTS."""
    return [Mutant(*found) for name, macro in MUTANT_LISTS.items() for found in listed_mutants(name, macro)]


def listed_mutants(name: str, macro: str) -> list[tuple[str, str, str]]:
    """Name, what shows it, and what is wrong, of each mutant that `macro` lists in the header `name`."""
    text = (ROOT / name).read_text().replace("\\\n", " ")
    listed = re.search(rf"#define {macro}\(X\)(.*)", text)
    assert listed is not None, f"{name} has no {macro}"
    return re.findall(r'X\((?:\w+,\s*)?"([^"]+)",\s*"([^"]+)",\s*"([^"]+)"\)', listed[1])


def run_mutants(options: Options, build: Path = RELEASE) -> int:
    """Runs the explorer with each mutant until it finds a violation. Prints a line each; returns 1 if one is missed."""
    sampled = replace(options, exhaustive=False, orders=None, device=Device.model)
    (BUILD / "reports").mkdir(parents=True, exist_ok=True)
    found = 0
    for mutant in mutants():
        command = [str(build / "bin" / PROGRAM), *mutant.arguments(sampled), "--violations", "1"]
        # Firmware that takes no time meets more of what the hardware has under way.
        env = os.environ | {"OPENREMAP_MUTANT": mutant.name, "OPENREMAP_FW_CPU": "none"}
        env["LD_LIBRARY_PATH"] = str(build / "sim" / "mutants")
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=env, text=True, check=False
        )
        lines = done.stdout.strip().splitlines() or [""]
        # A program that fails for another reason does not print this line, whatever its exit code.
        if not re.fullmatch(r".*\d+ cuts, \d+ violations", lines[-1]) or done.returncode not in (0, 1):
            print(f"{mutant.name}: the explorer failed ({steps.exit_text(done.returncode)})")
            continue
        found += done.returncode
        outcome = "found" if done.returncode else "NOT found"
        print(f"{mutant.name}: {mutant.what}: {outcome} with {mutant.shown_by} ({lines[-1]})", flush=True)
    print(f"{len(mutants())} mutants, {found} found")
    return 0 if found == len(mutants()) else 1


def run_seeds(options: Options, chosen: Seeds, program: Path | None = None) -> int:
    """Runs the program with each seed and prints the sums of their cuts and violations. Returns the exit code."""

    def of(seed: int) -> list[str]:
        return arguments(replace(options, seed=seed))

    return seeds.run(options.program, of, chosen, seeds.sums("{} cuts, {} violations"), REPRODUCER, program)


def run(options: Options, program: Path | None = None) -> int:
    """Runs the program, whose output is the result. Returns its exit code."""
    command = [str(program or RELEASE / "bin" / options.program), *arguments(options)]
    (BUILD / "reports").mkdir(parents=True, exist_ok=True)
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
