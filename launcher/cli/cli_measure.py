# SPDX-License-Identifier: Apache-2.0
"""Commands of ./openremap that measure: LevelDB on the controller, the controller, its area and clock."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from launcher.bench import bench as runner
from launcher.bench import bench_options, bench_report
from launcher.bench.bench_options import (
    LIMITS,
    BenchOptions,
    Device,
    OptionError,
    Workload,
    check_file,
    flash_bytes,
    limits_text,
    parse_modes,
)
from launcher.cli import documents
from launcher.env import build as builder
from launcher.env import setup, steps
from launcher.env.paths import BUILD
from launcher.experiment import experiment as trials
from launcher.experiment import experiment_reflink as trial_reflinks
from launcher.experiment import experiment_report as trial_report
from launcher.hw import hwbench as hw
from launcher.hw import synth as synthesis

_DEFAULTS = BenchOptions()


def _sized(name: str) -> str:
    small, large = (getattr(bench_options.sizes(Device.model, num, 16, 984), name) for num in (1, 10**6))
    return f"{small}; on the model with more than {bench_options.SMALL_BYTES >> 20} MiB of data {large}"


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
    num: Annotated[
        int, typer.Option(help="Operations, and size of the key space." + limits_text("num"))
    ] = _DEFAULTS.num,
    operations: Annotated[
        int,
        typer.Option(
            help="Operations, where they are not --num: of all workloads but reads; 0: as many as --num."
            + limits_text("operations"),
        ),
    ] = _DEFAULTS.operations,
    value_size: Annotated[
        int, typer.Option(help="Bytes of a value." + limits_text("value_size"))
    ] = _DEFAULTS.value_size,
    value_size_max: Annotated[
        int,
        typer.Option(
            help="Sizes from --value-size to this one are as likely; 0: all the same." + limits_text("value_size_max"),
        ),
    ] = _DEFAULTS.value_size_max,
    key_size: Annotated[int, typer.Option(help="Bytes of a key." + limits_text("key_size"))] = _DEFAULTS.key_size,
    seed: Annotated[int, typer.Option(help="Of keys and values." + limits_text("seed"))] = _DEFAULTS.seed,
    write_buffer: Annotated[
        int | None,
        typer.Option(help="Memtable, bytes." + limits_text("write_buffer"), show_default=_sized("write_buffer")),
    ] = None,
    max_file_size: Annotated[
        int | None,
        typer.Option(help="Table, bytes." + limits_text("max_file_size"), show_default=_sized("max_file_size")),
    ] = None,
    level1_bytes: Annotated[
        int | None,
        typer.Option(help="Size limit of level 1." + limits_text("level1_bytes"), show_default=_sized("level1_bytes")),
    ] = None,
    level_ratio: Annotated[
        int | None,
        typer.Option(
            help="Size of a level over the one above it." + limits_text("level_ratio"),
            show_default=_sized("level_ratio"),
        ),
    ] = None,
    fill_space: Annotated[
        int,
        typer.Option(
            help="Modes fill, skip and blend: percent of a compaction's output that kept blocks may take beyond what "
            "their entries fill." + limits_text("fill_space")
        ),
    ] = _DEFAULTS.fill_space,
    last_level_ratio: Annotated[
        int,
        typer.Option(
            help="Mode blend: all data over what the level above the deepest one may have; 0: levels as in the other modes."
            + limits_text("last_level_ratio")
        ),
    ] = _DEFAULTS.last_level_ratio,
    blend_runs: Annotated[
        int,
        typer.Option(
            help="Mode blend: sorted runs that a table may have; one more, and it is merged."
            + limits_text("blend_runs")
        ),
    ] = _DEFAULTS.blend_runs,
    blend_space: Annotated[
        int,
        typer.Option(
            help="Mode blend: what the newer runs of a table may hold, percent of its oldest one and of what lies under "
            "it." + limits_text("blend_space")
        ),
    ] = _DEFAULTS.blend_space,
    blend_filter_bits: Annotated[
        int,
        typer.Option(
            help="Mode blend: bits a key of the tables' Bloom filters where --bloom-bits is 0; 0: none, and at most three "
            "runs." + limits_text("blend_filter_bits")
        ),
    ] = _DEFAULTS.blend_filter_bits,
    bloom_bits: Annotated[
        int,
        typer.Option(
            help="Bits a key of the tables' Bloom filters, in all modes; 0: none, but for mode blend."
            + limits_text("bloom_bits")
        ),
    ] = _DEFAULTS.bloom_bits,
    superblocks: Annotated[
        int | None,
        typer.Option(
            help="Flash size in superblocks; 0: all the hardware has." + limits_text("superblocks"),
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
    jobs: Annotated[int, typer.Option(help="Modes that run at a time." + limits_text("jobs"))] = _DEFAULTS.jobs,
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
    documents.write(document, options.json)
    bench_report.plot(document, options.plot)
    Console(highlight=False).print(bench_report.table(document))
    print(f"results: {options.json}\npicture: {options.plot}")


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
    jobs: Annotated[int, typer.Option(help="Runs at a time." + limits_text("jobs"))] = _DEFAULTS.jobs,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Run nothing: the report of what is finished in all modes.")
    ] = False,
) -> None:
    """Rerun a paper's evaluation on the model.

    Every workload in every mode, with the paper's figures beside ours: one HTML page and all results as JSON. Uniform puts
    over reflinks of XFS, too, where this machine lets us mount it (root). Started again with the same folder it goes on
    where it ended.
    """
    LIMITS["jobs"].check("--jobs", jobs)
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
    documents.write(document, folder / "results.json")
    (folder / "report.html").write_text(trial_report.page(results, reflinks, scale))
    (folder / "summary.md").write_text(trial_report.markdown(results, reflinks, scale))
    print(f"results: {folder / 'results.json'}\nreport: {folder / 'report.html'}\ntables: {folder / 'summary.md'}")
    if failures:
        raise runner.BenchFailed("\n".join(failures))


def hwbench(
    commands: Annotated[int, typer.Option(help=f"Commands of the longer cases. [{hw.COMMANDS}]")] = 1000,
    seed: Annotated[int, typer.Option(help="Of addresses and data." + limits_text("seed"))] = 1,
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
    documents.write(document, json)
    Console(highlight=False).print(hw.table(document))
    print(f"results: {json}")


_SYNTH = synthesis.Options()


def synth(
    unit: Annotated[str, typer.Argument(help="A hardware unit by its class; the whole controller.")] = _SYNTH.unit,
    family: Annotated[
        str, typer.Option(help="Comma-separated: ecp5 (area, place and route), xc7 (7-series, area).")
    ] = ",".join(_SYNTH.families),
    area_only: Annotated[bool, typer.Option("--area-only", help="No place and route.")] = False,
    mhz: Annotated[int, typer.Option(help=f"Clock that the router aims at. [{synthesis.MHZ}]")] = _SYNTH.mhz,
    seed: Annotated[int, typer.Option(help=f"Of the placer. [{synthesis.SEED}]")] = _SYNTH.seed,
    minutes: Annotated[
        int,
        typer.Option(help=f"Place and route may take that long. [{synthesis.MINUTES}]"),
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
    documents.write(document, json)
    Console(highlight=False).print(synthesis.table(document))
    print(f"results: {json}")
