# SPDX-License-Identifier: Apache-2.0
"""The command ./openremap lockstep."""

from __future__ import annotations

from typing import Annotated

import typer

from launcher.bench.bench_options import DEVICE_HELP, OptionError, help_text, limits_text
from launcher.cli import cli_spread
from launcher.env import build as builder
from launcher.env import setup
from launcher.suites import crash
from launcher.suites import lockstep as comparing

_DEFAULT = comparing.Options()


def lockstep(
    commands: Annotated[
        int, typer.Option(help=f"Number of commands; each command of a burst counts. [{comparing.COMMANDS}]")
    ] = _DEFAULT.commands,
    seed: Annotated[int, typer.Option(help="Seed of the first round." + limits_text("seed"))] = _DEFAULT.seed,
    mix: Annotated[
        comparing.Mix, typer.Option(help="Mix of commands. quick transfers few pages, so its commands take less time.")
    ] = _DEFAULT.mix,
    wide: Annotated[
        bool, typer.Option("--wide", help="Use the variant with flash pages of four slots (16 KiB).")
    ] = _DEFAULT.wide,
    faults: Annotated[
        str,
        typer.Option(help="Flash faults to inject, for example program-fail=0.002 (docs/design/simulation.md)."),
    ] = _DEFAULT.faults,
    first: Annotated[
        crash.Device, typer.Option(help="Device whose answers are taken for right. " + DEVICE_HELP)
    ] = _DEFAULT.first,
    second: Annotated[crash.Device, typer.Option(help="Device that is compared with it.")] = _DEFAULT.second,
    firmware: Annotated[
        str, typer.Option(help="Of the second device; the first one's is native. " + help_text("firmware"))
    ] = _DEFAULT.firmware,
    mutants: Annotated[
        bool,
        typer.Option(
            "--mutants",
            help="Instead, compare the Verilated controller with a fast model that has a known defect, one after the "
            "other; each must be found. Of the other options only --seed counts.",
        ),
    ] = False,
    seeds: cli_spread.Seeds = 1,
    jobs: cli_spread.Jobs = None,
    scheduler: cli_spread.Scheduler = "",
    tls: cli_spread.Tls = None,
) -> None:
    """Run the same commands on two devices, the Verilated controller and the fast model, and compare them.

    Compares each status, each byte read, the mapping, flash and NVRAM, and the counters. A difference is shrunk to a
    short stream of commands, and the exit code is 1. The program build/release/bin/lockstep has more options.
    """
    options = comparing.Options(commands, seed, mix, wide, faults, first, second, firmware)
    comparing.arguments(options)
    chosen = cli_spread.seeds_from(seed, seeds, jobs, scheduler, tls)
    if mutants and not chosen.alone:
        raise OptionError("--mutants: cannot be combined with --seeds or --scheduler")
    setup.ensure_tools().activate()
    programs = (comparing.PROGRAM, *([crash.MUTANTS] if mutants else []))
    builder.everything(programs, with_soc="soc" in (first, second))
    if mutants:
        raise typer.Exit(comparing.run_mutants(options))
    raise typer.Exit(comparing.run(options) if chosen.alone else comparing.run_seeds(options, chosen))
