# SPDX-License-Identifier: Apache-2.0
"""Commands of ./openremap that look for defects: power cuts, a Linux guest, proofs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from launcher.bench.bench_options import OptionError, limits_text, parse_modes
from launcher.cli import documents
from launcher.env import build as builder
from launcher.env import setup
from launcher.guest import guest as guests
from launcher.guest import guest_machine
from launcher.hw import formal as proofs
from launcher.suites import crash as cutting

_CRASH = cutting.Options()


def crash(
    exhaustive: Annotated[
        bool,
        typer.Option("--exhaustive", help="Every cut point of the scripts in verify/crash/scripts, and of --orders."),
    ] = False,
    orders: Annotated[
        int | None,
        typer.Option(
            help="Every cut point of so many of eight operations after each other (write, vector, trim, copy, flush, "
            "collection, destaging, format), in all orders; with --exhaustive beside the scripts, else alone. "
            f"[{cutting.ORDERS}]",
            show_default=f"with --exhaustive {cutting.ORDERS_WITH_SCRIPTS}, else none",
        ),
    ] = _CRASH.orders,
    every: Annotated[
        int,
        typer.Option(help=f"With --exhaustive or --orders: every so manieth. [{cutting.EVERY}]"),
    ] = _CRASH.every,
    device: Annotated[
        cutting.Device, typer.Option(help="model: the fast model; rtl: the Verilated controller.")
    ] = _CRASH.device,
    cuts: Annotated[
        int,
        typer.Option(help=f"Of random commands; with --leveldb in each mode. [{cutting.CUTS}]"),
    ] = _CRASH.cuts,
    commands: Annotated[int, typer.Option(help=f"Random ones of a run. [{cutting.COMMANDS}]")] = _CRASH.commands,
    seed: Annotated[int, typer.Option(help="Of the commands and the cuts." + limits_text("seed"))] = _CRASH.seed,
    wide: Annotated[bool, typer.Option("--wide", help="Flash pages of four slots.")] = False,
    geometry: Annotated[
        str,
        typer.Option(help="Random commands: CHANNELSxDIESxBLOCKSxPAGES[xSLOTS] of the model's flash, 4x2x64x64."),
    ] = _CRASH.geometry,
    sessions: Annotated[
        int,
        typer.Option(
            help=f"Random commands: power cuts in one run, each with other commands after it. [{cutting.SESSIONS}]"
        ),
    ] = _CRASH.sessions,
    shutdowns: Annotated[
        bool,
        typer.Option(
            "--shutdowns",
            help="Random commands: resets and power cycles come after a shutdown, and each run has one more.",
        ),
    ] = False,
    faults: Annotated[
        str,
        typer.Option(help="Random commands: what goes wrong in flash, erase-fail=0.02 (docs/design/simulation.md)."),
    ] = _CRASH.faults,
    superblocks: Annotated[
        int | None,
        typer.Option(
            help=f"Random commands: size of the device. [{cutting.SUPERBLOCKS}]",
            show_default="8",
        ),
    ] = _CRASH.superblocks,
    segments: Annotated[
        int | None,
        typer.Option(
            help="Random commands: segments of the remap table that are used; few make chains go to flash. "
            f"[{cutting.SEGMENTS}]",
            show_default="all",
        ),
    ] = _CRASH.segments,
    mutants: Annotated[
        bool, typer.Option("--mutants", help="Defects made on purpose must each be found instead (model).")
    ] = False,
    leveldb: Annotated[
        bool, typer.Option("--leveldb", help="Under LevelDB on PageFS: no synced key may be lost, in any mode.")
    ] = False,
    mode: Annotated[str, typer.Option(help="With --leveldb: comma-separated modes of `bench`.")] = ",".join(
        _CRASH.modes
    ),
) -> None:
    """Cut the power, let the device recover, check every page and the tables.

    At events of flash and NVRAM, while commands run, while the device starts and while it formats itself. Without
    --exhaustive the commands and the cuts are random; with --leveldb a database runs, and is opened and compared after each
    cut. Last line: N cuts, N violations; exit code 1 when there are some, with
    the line that shows the first again.
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
        orders=orders,
        sessions=sessions,
        shutdowns=shutdowns,
        faults=faults,
        superblocks=superblocks,
        segments=segments,
    )
    cutting.arguments(options)
    if leveldb and mutants:
        raise OptionError("--mutants: not with --leveldb")
    if orders is not None and mutants:
        raise OptionError("--orders: not with --mutants, which have a script each")
    setup.ensure_tools().activate()
    builder.everything((options.program, *([cutting.MUTANTS] if mutants else [])))
    if mutants:
        raise typer.Exit(cutting.run_mutants(options))
    raise typer.Exit(cutting.run(options))


_GUEST = guests.Options()


def guest(
    device: Annotated[
        guests.Device, typer.Option(help="model: the fast model; rtl: the Verilated controller.")
    ] = _GUEST.device,
    image: Annotated[
        Path | None, typer.Option(help="Folder of the disk's flash and NVRAM, kept.", show_default="in memory")
    ] = _GUEST.image,
    memory: Annotated[int, typer.Option(help=f"Of the guest, MiB. [{guests.MEMORY}]")] = _GUEST.memory,
    smp: Annotated[int, typer.Option(help=f"CPUs of the guest, each with queues. [{guests.CPUS}]")] = _GUEST.smp,
    run: Annotated[
        Path | None, typer.Option(help="Shell script to run in the guest.", show_default="an interactive shell")
    ] = _GUEST.run,
    geometry: Annotated[
        str | None,
        typer.Option(
            help="Flash of the model, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS].",
            show_default=f"{guests.MODEL_GEOMETRY}, 1 GiB",
        ),
    ] = _GUEST.geometry,
    trace: Annotated[Path | None, typer.Option(help="Waveform of the rtl (.fst). Large.")] = _GUEST.trace,
    seed: Annotated[int, typer.Option(help="Of what the models draw by chance." + limits_text("seed"))] = _GUEST.seed,
) -> None:
    """Boot Linux with the device as its NVMe disk.

    A stock kernel with its own NVMe driver in QEMU, with nvme-cli, fio and e2fsprogs. The first use fetches QEMU and the
    guest from a Debian mirror into the cache folder. Gives a shell, or runs a script and ends with its exit code.
    """
    options = guests.Options(device, image, memory, smp, run, geometry, trace, seed)
    guests.check(options)
    setup.ensure_tools().activate()
    builder.everything(guest_machine.PROGRAMS)
    raise typer.Exit(guests.run(options) if run else guests.shell(options))


_FORMAL = proofs.Options()


def formal(
    unit: Annotated[list[str] | None, typer.Option(help="A hardware unit; may be given again. None: all.")] = None,
    depth: Annotated[
        int | None,
        typer.Option(help=f"Cycles of the bounded checks. [{proofs.DEPTH}]", show_default="each its own"),
    ] = _FORMAL.depth,
    jobs: Annotated[int, typer.Option(help=f"Units at a time. [{proofs.JOBS}]")] = _FORMAL.jobs,
    minutes: Annotated[int, typer.Option(help=f"One check may take that long. [{proofs.MINUTES}]")] = _FORMAL.minutes,
    mutants: Annotated[
        bool, typer.Option("--mutants/--no-mutants", help="Put a fault into each unit that must be found.")
    ] = _FORMAL.mutants,
    json: Annotated[Path, typer.Option(help="Where the results go.")] = _FORMAL.json,
) -> None:
    """Prove properties of hardware units.

    With Yosys and Z3, on the smallest configuration of each unit: for a number of cycles from reset, and by induction,
    where it closes, for ever. A violated property ends with exit code 1 and a waveform that shows how it comes about.
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
