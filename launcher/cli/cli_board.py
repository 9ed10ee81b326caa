# SPDX-License-Identifier: Apache-2.0
"""The command `./openremap board`."""

from __future__ import annotations

import enum
import re
from pathlib import Path
from typing import Annotated

import typer

from launcher.bench.bench_options import OptionError
from launcher.boards import BOARDS, Board, Options
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
) -> None:
    """Make what a board needs: a bitstream where open tools can, else the project for the vendor's tools.

    The last lines say what is missing here. A step of `build` runs again only when its input has changed; place and
    route of a whole board takes an hour or more. `check` runs the project's scripts against stubs and compares what
    they do with the facts of the board (docs/boards.md). `start` is for boards that a PC starts over a link: it starts
    their DRAM, loads the firmware and waits until it runs.
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
    if tiger4 is not None and not tiger4.is_dir():
        raise OptionError(f"--tiger4: {tiger4} is no folder")
    if not re.fullmatch(r"[0-9A-Za-z-]{1,20}", serial):
        raise OptionError("--serial: takes 1 to 20 letters, digits and hyphens")
    SEED.check("--seed", seed)
    MINUTES.check("--minutes", minutes)
    _run(
        action,
        chosen,
        (out or _folder(chosen, config)).resolve(),
        host,
        serial,
        Options(dry_run, config, tiger4, fsbl, bitstream, adapter, area_only, seed, minutes),
    )


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
    elif action == Action.flash and board.flash is not None:
        board.flash(folder, options)
    elif board.start is not None:
        board.start(folder, host, serial, steps.say)
