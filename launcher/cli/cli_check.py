# SPDX-License-Identifier: Apache-2.0
"""Commands of ./openremap that look for defects: crash, fuzz, guest and formal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from launcher.bench.bench_options import DEVICE_HELP, OptionError, help_text, limits_text, parse_modes
from launcher.cli import cli_spread, documents
from launcher.env import build as builder
from launcher.env import setup
from launcher.guest import guest as guests
from launcher.guest import guest_machine
from launcher.hw import formal as proofs
from launcher.suites import crash as cutting
from launcher.suites import fuzz as fuzzing

_CRASH = cutting.Options()


def crash(
    exhaustive: Annotated[
        bool,
        typer.Option(
            "--exhaustive",
            help="Cut at every point of the scripts in verify/crash/scripts and of the sequences of --orders.",
        ),
    ] = False,
    orders: Annotated[
        int | None,
        typer.Option(
            help="Length of operation sequences; every sequence of this length is cut at every point. The operations "
            "are write, vector, trim, copy, flush, collection, destaging and format. With --exhaustive the scripts "
            f"run as well. [{cutting.ORDERS}]",
            show_default=f"with --exhaustive {cutting.ORDERS_WITH_SCRIPTS}, else none",
        ),
    ] = _CRASH.orders,
    every: Annotated[
        int,
        typer.Option(help=f"With --exhaustive or --orders: test only every Nth cut point. [{cutting.EVERY}]"),
    ] = _CRASH.every,
    device: Annotated[cutting.Device, typer.Option(help=DEVICE_HELP)] = _CRASH.device,
    cuts: Annotated[
        int,
        typer.Option(
            help="Random commands: number of power cuts; with --leveldb, in each mode, with and without a value log, "
            f"with each --collector. [{cutting.CUTS}]"
        ),
    ] = _CRASH.cuts,
    commands: Annotated[
        int, typer.Option(help=f"Random commands: number of commands in a run. [{cutting.COMMANDS}]")
    ] = _CRASH.commands,
    seed: Annotated[
        int, typer.Option(help="Seed of the random commands and cut points." + limits_text("seed"))
    ] = _CRASH.seed,
    wide: Annotated[
        bool, typer.Option("--wide", help="Use the variant with flash pages of four slots (16 KiB).")
    ] = False,
    geometry: Annotated[
        str,
        typer.Option(
            help="Random commands: flash geometry of the model, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS], "
            "for example 4x2x64x64."
        ),
    ] = _CRASH.geometry,
    sessions: Annotated[
        int,
        typer.Option(
            help="Random commands: number of power cuts in one run; other commands follow each of them. "
            f"[{cutting.SESSIONS}]"
        ),
    ] = _CRASH.sessions,
    cuts_a_run: Annotated[
        int | None,
        typer.Option(
            help="Random commands: number of events of a run at which power is cut, each time from the same beginning. "
            f"[{cutting.CUTS_A_RUN}]",
            show_default=cutting.CUTS_A_RUN_DEFAULT,
        ),
    ] = _CRASH.cuts_a_run,
    stores: Annotated[
        bool,
        typer.Option(
            "--stores",
            help="With --device soc: cut at writes of its CPU to DRAM and NVRAM, too: every second random cut.",
        ),
    ] = False,
    shutdowns: Annotated[
        bool,
        typer.Option(
            "--shutdowns",
            help="Random commands: shut the device down before each reset and power cycle, and once more in each run.",
        ),
    ] = False,
    faults: Annotated[
        str,
        typer.Option(
            help="Random commands: flash faults to inject, for example erase-fail=0.02 (docs/design/simulation.md)."
        ),
    ] = _CRASH.faults,
    cache: Annotated[str, typer.Option(help=help_text("cache"))] = _CRASH.cache,
    firmware: Annotated[str, typer.Option(help=help_text("firmware"))] = _CRASH.firmware,
    superblocks: Annotated[
        int | None,
        typer.Option(
            help=f"Random commands: flash size in superblocks. [{cutting.SUPERBLOCKS}]",
            show_default="8",
        ),
    ] = _CRASH.superblocks,
    segments: Annotated[
        int | None,
        typer.Option(
            help="Random commands: number of remap-table segments in use. With few segments, chains are written to "
            f"flash. [{cutting.SEGMENTS}]",
            show_default="all",
        ),
    ] = _CRASH.segments,
    mutants: Annotated[
        bool,
        typer.Option(
            "--mutants",
            help="Instead, inject known defects into the model or the firmware; each of them must be found.",
        ),
    ] = False,
    leveldb: Annotated[
        bool,
        typer.Option("--leveldb", help="Run LevelDB on PageFS instead of commands; a synced key must never be lost."),
    ] = False,
    mode: Annotated[
        str, typer.Option(help="With --leveldb: comma-separated list of the modes to test (see `bench`).")
    ] = ",".join(_CRASH.modes),
    value_log: Annotated[
        cutting.ValueLog, typer.Option(help="With --leveldb: whether the databases have a value log.")
    ] = _CRASH.value_log,
    collector: Annotated[
        str,
        typer.Option(
            help="With --leveldb: comma-separated list of the collectors of value logs to test, each in every mode "
            f"({', '.join(cutting.COLLECTORS)}, or each).",
            show_default="as the seed has it",
        ),
    ] = "",
    table_units: Annotated[
        bool,
        typer.Option(
            "--table-units",
            help="With --leveldb: each table begins a reclaim unit (`bench --placement table`), and there is no value "
            "log.",
        ),
    ] = False,
    tight: Annotated[
        bool,
        typer.Option(
            "--tight",
            help="With --leveldb: the devices are nearly full, so that modes give space back. There is no value log "
            "unless --value-log on is given.",
        ),
    ] = False,
    runs_rule: Annotated[
        int | None,
        typer.Option(
            help="With --leveldb: mode blend attaches by KVSSD's rule, with up to so many sorted runs in a table. "
            f"[{cutting.RUNS}]",
            show_default="the rule of blend",
        ),
    ] = _CRASH.runs_rule,
    rocksdb: Annotated[
        bool,
        typer.Option("--rocksdb", help="Run RocksDB on PageFS instead of commands; a synced key must never be lost."),
    ] = False,
    seeds: cli_spread.Seeds = 1,
    jobs: cli_spread.Jobs = None,
    scheduler: cli_spread.Scheduler = "",
    tls: cli_spread.Tls = None,
) -> None:
    """Cut the power, let the device recover, and check every page and table.

    Cuts the power at flash and NVRAM events: while commands run, while the device starts and while it formats itself.
    Commands and cut points are random unless --exhaustive or --orders is given. With --leveldb or --rocksdb a database
    runs, and is opened and compared after each cut. The last line is `N cuts, N violations`. If there are violations,
    the exit code is 1 and a line tells how to reproduce the first one. With several seeds it is the sum over them.
    """
    options = cutting.Options(
        device=device,
        exhaustive=exhaustive,
        every=every,
        cuts=cuts,
        commands=commands,
        seed=seed,
        wide=wide,
        geometry=geometry,
        leveldb=leveldb,
        modes=parse_modes(mode),
        value_log=value_log,
        collectors=cutting.parse_collectors(collector),
        table_units=table_units,
        tight=tight,
        runs_rule=runs_rule,
        rocksdb=rocksdb,
        orders=orders,
        sessions=sessions,
        cuts_a_run=cuts_a_run,
        stores=stores,
        shutdowns=shutdowns,
        faults=faults,
        cache=cache,
        firmware=firmware,
        superblocks=superblocks,
        segments=segments,
    )
    cutting.arguments(options)
    chosen = cli_spread.seeds_from(seed, seeds, jobs, scheduler, tls)
    if mutants and not chosen.alone:
        raise OptionError("--mutants: cannot be combined with --seeds or --scheduler")
    if (leveldb or rocksdb) and mutants:
        raise OptionError(f"--mutants: cannot be combined with {'--leveldb' if leveldb else '--rocksdb'}")
    if orders is not None and mutants:
        raise OptionError("--orders: cannot be combined with --mutants: each mutant has its own script")
    setup.ensure_tools().activate()
    builder.everything(
        (options.program, *([cutting.MUTANTS] if mutants else [])), with_soc=device is cutting.Device.soc
    )
    if mutants:
        raise typer.Exit(cutting.run_mutants(options))
    raise typer.Exit(cutting.run(options) if chosen.alone else cutting.run_seeds(options, chosen))


_FUZZ = fuzzing.Options()


def fuzz(
    device: Annotated[cutting.Device, typer.Option(help=DEVICE_HELP)] = _FUZZ.device,
    entries: Annotated[
        int, typer.Option(help=f"Number of submission queue entries. [{fuzzing.ENTRIES}]")
    ] = _FUZZ.entries,
    seed: Annotated[int, typer.Option(help="Seed of the entries and accesses." + limits_text("seed"))] = _FUZZ.seed,
    geometry: Annotated[
        str,
        typer.Option(
            help="Flash geometry, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]; the RTL takes only those that it is built for."
        ),
    ] = _FUZZ.geometry,
    stalls: Annotated[bool, typer.Option("--stalls", help="Stall the buses of the RTL's memories and flash.")] = False,
    cache: Annotated[str, typer.Option(help=help_text("cache"))] = _FUZZ.cache,
    firmware: Annotated[str, typer.Option(help=help_text("firmware"))] = _FUZZ.firmware,
    seeds: cli_spread.Seeds = 1,
    jobs: cli_spread.Jobs = None,
    scheduler: cli_spread.Scheduler = "",
    tls: cli_spread.Tls = None,
) -> None:
    """Send a device entries and register accesses that are mostly wrong.

    It must answer what it must, never hang or stop, come back from every reset, and keep the data that no command may
    have touched. The exit code is 1 if it does not.
    """
    options = fuzzing.Options(
        device=device,
        entries=entries,
        seed=seed,
        geometry=geometry,
        stalls=stalls,
        cache=cache,
        firmware=firmware,
    )
    fuzzing.arguments(options)
    chosen = cli_spread.seeds_from(seed, seeds, jobs, scheduler, tls)
    setup.ensure_tools().activate()
    builder.everything((fuzzing.PROGRAM,), with_soc=device is cutting.Device.soc)
    raise typer.Exit(fuzzing.run(options) if chosen.alone else fuzzing.run_seeds(options, chosen))


_GUEST = guests.Options()


def guest(
    device: Annotated[guests.Device, typer.Option(help=DEVICE_HELP)] = _GUEST.device,
    image: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder that keeps a disk's flash and NVRAM images; repeated, one disk each.", show_default="in memory"
        ),
    ] = None,
    reserve_image: Annotated[
        bool,
        typer.Option(
            "--reserve-image",
            help="Reserve the space of the whole image first, so that its file system cannot fill up later.",
        ),
    ] = _GUEST.reserve_image,
    devices: Annotated[
        int,
        typer.Option(
            help=f"Number of disks; those without --image are in memory. [{guests.DEVICES}]",
            show_default="that of --image, at least 1",
        ),
    ] = _GUEST.devices,
    serial: Annotated[
        list[str] | None,
        typer.Option(
            help="Serial number of a disk, 1 to 20 characters; repeated, in the order of the disks.",
            show_default="the image's; random for a new image and in memory",
        ),
    ] = None,
    new_identity: Annotated[
        bool,
        typer.Option(
            "--new-identity",
            help="Give each --image another serial number and other identifiers: for copies of images.",
        ),
    ] = _GUEST.new_identity,
    memory: Annotated[int, typer.Option(help=f"Memory of the guest in MiB. [{guests.MEMORY}]")] = _GUEST.memory,
    smp: Annotated[
        int, typer.Option(help=f"Number of CPUs of the guest; each has its own I/O queues. [{guests.CPUS}]")
    ] = _GUEST.smp,
    run: Annotated[
        Path | None, typer.Option(help="Shell script to run in the guest.", show_default="an interactive shell")
    ] = _GUEST.run,
    geometry: Annotated[
        str | None,
        typer.Option(
            help="Flash geometry of the model, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS].",
            show_default=f"{guests.MODEL_GEOMETRY}, which is 1 GiB",
        ),
    ] = _GUEST.geometry,
    trace: Annotated[
        Path | None,
        typer.Option(help="Write a waveform of the first rtl or soc to this file (.fst). The file is large."),
    ] = _GUEST.trace,
    seed: Annotated[
        int, typer.Option(help="Seed of the models' random behaviour." + limits_text("seed"))
    ] = _GUEST.seed,
) -> None:
    """Boot Linux with the device as its NVMe disk, or with several devices.

    Runs a stock kernel with its own NVMe driver in QEMU, with nvme-cli, fio and e2fsprogs. The first use downloads QEMU
    and the guest from a Debian mirror into the cache folder. Gives a shell, or runs a script and ends with its exit
    code.
    """
    images = image or []
    options = guests.Options(
        device=device,
        image=images[0] if images else None,
        more_images=tuple(images[1:]),
        devices=devices,
        serials=tuple(serial or ()),
        new_identity=new_identity,
        reserve_image=reserve_image,
        memory=memory,
        smp=smp,
        run=run,
        geometry=geometry,
        trace=trace,
        seed=seed,
    )
    guests.check(options)
    setup.ensure_tools().activate()
    with_soc = device is guests.Device.soc
    builder.everything(guest_machine.PROGRAMS, with_soc=with_soc, soc_waveforms=with_soc and trace is not None)
    raise typer.Exit(guests.run(options) if run else guests.shell(options))


_FORMAL = proofs.Options()


def formal(
    unit: Annotated[
        list[str] | None, typer.Option(help="Hardware unit to prove; may be repeated.", show_default="all units")
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(help=f"Number of cycles of the bounded checks. [{proofs.DEPTH}]", show_default="set by each unit"),
    ] = _FORMAL.depth,
    jobs: Annotated[int, typer.Option(help=f"Number of units in parallel. [{proofs.JOBS}]")] = _FORMAL.jobs,
    minutes: Annotated[
        int, typer.Option(help=f"Time limit of one check, in minutes. [{proofs.MINUTES}]")
    ] = _FORMAL.minutes,
    mutants: Annotated[
        bool, typer.Option("--mutants/--no-mutants", help="Also put a fault into each unit; the proof must find it.")
    ] = _FORMAL.mutants,
    json: Annotated[
        Path, typer.Option(help="File for the results.", show_default="formal/formal.json in the build folder")
    ] = _FORMAL.json,
) -> None:
    """Prove properties of hardware units.

    Uses Yosys and Z3 on the smallest configuration of each unit. Checks every property for a bounded number of cycles
    from reset, and by induction where the induction closes, which proves it for any number of cycles. A violated
    property ends with exit code 1 and a waveform of the violation.
    """
    options = proofs.Options(
        units=tuple(unit or ()), depth=depth, jobs=jobs, minutes=minutes, mutants=mutants, json=json
    )
    proofs.check(options)
    setup.ensure_tools().activate()
    results = proofs.run(options)
    documents.write(proofs.as_json(results), json)
    Console(highlight=False).print(proofs.table(results))
    print(f"results: {json}")
    if any(result.failures for result in results):
        raise typer.Exit(1)
