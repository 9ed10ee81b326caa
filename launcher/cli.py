# SPDX-License-Identifier: Apache-2.0
"""Command line of ./openremap. What is wrong with an option is told in one line, exit code 2, before anything runs."""

from __future__ import annotations

import shutil
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from launcher import bench as runner
from launcher import (
    bench_options,
    bench_report,
    guest_machine,
    guest_packages,
    leveldb_packages,
    rtl,
    setup,
    steps,
    suites,
    unpacked_packages,
)
from launcher import build as builder
from launcher import coverage as counting
from launcher import crash as cutting
from launcher import experiment as trials
from launcher import experiment_reflink as trial_reflinks
from launcher import experiment_report as trial_report
from launcher import formal as proofs
from launcher import guest as guests
from launcher import hwbench as hw
from launcher import synth as synthesis
from launcher.bench_options import (
    LIMITS,
    BenchOptions,
    Device,
    OptionError,
    Workload,
    check_file,
    flash_bytes,
    parse_modes,
)
from launcher.paths import BUILD, CODE_COVERAGE, RELEASE, ROOT

app = typer.Typer(
    name="openremap",
    help="OpenRemap: an open SSD controller whose mapping table the host can edit. Sets itself up at the first use.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_DEFAULTS = BenchOptions()


def _range(name: str) -> str:
    limit = LIMITS[name]
    return f" [{limit.low}..{limit.high}]"


def _sized(name: str) -> str:
    small, large = (getattr(bench_options.sizes(Device.model, num, 16, 984), name) for num in (1, 10**6))
    return f"{small}; on the model with more than {bench_options.SMALL_BYTES >> 20} MiB of data {large}"


@app.command()
def bench(
    workload: Annotated[Workload, typer.Argument(help="What runs on LevelDB.")] = _DEFAULTS.workload,
    device: Annotated[
        Device, typer.Option(help="rtl: the Verilated controller; model: a fast model of it.")
    ] = _DEFAULTS.device,
    mode: Annotated[
        str,
        typer.Option(
            help="Comma-separated: off (stock LevelDB), base, retain, fill, skip, blend. The first is the reference."
        ),
    ] = ",".join(_DEFAULTS.modes),
    num: Annotated[int, typer.Option(help="Operations, and size of the key space." + _range("num"))] = _DEFAULTS.num,
    operations: Annotated[
        int,
        typer.Option(
            help="Operations, where they are not --num: of all workloads but reads; 0: as many as --num."
            + _range("operations"),
        ),
    ] = _DEFAULTS.operations,
    value_size: Annotated[int, typer.Option(help="Bytes of a value." + _range("value_size"))] = _DEFAULTS.value_size,
    value_size_max: Annotated[
        int,
        typer.Option(
            help="Sizes from --value-size to this one are as likely; 0: all the same." + _range("value_size_max"),
        ),
    ] = _DEFAULTS.value_size_max,
    key_size: Annotated[int, typer.Option(help="Bytes of a key." + _range("key_size"))] = _DEFAULTS.key_size,
    seed: Annotated[int, typer.Option(help="Of keys and values." + _range("seed"))] = _DEFAULTS.seed,
    write_buffer: Annotated[
        int | None, typer.Option(help="Memtable, bytes." + _range("write_buffer"), show_default=_sized("write_buffer"))
    ] = None,
    max_file_size: Annotated[
        int | None, typer.Option(help="Table, bytes." + _range("max_file_size"), show_default=_sized("max_file_size"))
    ] = None,
    level1_bytes: Annotated[
        int | None,
        typer.Option(help="Size limit of level 1." + _range("level1_bytes"), show_default=_sized("level1_bytes")),
    ] = None,
    level_ratio: Annotated[
        int | None,
        typer.Option(
            help="Size of a level over the one above it." + _range("level_ratio"), show_default=_sized("level_ratio")
        ),
    ] = None,
    fill_space: Annotated[
        int,
        typer.Option(
            help="Modes fill, skip and blend: percent of a compaction's output that kept blocks may take beyond what "
            "their entries fill." + _range("fill_space")
        ),
    ] = _DEFAULTS.fill_space,
    last_level_ratio: Annotated[
        int,
        typer.Option(
            help="Mode blend: all data over what the level above the deepest one may have; 0: levels as in the other modes."
            + _range("last_level_ratio")
        ),
    ] = _DEFAULTS.last_level_ratio,
    blend_runs: Annotated[
        int,
        typer.Option(
            help="Mode blend: sorted runs that a table may have; one more, and it is merged." + _range("blend_runs")
        ),
    ] = _DEFAULTS.blend_runs,
    blend_space: Annotated[
        int,
        typer.Option(
            help="Mode blend: what the newer runs of a table may hold, percent of its oldest one and of what lies under "
            "it." + _range("blend_space")
        ),
    ] = _DEFAULTS.blend_space,
    blend_filter_bits: Annotated[
        int,
        typer.Option(
            help="Mode blend: bits a key of the tables' Bloom filters where --bloom-bits is 0; 0: none, and at most three "
            "runs." + _range("blend_filter_bits")
        ),
    ] = _DEFAULTS.blend_filter_bits,
    bloom_bits: Annotated[
        int,
        typer.Option(
            help="Bits a key of the tables' Bloom filters, in all modes; 0: none, but for mode blend."
            + _range("bloom_bits")
        ),
    ] = _DEFAULTS.bloom_bits,
    superblocks: Annotated[
        int | None,
        typer.Option(
            help="Flash size in superblocks; 0: all the hardware has." + _range("superblocks"),
            show_default=_sized("superblocks"),
        ),
    ] = None,
    geometry: Annotated[
        str | None,
        typer.Option(
            help="Flash of the model, CHANNELSxDIESxBLOCKSxPAGES[xSLOTS], e.g. 8x4x512x256 for 16 GiB, "
            "8x4x512x64x4 for the same in pages of 16 KiB.",
            show_default="that of the rtl; 2.5 times the data where that is more",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Modes that run at a time." + _range("jobs"))] = _DEFAULTS.jobs,
    json: Annotated[
        Path, typer.Option(help="Where the results go.", show_default="bench/bench.json in the build folder")
    ] = _DEFAULTS.json,
    plot: Annotated[
        Path, typer.Option(help="Where the picture goes (.png).", show_default="bench/bench.png in the build folder")
    ] = _DEFAULTS.plot,
    image_dir: Annotated[
        Path | None, typer.Option(help="Keep flash and NVRAM images here, one new folder a mode.")
    ] = _DEFAULTS.image_dir,
    trace_dir: Annotated[
        Path | None, typer.Option(help="Write a waveform (.fst) a mode here. Large: use with a small --num.")
    ] = _DEFAULTS.trace_dir,
    trace: Annotated[
        Path | None, typer.Option(help="Write the operations of fillzipfian, ycsb* or mix* here, for --replay.")
    ] = _DEFAULTS.trace,
    replay: Annotated[
        Path | None,
        typer.Option(help="Run the operations of this file, with the records, sizes and seed it was written with."),
    ] = _DEFAULTS.replay,
) -> None:
    """Run LevelDB on the controller, compare modes.

    One workload, once per mode, so that write amplification can be compared. Every key is read back and compared
    afterwards. Prints a table, writes the same as JSON and one PNG.
    """
    value = bench_options.usual_value(workload, value_size, value_size_max)
    usual = bench_options.sizes(device, num + operations, key_size, value)
    options = BenchOptions(
        workload=workload,
        device=device,
        modes=parse_modes(mode),
        num=num,
        operations=operations,
        value_size=value_size,
        value_size_max=value_size_max,
        key_size=key_size,
        seed=seed,
        write_buffer=usual.write_buffer if write_buffer is None else write_buffer,
        max_file_size=usual.max_file_size if max_file_size is None else max_file_size,
        level1_bytes=usual.level1_bytes if level1_bytes is None else level1_bytes,
        level_ratio=usual.level_ratio if level_ratio is None else level_ratio,
        fill_space=fill_space,
        last_level_ratio=last_level_ratio,
        blend_runs=blend_runs,
        blend_space=blend_space,
        blend_filter_bits=blend_filter_bits,
        bloom_bits=bloom_bits,
        superblocks=usual.superblocks if superblocks is None else superblocks,
        geometry=usual.geometry if geometry is None else geometry,
        jobs=jobs,
        json=json,
        plot=plot,
        image_dir=image_dir,
        trace_dir=trace_dir,
        trace=trace,
        replay=replay,
    )
    bench_options.check(options)
    setup.ensure_tools().activate()
    builder.everything((runner.PROGRAM,))
    jobs_now = runner.jobs_that_fit(options)
    if jobs_now < options.jobs:
        print(
            f"modes at a time: {jobs_now}, not {options.jobs}: each device takes {flash_bytes(options) / 2**30:.1f} GiB"
        )
        options = replace(options, jobs=jobs_now)
    document = runner.run_all(options, [str(runner.program())])
    runner.write_document(document, options.json)
    bench_report.plot(document, options.plot)
    Console(highlight=False).print(bench_report.table(document))
    print(f"results: {options.json}\npicture: {options.plot}")


@app.command()
def experiment(
    paper: Annotated[trials.Paper, typer.Argument(help="remapcom: RemapCom, Micromachines 2025.")],
    scale: Annotated[
        trials.Scale,
        typer.Option(
            help="small: megabytes, minutes; medium: 2 GiB of puts, hours; full: the paper's amounts, longer, much memory."
        ),
    ] = trials.Scale.small,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the results.", show_default="experiment/SCALE in the build folder"),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Runs at a time." + _range("jobs"))] = _DEFAULTS.jobs,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Run nothing: the report of what is finished in all modes.")
    ] = False,
) -> None:
    """Rerun a paper's evaluation on the model.

    Every workload in every mode, with the paper's figures beside ours: one HTML page and all results as JSON. Uniform puts
    over reflinks of XFS, too, where this machine lets us mount it (root). Started again with the same folder it goes on
    where it ended.
    """
    if not LIMITS["jobs"].low <= jobs <= LIMITS["jobs"].high:
        raise OptionError(f"--jobs: {jobs} is not between {LIMITS['jobs'].low} and {LIMITS['jobs'].high}")
    folder = out or BUILD / "experiment" / scale
    check_file("--out", folder / "report.html")
    wanted, over_reflinks = trials.cases(scale), trial_reflinks.cases(scale)
    if report_only:
        trials.check_mark(folder, scale)
        results = trials.gather(wanted, folder)
        if not results:
            raise OptionError(f"--report-only: {folder} has no case that is finished in all modes")
        trials.mark(folder, scale)  # not before: a folder that is named wrongly is not to be made
        steps.console.print(f"{len(results)} of {len(wanted)} cases are finished in all modes")
        reflinks = trial_reflinks.report(over_reflinks, folder)
        failures: list[str] = []
    else:
        trials.mark(folder, scale)
        setup.ensure_tools().activate()
        builder.everything((runner.PROGRAM,))
        command = [str(runner.program())]
        results, failures = trials.run(wanted, folder, jobs, command, steps.console.print)
        try:
            reflinks = trial_reflinks.run(over_reflinks, folder, command, steps.console.print)
        except (runner.BenchFailed, steps.StepFailed) as error:
            failures.append(f"over reflinks, {error}")
            finished = trial_reflinks.gather(over_reflinks, folder)
            reflinks = trial_reflinks.Reflinks(finished, trial_reflinks.one_line(error))
    document = {
        "paper": paper.value,
        "scale": scale.value,
        "summary": trial_report.summary(results),
        "results": results,
        "reflinks": {"not_run": reflinks.not_run, "results": reflinks.results},
    }
    runner.write_document(document, folder / "results.json")
    (folder / "report.html").write_text(trial_report.page(results, reflinks, scale))
    (folder / "summary.md").write_text(trial_report.markdown(results, reflinks))
    print(f"results: {folder / 'results.json'}\nreport: {folder / 'report.html'}\ntables: {folder / 'summary.md'}")
    if failures:
        raise runner.BenchFailed("\n".join(failures))


@app.command()
def hwbench(
    commands: Annotated[
        int, typer.Option(help="Commands of the longer cases." + f" [{hw.COMMANDS.low}..{hw.COMMANDS.high}]")
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Of addresses and data." + _range("seed"))] = 1,
    wide: Annotated[bool, typer.Option("--wide", help="Flash pages of four slots.")] = False,
    synth: Annotated[
        Path | None,
        typer.Option(
            help="Give rates also at the clock in this result of `synth`.",
            show_default="synth/synth.json in the build folder, if it is there",
        ),
    ] = None,
    json: Annotated[Path, typer.Option(help="Where the results go.")] = BUILD / "hwbench" / "hwbench.json",
) -> None:
    """Measure the controller, in clock cycles.

    Reads, writes, remaps and garbage collection on the Verilated controller, seen from the host: throughput, latency,
    and the goal of each. A benchmark to look at: it fails when the controller does, not when a goal is missed.
    """
    hw.check(commands, seed, json)
    mhz = hw.synth_mhz(synth)
    setup.ensure_tools().activate()
    builder.everything((hw.PROGRAM,))
    document = hw.run(commands, seed, wide, mhz)
    hw.write_document(document, json)
    Console(highlight=False).print(hw.table(document))
    print(f"results: {json}")


_CRASH = cutting.Options()


@app.command()
def crash(
    exhaustive: Annotated[
        bool,
        typer.Option("--exhaustive", help="Every cut point of the scripts in sim/crash/scripts, and of --orders."),
    ] = False,
    orders: Annotated[
        int | None,
        typer.Option(
            help="Every cut point of so many of eight operations after each other (write, vector, trim, copy, flush, "
            "collection, destaging, format), in all orders; with --exhaustive beside the scripts, else alone. "
            f"[{cutting.ORDERS.low}..{cutting.ORDERS.high}]",
            show_default=f"with --exhaustive {cutting.ORDERS_WITH_SCRIPTS}, else none",
        ),
    ] = _CRASH.orders,
    every: Annotated[
        int,
        typer.Option(
            help=f"With --exhaustive or --orders: every so manieth. [{cutting.EVERY.low}..{cutting.EVERY.high}]"
        ),
    ] = _CRASH.every,
    device: Annotated[
        cutting.Device, typer.Option(help="model: the fast model; rtl: the Verilated controller.")
    ] = _CRASH.device,
    cuts: Annotated[
        int,
        typer.Option(
            help=f"Of random commands; with --leveldb in each mode. [{cutting.CUTS.low}..{cutting.CUTS.high}]"
        ),
    ] = _CRASH.cuts,
    commands: Annotated[
        int, typer.Option(help=f"Random ones of a run. [{cutting.COMMANDS.low}..{cutting.COMMANDS.high}]")
    ] = _CRASH.commands,
    seed: Annotated[int, typer.Option(help="Of the commands and the cuts." + _range("seed"))] = _CRASH.seed,
    wide: Annotated[bool, typer.Option("--wide", help="Flash pages of four slots.")] = False,
    geometry: Annotated[
        str,
        typer.Option(help="Random commands: CHANNELSxDIESxBLOCKSxPAGES[xSLOTS] of the model's flash, 4x2x64x64."),
    ] = _CRASH.geometry,
    lives: Annotated[
        int,
        typer.Option(
            help="Random commands: power cuts in one run, each with other commands after it. "
            f"[{cutting.LIVES.low}..{cutting.LIVES.high}]"
        ),
    ] = _CRASH.lives,
    shutdowns: Annotated[
        bool,
        typer.Option(
            "--shutdowns",
            help="Random commands: resets and power cycles come after a shutdown, and each run has one more.",
        ),
    ] = False,
    faults: Annotated[
        str,
        typer.Option(help="Random commands: what goes wrong in flash, erase-fail=0.02 (docs/simulation.md)."),
    ] = _CRASH.faults,
    superblocks: Annotated[
        int | None,
        typer.Option(
            help=f"Random commands: size of the device. [{cutting.SUPERBLOCKS.low}..{cutting.SUPERBLOCKS.high}]",
            show_default="8",
        ),
    ] = _CRASH.superblocks,
    segments: Annotated[
        int | None,
        typer.Option(
            help="Random commands: segments of the remap table that are used; few make chains go to flash. "
            f"[{cutting.SEGMENTS.low}..{cutting.SEGMENTS.high}]",
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
        lives=lives,
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


@app.command()
def guest(
    device: Annotated[
        guests.Device, typer.Option(help="model: the fast model; rtl: the Verilated controller.")
    ] = _GUEST.device,
    image: Annotated[
        Path | None, typer.Option(help="Folder of the disk's flash and NVRAM, kept.", show_default="in memory")
    ] = _GUEST.image,
    memory: Annotated[
        int, typer.Option(help=f"Of the guest, MiB. [{guests.MEMORY.low}..{guests.MEMORY.high}]")
    ] = _GUEST.memory,
    smp: Annotated[
        int, typer.Option(help=f"CPUs of the guest, each with queues. [{guests.CPUS.low}..{guests.CPUS.high}]")
    ] = _GUEST.smp,
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
    seed: Annotated[int, typer.Option(help="Of what the models draw by chance." + _range("seed"))] = _GUEST.seed,
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


_SYNTH = synthesis.Options()


@app.command()
def synth(
    unit: Annotated[str, typer.Argument(help="A hardware unit by its class; the whole controller.")] = _SYNTH.unit,
    family: Annotated[
        str, typer.Option(help="Comma-separated: ecp5 (area, place and route), xc7 (7-series, area).")
    ] = ",".join(_SYNTH.families),
    area_only: Annotated[bool, typer.Option("--area-only", help="No place and route.")] = False,
    mhz: Annotated[
        int, typer.Option(help=f"Clock that the router aims at. [{synthesis.MHZ.low}..{synthesis.MHZ.high}]")
    ] = _SYNTH.mhz,
    seed: Annotated[
        int, typer.Option(help=f"Of the placer. [{synthesis.SEED.low}..{synthesis.SEED.high}]")
    ] = _SYNTH.seed,
    minutes: Annotated[
        int,
        typer.Option(help=f"Place and route may take that long. [{synthesis.MINUTES.low}..{synthesis.MINUTES.high}]"),
    ] = _SYNTH.minutes,
    json: Annotated[Path, typer.Option(help="Where the results go.")] = _SYNTH.json,
) -> None:
    """Measure area and clock on an FPGA.

    Synthesises the controller, or one unit, with Yosys for ECP5 and 7-series, places and routes it with nextpnr on an
    LFE5UM5G-85F, writes a bitstream, and names the critical path. The whole controller takes from minutes to an hour; what
    has not changed is not done again. It fails when a tool does, not when the goal is missed.
    """
    options = synthesis.Options(
        unit=unit,
        families=synthesis.parse_families(family),
        route=not area_only,
        mhz=mhz,
        seed=seed,
        minutes=minutes,
        json=json,
    )
    synthesis.check(options)
    setup.ensure_tools().activate()
    document = synthesis.run(options)
    hw.write_document(document, json)
    Console(highlight=False).print(synthesis.table(document))
    print(f"results: {json}")


_FORMAL = proofs.Options()


@app.command()
def formal(
    unit: Annotated[list[str] | None, typer.Option(help="A hardware unit; may be given again. None: all.")] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            help=f"Cycles of the bounded checks. [{proofs.DEPTH.low}..{proofs.DEPTH.high}]", show_default="each its own"
        ),
    ] = _FORMAL.depth,
    jobs: Annotated[int, typer.Option(help=f"Units at a time. [{proofs.JOBS.low}..{proofs.JOBS.high}]")] = _FORMAL.jobs,
    minutes: Annotated[
        int, typer.Option(help=f"One check may take that long. [{proofs.MINUTES.low}..{proofs.MINUTES.high}]")
    ] = _FORMAL.minutes,
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
    hw.write_document(proofs.as_json(results), json)
    Console(highlight=False).print(proofs.table(results))
    print(f"results: {json}")
    if any(result.failures for result in results):
        raise typer.Exit(1)


@app.command()
def test(
    suite: Annotated[
        list[str] | None, typer.Argument(help="Suites to run; none: all but `long` and `guest-long`.")
    ] = None,
    guest_: Annotated[bool, typer.Option("--guest", help="The suites `guest` and `guest-long`.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="Say which suites there are, and stop.")] = False,
    expression: Annotated[str, typer.Option("-k", help="Only cases whose name contains this.")] = "",
    seed: Annotated[int, typer.Option(help="Of all random tests." + _range("seed"))] = 1,
) -> None:
    """Run all tests, or some suites.

    The last line is `N passed, N failed`, over all cases; the exit code is 1 when any failed.
    """
    known = {entry.name: entry for entry in suites.SUITES}
    if guest_:
        suite = [*(suite or []), "guest", "guest-long"]
    unknown = [name for name in suite or [] if name not in known]
    if unknown:
        raise OptionError(f"no suite '{unknown[0]}'; there are: {', '.join(known)}")
    if not LIMITS["seed"].low <= seed <= LIMITS["seed"].high:
        raise OptionError(f"--seed: {seed} is not between {LIMITS['seed'].low} and {LIMITS['seed'].high}")
    if list_:
        for entry in suites.SUITES:
            print(f"{entry.name:11} {entry.about}")
        return
    setup.ensure_tools().activate()
    always = [entry.name for entry in suites.SUITES if entry.always]
    chosen = [known[name] for name in dict.fromkeys(suite or always)]
    totals = suites.run_suites(chosen, suites.Selection(expression, seed))
    print(f"{totals.passed} passed, {totals.failed} failed", flush=True)
    if totals.failures:
        raise typer.Exit(1)


@app.command()
def coverage(
    keep: Annotated[bool, typer.Option("--keep", help="Count what an earlier run has left; simulate nothing.")] = False,
    seed: Annotated[int, typer.Option(help="Of the test benches." + _range("seed"))] = suites.DEFAULT_SEED,
    json: Annotated[
        Path, typer.Option(help="Where the results go.", show_default="coverage/coverage.json in the build folder")
    ] = CODE_COVERAGE / "coverage.json",
) -> None:
    """Measure which Verilog the test benches reach.

    Runs the suite `cocotb` with models that count, which are slower, and prints line and toggle
    coverage of each module that the controller consists of. The JSON names each line, and each arm of casez, that no bench
    reaches, with its place in the Chisel source. It fails when a bench does, and when fewer lines are reached than the goal.
    """
    if not LIMITS["seed"].low <= seed <= LIMITS["seed"].high:
        raise OptionError(f"--seed: {seed} is not between {LIMITS['seed'].low} and {LIMITS['seed'].high}")
    check_file("--json", json)
    setup.ensure_tools().activate()
    selection = suites.Selection(seed=seed, code_coverage=True)
    failed = 0
    if not keep:
        shutil.rmtree(CODE_COVERAGE, ignore_errors=True)
        benches = [suite for suite in suites.SUITES if suite.name == "cocotb"]
        failed = suites.run_suites(benches, selection).failed
    document = counting.document(*counting.collect())
    hw.write_document(document, json)
    Console(highlight=False).print(counting.table(document))
    print(f"results: {json}")
    missed = counting.missed(document)
    if missed:
        print(f"openremap: {missed}", file=sys.stderr)
    if failed or missed:
        raise typer.Exit(1)


@app.command()
def build() -> None:
    """Build what has changed.

    Generates the interfaces, emits the SystemVerilog, Verilates it, compiles C and C++.
    """
    setup.ensure_tools().activate()
    builder.everything()
    print(f"built: {RELEASE / 'bin'}")


@app.command()
def clean(
    everything: Annotated[bool, typer.Option("--all", help="The private environment (tools) too.")] = False,
) -> None:
    """Remove build products."""
    folders = [BUILD, ROOT / "out", ROOT / ".pytest_cache", ROOT / ".mypy_cache", ROOT / ".ruff_cache"]
    if everything:
        folders += setup.environments()
        for name in (guest_packages.NAME, leveldb_packages.NAME):
            folders += unpacked_packages.folders(name)
    for folder in folders:
        if folder == ROOT or folder in ROOT.parents:
            raise OptionError(f"OPENREMAP_BUILD_DIR={folder} holds the sources; not removing it")
        if folder.exists():
            shutil.rmtree(folder)
            print(f"removed {folder}")


def main(arguments: list[str]) -> int:
    """Runs the command line; returns the exit code."""
    # A polite end, as a CI's time limit gives one, takes the children along like Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    command: Any = typer.main.get_command(app)
    try:
        code = command.main(args=arguments, prog_name="./openremap", standalone_mode=False)
    except typer.TyperException as error:
        return _complain(error.format_message().replace("Value error, ", ""), error.exit_code)
    except OptionError as error:
        return _complain(str(error), 2)
    except setup.SetupError as error:
        return _complain(str(error), error.exit_code)
    except (
        steps.StepFailed,
        rtl.EmitError,
        runner.BenchFailed,
        hw.HwbenchFailed,
        synthesis.SynthFailed,
        counting.CoverageError,
        proofs.FormalFailed,
        guest_machine.GuestFailed,
    ) as error:
        return _complain(str(error), 1)
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    return int(code or 0)


def _complain(message: str, code: int) -> int:
    print(f"openremap: {message}", file=sys.stderr)
    return code
