# SPDX-License-Identifier: Apache-2.0
"""The command `./openremap board`."""

from __future__ import annotations

import enum
import re
from pathlib import Path
from typing import Annotated

import typer

from launcher.bench.bench_options import OptionError
from launcher.boards import BOARDS, Options
from launcher.env import setup, steps
from launcher.env.paths import BUILD
from launcher.hw.synth import MINUTES, SEED


class Action(enum.StrEnum):
    """What the command does."""

    build = "build"
    start = "start"
    list = "list"


def board(
    action: Annotated[
        Action,
        typer.Argument(
            help="build: all that can be made for the board; start: bring a board to life that has its bitstream; "
            "list: the boards."
        ),
    ],
    name: Annotated[str | None, typer.Argument(metavar="BOARD", help=f"One of: {', '.join(BOARDS)}.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results.", show_default="boards/BOARD in the build folder")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="build: only what takes seconds: generate the project, and check it.")
    ] = False,
    area_only: Annotated[bool, typer.Option("--area-only", help="build: no place and route.")] = False,
    seed: Annotated[int, typer.Option(help=f"build: seed of the placement. [{SEED}]")] = Options.seed,
    minutes: Annotated[
        int, typer.Option(help=f"build: time limit of place and route, in minutes. [{MINUTES}]")
    ] = Options.minutes,
    host: Annotated[str, typer.Option(help="start: network address of the board.")] = "192.168.1.50",
    serial: Annotated[str, typer.Option(help="start: serial number of the device, up to 20 letters and digits.")] = "1",
) -> None:
    """Make what a board needs: a bitstream where open tools can, else the project for the vendor's tools.

    A step of `build` runs again only when its input has changed. Place and route of a whole board takes an hour or
    more. `start` is for boards that a PC starts over a link: it starts their DRAM, loads the firmware and waits until
    it runs.
    """
    if action == Action.list:
        for entry in BOARDS.values():
            print(f"{entry.name:8} {entry.about}")
        return
    if name not in BOARDS:
        what = f"unknown board '{name}'" if name else "no board named"
        raise OptionError(f"{what}; the boards are {', '.join(BOARDS)}")
    entry = BOARDS[name]
    folder = (out or BUILD / "boards" / name).resolve()
    if action == Action.start:
        if entry.start is None:
            raise OptionError(f"{name} starts by itself")
        if not re.fullmatch(r"[0-9A-Za-z-]{1,20}", serial):
            raise OptionError("--serial: takes 1 to 20 letters, digits and hyphens")
        setup.ensure_tools().activate()
        entry.start(folder, host, serial, steps.say)
        return
    SEED.check("--seed", seed)
    MINUTES.check("--minutes", minutes)
    setup.ensure_tools().activate()
    options = Options(dry_run=dry_run, area_only=area_only, seed=seed, minutes=minutes)
    entry.build(folder, options)
