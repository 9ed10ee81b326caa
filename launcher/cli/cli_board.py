# SPDX-License-Identifier: Apache-2.0
"""The command `./openremap board`."""

from __future__ import annotations

import enum
import os
import re
from pathlib import Path
from typing import Annotated

import typer

from launcher.bench.bench_options import OptionError
from launcher.boards import BOARDS, Board, Options, deploy
from launcher.boards import baseline as measuring
from launcher.env import setup, steps
from launcher.env.paths import BUILD
from launcher.hw.synth import MINUTES, SEED


class Action(enum.StrEnum):
    """What the command does."""

    build = "build"
    check = "check"
    flash = "flash"
    start = "start"
    list = "list"


def board(
    action: Annotated[
        Action,
        typer.Argument(
            help="build: all that can be made for the board; check: what can be checked without one; flash: load an "
            "FPGA; start: bring a board to life that has its bitstream; list: the boards."
        ),
    ],
    name: Annotated[str | None, typer.Argument(metavar="BOARD", help=f"One of: {', '.join(BOARDS)}.")] = None,
    config: Annotated[
        str, typer.Option(help="build, check: configuration of the board.", show_default="the board's first")
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the results.", show_default="boards/CONFIG in the build folder"),
    ] = None,
    tiger4: Annotated[
        Path | None, typer.Option(help="cosmos: clone of Cosmos-plus-OpenSSD, whose NAND controller is used.")
    ] = None,
    fsbl: Annotated[Path | None, typer.Option(help="cosmos, build: first boot stage, for boot.bin.")] = None,
    bitstream: Annotated[
        Path | None, typer.Option(help="build: for boot.bin; flash: what is loaded (.bit or .bin).")
    ] = None,
    adapter: Annotated[str, typer.Option(help="flash: OpenOCD's file about the cable, interface/NAME.cfg.")] = "",
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="build: only what takes seconds: generate the project, and check it; flash: load a model of the "
            "FPGA, not a board.",
        ),
    ] = False,
    area_only: Annotated[
        bool, typer.Option("--area-only", help="ecpix5, acorn, build: only what it takes of the FPGA.")
    ] = False,
    seed: Annotated[int, typer.Option(help=f"ecpix5, build: seed of the placement. [{SEED}]")] = Options.seed,
    minutes: Annotated[
        int, typer.Option(help=f"ecpix5, build: time limit of place and route, in minutes. [{MINUTES}]")
    ] = Options.minutes,
    host: Annotated[str, typer.Option(help="start: network address of the board.")] = "192.168.1.50",
    serial: Annotated[str, typer.Option(help="start: serial number of the device, up to 20 letters and digits.")] = "1",
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="flash, start: also what has no green record of the test suites. It leaves a mark in FILE.json beside "
            "the bitstream.",
        ),
    ] = False,
    baseline: Annotated[
        bool,
        typer.Option("--baseline", help="cosmos, check: run db_bench on a board with GreedyFTL, for a comparison."),
    ] = False,
    device: Annotated[
        Path | None,
        typer.Option(
            help="With --baseline: the board's disk, which gets a new ext4, or a folder of a file system on it."
        ),
    ] = None,
    erase: Annotated[
        bool, typer.Option("--erase", help="With --baseline: give up all data that the disk has.")
    ] = False,
    program: Annotated[
        Path | None,
        typer.Option(help="With --baseline: the program db_bench-node.", show_default="this tree's, which is built"),
    ] = None,
) -> None:
    """Make what a board needs: a bitstream where open tools can, else the project for the vendor's tools.

    The last lines say what is missing here. A step of `build` runs again only when its input has changed; place and
    route of a whole board takes an hour or more. `check` runs the project's scripts against stubs and compares what
    they do with the facts of the board (docs/boards.md). `start` is for boards that a PC starts over a link: it starts
    their DRAM, loads the firmware and waits until it runs.

    `flash` and `start` refuse what the test suites of the Verilated RTL were not green on: `./openremap test` keeps the
    record, and `build` writes FILE.json beside each bitstream, which says what it was made of. `flash --dry-run` only
    prints the verdict.
    """
    if action == Action.list:
        for entry in BOARDS.values():
            print(f"{entry.name:8} {entry.about}")
        return
    if name not in BOARDS:
        what = f"unknown board '{name}'" if name else "no board named"
        raise OptionError(f"{what}; the boards are {', '.join(BOARDS)}")
    chosen = BOARDS[name]
    if config and config not in chosen.configs:
        known = ", ".join(chosen.configs) or "none"
        raise OptionError(f"--config: '{config}' is none of {chosen.name}'s configurations: {known}")
    for option, path in (("--fsbl", fsbl), ("--bitstream", bitstream)):
        if path is not None and not path.is_file():
            raise OptionError(f"{option}: {path} is no file")
    if force and action not in (Action.flash, Action.start):
        raise OptionError("--force: is for `flash` and `start`")
    _check_baseline(action, chosen, baseline, {"--device": device, "--erase": erase, "--program": program})
    if tiger4 is not None and not tiger4.is_dir():
        raise OptionError(f"--tiger4: {tiger4} is no folder")
    if not re.fullmatch(r"[0-9A-Za-z-]{1,20}", serial):
        raise OptionError("--serial: takes 1 to 20 letters, digits and hyphens")
    SEED.check("--seed", seed)
    MINUTES.check("--minutes", minutes)
    folder = (out or _folder(chosen, config)).resolve()
    if baseline and device is not None:
        _baseline(chosen, config, measuring.Options(chosen.name, device, folder, erase, program and program.absolute()))
        return
    options = Options(dry_run, config, tiger4, fsbl, bitstream, adapter, area_only, seed, minutes, force)
    _run(action, chosen, folder, host, serial, options)


def _check_baseline(action: Action, board: Board, baseline: bool, others: dict[str, Path | bool | None]) -> None:
    """Raises OptionError for a comparison that cannot be made, and for its options without one."""
    if not baseline:
        for name, value in others.items():
            if value:
                raise OptionError(f"{name}: is for `check --baseline`")
        return
    if action != Action.check:
        raise OptionError("--baseline: is for `check`")
    if board.baseline is None:
        raise OptionError(f"--baseline: there is no other firmware for {board.name}")
    device, program = others["--device"], others["--program"]
    if not isinstance(device, Path):
        raise OptionError("--baseline: needs --device, the board's disk (/dev/nvme0n1) or a folder on it")
    if not device.exists():
        raise OptionError(f"--device: there is no {device}")
    if isinstance(program, Path) and not (program.is_file() and os.access(program, os.X_OK)):
        raise OptionError(f"--program: {program} is no program")


def _baseline(board: Board, config: str, options: measuring.Options) -> None:
    assert board.baseline is not None
    setup.ensure_tools().activate()
    measuring.run(options, board.baseline(config or board.configs[0]))
    print(f"results: {options.out / measuring.RESULT}")


def _folder(board: Board, config: str) -> Path:
    return BUILD / "boards" / (config or (board.configs or (board.name,))[0])


def _run(action: Action, board: Board, folder: Path, host: str, serial: str, options: Options) -> None:
    """Raises OptionError if the board has no such action."""
    if action == Action.check and board.check is None:
        raise OptionError(f"{board.name}: there is nothing to check apart from `build`")
    if action == Action.flash and board.flash is None:
        raise OptionError(f"{board.name}: is not loaded by this command")
    if action == Action.start and board.start is None:
        raise OptionError(f"{board.name} starts by itself")
    setup.ensure_tools().activate()
    if action == Action.build:
        board.build(folder, options)
    elif action == Action.check and board.check is not None:
        board.check(options)
        for line in deploy.remarks(folder / board.bitstream) if board.bitstream else ():
            print(line)
    elif action == Action.flash and board.flash is not None:
        board.flash(folder, options)
    elif board.start is not None:
        board.start(folder, host, serial, steps.say, options.force)
