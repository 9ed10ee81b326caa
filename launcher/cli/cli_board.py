# SPDX-License-Identifier: Apache-2.0
"""The command `./openremap board`."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from launcher.bench.bench_options import OptionError
from launcher.boards import BOARDS, Options
from launcher.env import setup
from launcher.env.paths import BUILD


class Action(enum.StrEnum):
    """What the command does."""

    build = "build"
    check = "check"
    flash = "flash"
    list = "list"


def board(
    action: Annotated[
        Action,
        typer.Argument(
            help="build: all that can be made for the board; check: what can be checked without one; flash: load an "
            "FPGA; list: the boards."
        ),
    ],
    name: Annotated[str | None, typer.Argument(metavar="BOARD", help=f"One of: {', '.join(BOARDS)}.")] = None,
    config: Annotated[
        str, typer.Option(help="build, check: configuration of the board.", show_default="the board's first")
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(help="build: folder for the results.", show_default="boards/CONFIG in the build folder"),
    ] = None,
    tiger4: Annotated[
        Path | None, typer.Option(help="cosmos: clone of Cosmos-plus-OpenSSD, whose NAND controller is used.")
    ] = None,
    fsbl: Annotated[Path | None, typer.Option(help="cosmos, build: first boot stage, for boot.bin.")] = None,
    bitstream: Annotated[
        Path | None, typer.Option(help="build: for boot.bin; flash: what is loaded (.bit or .bin).")
    ] = None,
    adapter: Annotated[str, typer.Option(help="flash: OpenOCD's file about the cable, interface/NAME.cfg.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="flash: load a model of the FPGA, not a board.")] = False,
) -> None:
    """Make what a board needs: a project for the vendor's tools, the firmware, and what it boots from.

    The last lines say what is missing here. `check` runs the project's scripts against stubs and compares what they do
    with the facts of the board (docs/boards.md).
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
    options = Options(dry_run, config, tiger4, fsbl, bitstream, adapter)
    folder = (out or BUILD / "boards" / (config or (chosen.configs or (name,))[0])).resolve()
    setup.ensure_tools().activate()
    if action == Action.build:
        chosen.build(folder, options)
    elif action == Action.check:
        if chosen.check is None:
            raise OptionError(f"{name}: there is nothing to check apart from `build`")
        chosen.check(options)
    else:
        if chosen.flash is None:
            raise OptionError(f"{name}: is not loaded by this command")
        chosen.flash(folder, options)
