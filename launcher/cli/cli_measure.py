# SPDX-License-Identifier: Apache-2.0
"""Commands of ./openremap that measure: bench, precondition, hwbench and synth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from launcher.bench import bench as runner
from launcher.bench import bench_options, bench_report
from launcher.bench import precondition as steady
from launcher.bench.bench_description import MODES, Workload
from launcher.bench.bench_options import (
    DEVICE_HELP,
    BenchOptions,
    Device,
    OptionError,
    flash_bytes,
    help_text,
    limits_text,
    parse_modes,
)
from launcher.cli import cli_spread, documents
from launcher.env import build as builder
from launcher.env import setup
from launcher.env.paths import BUILD, ROOT
from launcher.hw import crossings as clocks
from launcher.hw import hwbench as hw
from launcher.hw import levels as timing
from launcher.hw import synth as synthesis
from launcher.hw import synth_seeds

_DEFAULTS = BenchOptions()


def _shared(name: str) -> Any:
    """An option that db_bench has too: its help and range come from the same description."""
    return typer.Option(help=help_text(name))


def _sized(name: str, text: str = "") -> Any:
    """The same for an option whose default depends on the amount of data."""
    small, large = (getattr(bench_options.sizes(Device.model, num, 16, 984), name) for num in (1, 10**6))
    usual = f"{small}; on the model, with more than {bench_options.SMALL_BYTES >> 20} MiB of data: {large}"
    return typer.Option(help=text or help_text(name), show_default=usual)


def bench(
    workload: Annotated[Workload, typer.Argument(help=help_text("workload"))] = _DEFAULTS.workload,
    device: Annotated[Device, typer.Option(help=DEVICE_HELP)] = _DEFAULTS.device,
    mode: Annotated[
        str,
        typer.Option(
            help="Comma-separated list of modes to compare; the first one is the reference. "
            + "; ".join(f"{name}: {text.replace(': ', ', ')}" for name, text in MODES.items())
            + "."
        ),
    ] = ",".join(_DEFAULTS.modes),
    num: Annotated[int, _shared("num")] = _DEFAULTS.num,
    operations: Annotated[int, _shared("operations")] = _DEFAULTS.operations,
    value_size: Annotated[int, _shared("value_size")] = _DEFAULTS.value_size,
    value_size_max: Annotated[int, _shared("value_size_max")] = _DEFAULTS.value_size_max,
    key_size: Annotated[int, _shared("key_size")] = _DEFAULTS.key_size,
    seed: Annotated[int, _shared("seed")] = _DEFAULTS.seed,
    write_buffer: Annotated[int | None, _sized("write_buffer")] = None,
    max_file_size: Annotated[int | None, _sized("max_file_size")] = None,
    level1_bytes: Annotated[int | None, _sized("level1_bytes")] = None,
    level_ratio: Annotated[int | None, _sized("level_ratio")] = None,
    fill_space: Annotated[int, _shared("fill_space")] = _DEFAULTS.fill_space,
    last_level_ratio: Annotated[int, _shared("last_level_ratio")] = _DEFAULTS.last_level_ratio,
    dynamic_levels: Annotated[str, _shared("dynamic_levels")] = _DEFAULTS.dynamic_levels,
    blend_runs: Annotated[int, _shared("blend_runs")] = _DEFAULTS.blend_runs,
    blend_rule: Annotated[str, _shared("blend_rule")] = _DEFAULTS.blend_rule,
    blend_space: Annotated[int, _shared("blend_space")] = _DEFAULTS.blend_space,
    remap_blocks: Annotated[str, _shared("remap_blocks")] = _DEFAULTS.remap_blocks,
    blend_filter_bits: Annotated[int, _shared("blend_filter_bits")] = _DEFAULTS.blend_filter_bits,
    bloom_bits: Annotated[int, _shared("bloom_bits")] = _DEFAULTS.bloom_bits,
    mix_insert: Annotated[int, _shared("mix_insert")] = _DEFAULTS.mix_insert,
    mix_update: Annotated[int, _shared("mix_update")] = _DEFAULTS.mix_update,
    mix_read: Annotated[int, _shared("mix_read")] = _DEFAULTS.mix_read,
    mix_delete: Annotated[int, _shared("mix_delete")] = _DEFAULTS.mix_delete,
    mix_scan: Annotated[int, _shared("mix_scan")] = _DEFAULTS.mix_scan,
    mix_keys: Annotated[str, _shared("mix_keys")] = _DEFAULTS.mix_keys,
    utxo_outputs: Annotated[int, _shared("utxo_outputs")] = _DEFAULTS.utxo_outputs,
    utxo_flush: Annotated[int, _shared("utxo_flush")] = _DEFAULTS.utxo_flush,
    utxo_cache: Annotated[int, _shared("utxo_cache")] = _DEFAULTS.utxo_cache,
    block_size: Annotated[int, _shared("block_size")] = _DEFAULTS.block_size,
    seek_compactions: Annotated[str, _shared("seek_compactions")] = _DEFAULTS.seek_compactions,
    compactions: Annotated[str, _shared("compactions")] = _DEFAULTS.compactions,
    separate: Annotated[str, _shared("separate")] = _DEFAULTS.separate,
    value_log_threshold: Annotated[int, _shared("value_log_threshold")] = _DEFAULTS.value_log_threshold,
    value_log_segment: Annotated[int, _shared("value_log_segment")] = _DEFAULTS.value_log_segment,
    value_log_dead: Annotated[int, _shared("value_log_dead")] = _DEFAULTS.value_log_dead,
    value_log_collector: Annotated[str, _shared("value_log_collector")] = _DEFAULTS.value_log_collector,
    over_provisioning: Annotated[int, _shared("over_provisioning")] = _DEFAULTS.over_provisioning,
    placement_handles: Annotated[int, _shared("placement_handles")] = _DEFAULTS.placement_handles,
    mapping_unit: Annotated[int, _shared("mapping_unit")] = _DEFAULTS.mapping_unit,
    placement: Annotated[str, _shared("placement")] = _DEFAULTS.placement,
    deallocate: Annotated[str, _shared("deallocate")] = _DEFAULTS.deallocate,
    mkfs_discard: Annotated[str, _shared("mkfs_discard")] = _DEFAULTS.mkfs_discard,
    allocation: Annotated[str, _shared("allocation")] = _DEFAULTS.allocation,
    align: Annotated[str, _shared("align")] = _DEFAULTS.align,
    journal: Annotated[str, _shared("journal")] = _DEFAULTS.journal,
    side: Annotated[str, _shared("side")] = _DEFAULTS.side,
    precondition: Annotated[
        bool, typer.Option("--precondition", help=help_text("precondition"))
    ] = _DEFAULTS.precondition,
    superblocks: Annotated[int | None, _sized("superblocks")] = None,
    geometry: Annotated[
        str | None,
        typer.Option(
            help=help_text("geometry"),
            show_default="that of the RTL; on the model, "
            f"with more than {bench_options.SMALL_BYTES >> 20} MiB of data: "
            f"flash of {bench_options.FLASH_OVER_DATA} times the bytes that are put",
        ),
    ] = None,
    firmware_cpu: Annotated[str, _shared("firmware_cpu")] = _DEFAULTS.firmware_cpu,
    jobs: Annotated[
        int, typer.Option(help="Number of modes that run in parallel." + limits_text("jobs"))
    ] = _DEFAULTS.jobs,
    json: Annotated[
        Path, typer.Option(help="File for the results.", show_default="bench/bench.json in the build folder")
    ] = _DEFAULTS.json,
    plot: Annotated[
        Path, typer.Option(help="File for the plot (.png).", show_default="bench/bench.png in the build folder")
    ] = _DEFAULTS.plot,
    image_dir: Annotated[
        Path | None,
        typer.Option(help="Keep the flash and NVRAM images of each mode in a new folder below this one."),
    ] = _DEFAULTS.image_dir,
    reserve_image: Annotated[
        bool, typer.Option("--reserve-image", help=help_text("reserve_image"))
    ] = _DEFAULTS.reserve_image,
    trace_dir: Annotated[
        Path | None,
        typer.Option(
            help="Write a waveform (.fst) of each mode to this folder. The files are large: use a small --num."
        ),
    ] = _DEFAULTS.trace_dir,
    trace: Annotated[Path | None, _shared("trace")] = _DEFAULTS.trace,
    replay: Annotated[Path | None, _shared("replay")] = _DEFAULTS.replay,
    trace_pages: Annotated[
        Path | None,
        typer.Option(
            help="Write what PageFS sends to the device in each mode to this folder, MODE.pages, for ioreplay."
        ),
    ] = _DEFAULTS.trace_pages,
    trace_verify: Annotated[str, _shared("trace_verify")] = _DEFAULTS.trace_verify,
) -> None:
    """Run LevelDB on the controller and compare modes.

    Runs one workload once in each mode and compares their write amplification. Reads every key back afterwards and
    compares it. Prints a table, and writes the same as JSON and as a plot.
    """
    # All options by their names; those that are not given keep their default, or one that fits the amount of data.
    given: dict[str, Any] = {name: value for name, value in locals().items() if value is not None}
    given["modes"] = parse_modes(given.pop("mode"))
    value = bench_options.usual_value(workload, value_size, value_size_max)
    usual = bench_options.sizes(device, num + operations, key_size, value)
    options = BenchOptions(**{**vars(usual), **given})
    bench_options.check(options)
    setup.ensure_tools().activate()
    with_soc = device is Device.soc
    builder.everything((runner.PROGRAM,), with_soc=with_soc, soc_waveforms=with_soc and trace_dir is not None)
    jobs_now = runner.jobs_that_fit(options)
    if jobs_now < options.jobs:
        print(
            f"modes in parallel: {jobs_now} instead of {options.jobs}, "
            f"because each device takes {flash_bytes(options) / 2**30:.1f} GiB of memory"
        )
        options = replace(options, jobs=jobs_now)
    document = runner.run_all(options, [str(runner.program())])
    documents.write(document, options.json)
    bench_report.plot(document, options.plot)
    Console(highlight=False).print(bench_report.table(document))
    print(f"results: {options.json}\nplot: {options.plot}")


_STEADY = steady.PreconditionOptions()


def precondition(
    image: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the device, which is created if absent. All data on it is lost; see --yes.",
            show_default="in memory, which shows the figures only",
        ),
    ] = _STEADY.image,
    device: Annotated[Device, typer.Option(help=DEVICE_HELP)] = _STEADY.device,
    geometry: Annotated[str, typer.Option(help=help_text("geometry"))] = _STEADY.geometry,
    superblocks: Annotated[int, typer.Option(help=help_text("superblocks"))] = _STEADY.superblocks,
    over_provisioning: Annotated[int, _shared("over_provisioning")] = _STEADY.over_provisioning,
    placement_handles: Annotated[int, _shared("placement_handles")] = _STEADY.placement_handles,
    seed: Annotated[int, typer.Option(help="Seed of the pages that are written." + limits_text("seed"))] = _STEADY.seed,
    json: Annotated[
        Path,
        typer.Option(help="File for the results.", show_default="precondition/precondition.json in the build folder"),
    ] = _STEADY.json,
    yes: Annotated[bool, typer.Option("--yes", help="Overwrite a device that is there.")] = _STEADY.yes,
) -> None:
    """Bring a device to a steady state.

    Writes the namespace twice in order, then as many single pages at random in each round, until the write
    amplification of five rounds stays the same: 20 % apart at most, and rising or falling by 10 % at most (SNIA PTS).
    The image can then be measured: page 0 reads zeroes, so PageFS takes the device for empty.
    """
    options = steady.PreconditionOptions(
        image, device, geometry, superblocks, over_provisioning, placement_handles, seed, json, yes
    )
    steady.check(options)
    setup.ensure_tools().activate()
    builder.everything((steady.PROGRAM,), with_soc=device is Device.soc)
    failed: steady.PreconditionFailed | None = None
    try:
        document = steady.run(options)
    except steady.PreconditionFailed as error:
        if error.document is None:
            raise
        failed, document = error, error.document
    documents.write(document, json)
    Console(highlight=False).print(steady.table(document))
    print(f"results: {json}")
    if failed:
        raise failed


def hwbench(
    device: Annotated[hw.Device, typer.Option(help=hw.DEVICE_HELP)] = hw.Device.rtl,
    commands: Annotated[int, typer.Option(help=f"Number of commands in the longer cases. [{hw.COMMANDS}]")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the random addresses and data." + limits_text("seed"))] = 1,
    wide: Annotated[
        bool, typer.Option("--wide", help="Use the variant with flash pages of four slots (16 KiB).")
    ] = False,
    synth: Annotated[
        Path | None,
        typer.Option(
            help="Also report rates at the clock frequency in this result of `synth`.",
            show_default="synth/synth.json in the build folder, if it exists",
        ),
    ] = None,
    json: Annotated[
        Path, typer.Option(help="File for the results.", show_default="hwbench/hwbench.json in the build folder")
    ] = BUILD / "hwbench" / "hwbench.json",
) -> None:
    """Measure the controller in clock cycles.

    Measures throughput and latency of reads, writes, remaps and garbage collection on the Verilated controller as the
    host sees them, and prints them beside their goals. A missed goal is no failure; an error of the controller is.
    """
    hw.check(commands, seed, json)
    hw.check_device(device, wide, synth)
    mhz = None if device is hw.Device.soc else hw.synth_mhz(synth)
    setup.ensure_tools().activate()
    builder.everything((hw.PROGRAM,), with_soc=device is hw.Device.soc)
    document = hw.run(commands, seed, wide, mhz, device)
    documents.write(document, json)
    Console(highlight=False).print(hw.table(document))
    print(f"results: {json}")


_SYNTH = synthesis.Options()


def _levels(unit: str, json: Path) -> None:
    """`synth --levels`: the table, and exit code 1 if more is broken than the list allows."""
    result = timing.of_any(unit)
    documents.write(result.as_json(), json)
    console = Console(highlight=False)
    console.print(timing.table(result))
    found = timing.complaints(result, timing.allowed().get(unit, {}))
    for complaint in found:
        console.print(complaint, markup=False, soft_wrap=True)
    print(f"results: {json}")
    if found:
        raise typer.Exit(1)


def _crossings(unit: str, json: Path) -> None:
    """`synth --crossings`: the list, and exit code 1 if something crosses elsewhere."""
    verdict = clocks.of_unit(unit)
    documents.write(verdict.as_json(), json)
    console = Console(highlight=False)
    console.print(clocks.table(verdict))
    for problem in verdict.problems:
        console.print(problem, markup=False, soft_wrap=True)
    print(f"results: {json}")
    if verdict.problems:
        raise typer.Exit(1)


def synth(
    unit: Annotated[
        str, typer.Argument(help="Class name of a hardware unit, or of the whole controller.")
    ] = _SYNTH.unit,
    config: Annotated[
        str,
        typer.Option(
            help="Configuration of hw/src/top/Presets.scala: cosmos2, cosmos8 or ecpix5 for a board, whose budget of "
            "area then counts.",
            show_default="the one that is simulated",
        ),
    ] = _SYNTH.config,
    family: Annotated[
        str,
        typer.Option(
            help="Comma-separated list of FPGA families. ecp5: area, place and route; xc7: area on a 7-series device."
        ),
    ] = ",".join(_SYNTH.families),
    area_only: Annotated[bool, typer.Option("--area-only", help="Skip place and route.")] = False,
    levels: Annotated[
        bool,
        typer.Option(
            "--levels",
            help="Only count the levels of logic between registers. Ends with 1 if a rule is broken that "
            f"{timing.ALLOWED.relative_to(ROOT)} does not list.",
        ),
    ] = False,
    crossings: Annotated[
        bool,
        typer.Option(
            "--crossings",
            help="Only list the crossings between clocks. Ends with 1 if a path between two clocks is none of them.",
        ),
    ] = False,
    mhz: Annotated[int, typer.Option(help=f"Target clock of place and route, in MHz. [{synthesis.MHZ}]")] = _SYNTH.mhz,
    seed: Annotated[int, typer.Option(help=f"Seed of the placer. [{synthesis.SEED}]")] = _SYNTH.seed,
    seeds: cli_spread.Seeds = 1,
    jobs: cli_spread.Jobs = None,
    scheduler: cli_spread.Scheduler = "",
    tls: cli_spread.Tls = None,
    minutes: Annotated[
        int,
        typer.Option(help=f"Time limit of place and route, in minutes. [{synthesis.MINUTES}]"),
    ] = _SYNTH.minutes,
    json: Annotated[
        Path,
        typer.Option(
            help="File for the results.",
            show_default="synth/synth.json in the build folder; with --levels or --crossings, levels.json or "
            "crossings.json there",
        ),
    ] = _SYNTH.json,
) -> None:
    """Measure area and clock on an FPGA.

    Synthesises the controller, or one unit, with Yosys for ECP5 and 7-series; places and routes it with nextpnr on an
    LFE5UM5G-85F; writes a bitstream; and reports the critical path. The whole controller takes between minutes and an
    hour. Steps whose inputs have not changed are skipped. Of several seeds the fastest result is reported. A missed
    clock goal is no failure; an error of a tool is.
    """
    options = synthesis.Options(
        unit=unit,
        config=config,
        families=synthesis.parse_families(family),
        route=not area_only,
        mhz=mhz,
        seed=seed,
        minutes=minutes,
        json=json,
    )
    synthesis.check(options)
    chosen = cli_spread.seeds_from(seed, seeds, jobs, scheduler, tls, devices=False)
    synthesis.SEED.check("--seeds", chosen.all[-1])
    if (levels or crossings or area_only) and not chosen.alone:
        raise OptionError(
            "--seeds and --scheduler: are of place and route, which --levels, --crossings and --area-only leave out"
        )
    if levels and crossings:
        raise OptionError("--levels, --crossings: one at a time")
    if (levels or crossings) and config:
        raise OptionError("--config: --levels and --crossings are of the default configuration")
    setup.ensure_tools().activate()
    if levels:
        _levels(unit, json if json != _SYNTH.json else json.with_name("levels.json"))
        return
    if crossings:
        _crossings(unit, json if json != _SYNTH.json else json.with_name("crossings.json"))
        return
    document = synthesis.run(options) if chosen.alone else synth_seeds.run(options, chosen)
    documents.write(document, json)
    Console(highlight=False).print(synthesis.table(document))
    print(f"results: {json}")
    if over := synthesis.over_budget(document):
        print("over budget: " + "; ".join(over))
        raise typer.Exit(1)
